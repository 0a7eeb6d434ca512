"""The chunked gated delta rule: linear attention with a decaying state, over packed sequences of any lengths."""

from openpto_gym.gated_delta_rule.kernel import build_kernel
from openpto_gym.gated_delta_rule.operator import helper_matrices, run

__all__ = ["build_kernel", "helper_matrices", "run"]
