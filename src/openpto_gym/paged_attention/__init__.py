"""Attention of the newest tokens to a paged store of keys and values."""

from openpto_gym.paged_attention.kernel import paged_attention

__all__ = ["paged_attention"]
