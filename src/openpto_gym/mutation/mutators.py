"""All mutators by name."""

from __future__ import annotations

from openpto_gym.mutation import loop_mutators, mask_mutators, value_mutators
from openpto_gym.mutation.mutator import MUTATORS

FAMILIES = (mask_mutators, loop_mutators, value_mutators)
"""The modules that register mutators when they are imported."""

__all__ = ["FAMILIES", "MUTATORS"]
