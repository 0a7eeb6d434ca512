"""x * sigmoid(x) and its gradient."""

from openpto_gym.silu.kernel import silu, silu_backward

__all__ = ["silu", "silu_backward"]
