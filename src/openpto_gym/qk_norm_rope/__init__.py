"""Queries and keys: root mean square normalisation of every head, then rotary position embedding."""

from openpto_gym.qk_norm_rope.kernel import qk_norm_rope

__all__ = ["qk_norm_rope"]
