"""The experts of every token and their weights."""

from openpto_gym.moe_gating.gate import Gate
from openpto_gym.moe_gating.kernel import moe_gating

__all__ = ["Gate", "moe_gating"]
