"""Attention to chosen tokens of a paged store of latent vectors."""

from openpto_gym.sparse_attention.kernel import sparse_attention

__all__ = ["sparse_attention"]
