"""`out = max(x, 0)` for tensors [B, T, H, K], and its gradient."""

from openpto_gym.relu.kernel import relu, relu_backward

__all__ = ["relu", "relu_backward"]
