"""gelu for tensors [B, T, H, K], in its erf and tanh forms, and its gradient."""

from openpto_gym.gelu.kernel import gelu, gelu_backward

__all__ = ["gelu", "gelu_backward"]
