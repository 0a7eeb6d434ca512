"""Two projections and the gated unit of them, in one kernel."""

from openpto_gym.fused_swiglu.kernel import fused_swiglu

__all__ = ["fused_swiglu"]
