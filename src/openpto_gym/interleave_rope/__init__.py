"""Rotary position embedding of neighbouring columns; the result holds even columns first."""

from openpto_gym.interleave_rope.kernel import interleave_rope

__all__ = ["interleave_rope"]
