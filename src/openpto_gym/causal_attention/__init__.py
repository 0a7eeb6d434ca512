"""Causal attention with shared key heads, for sequences of any length."""

from openpto_gym.causal_attention.kernel import causal_attention

__all__ = ["causal_attention"]
