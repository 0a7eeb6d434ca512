"""`out = scale * x + y` for tensors [B, T, H, K]."""

from openpto_gym.scale_add.kernel import scale_add

__all__ = ["scale_add"]
