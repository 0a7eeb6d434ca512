"""Results of experts back at their tokens."""

from openpto_gym.moe_combine.kernel import moe_combine

__all__ = ["moe_combine"]
