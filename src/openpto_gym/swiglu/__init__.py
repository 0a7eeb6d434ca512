"""The gated unit silu(gate) * up on halves of rows, and its gradient."""

from openpto_gym.swiglu.kernel import swiglu, swiglu_backward

__all__ = ["swiglu", "swiglu_backward"]
