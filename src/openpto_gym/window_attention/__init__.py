"""Causal attention to a window of the last keys and to a sink."""

from openpto_gym.window_attention.kernel import window_attention

__all__ = ["window_attention"]
