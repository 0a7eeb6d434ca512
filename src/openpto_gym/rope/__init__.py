"""Rotary position embedding of the halves of every head."""

from openpto_gym.rope.kernel import rope

__all__ = ["rope"]
