"""Attention without a mask, in blocks, for sequences of any length."""

from openpto_gym.attention.kernel import attention

__all__ = ["attention"]
