"""`out = 1 / (1 + exp(-x))` for tensors [B, T, H, K], and its gradient."""

from openpto_gym.sigmoid.kernel import sigmoid, sigmoid_backward

__all__ = ["sigmoid", "sigmoid_backward"]
