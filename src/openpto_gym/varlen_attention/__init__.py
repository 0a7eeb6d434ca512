"""Attention of packed sequences, with the statistics that the gradient needs."""

from openpto_gym.varlen_attention.kernel import varlen_attention

__all__ = ["varlen_attention"]
