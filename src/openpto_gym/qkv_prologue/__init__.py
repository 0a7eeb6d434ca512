"""What comes before attention: residual, norm, quantised projection, norms of heads, rotation, cache."""

from openpto_gym.qkv_prologue.kernel import Shape, qkv_prologue

__all__ = ["Shape", "qkv_prologue"]
