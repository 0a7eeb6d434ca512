"""Faults planted by hand, and mutants that mean the same."""

from openpto_gym.mutation.mutant import Equivalent, Planted
from openpto_gym.mutation.reasons import CARRIED, CUT_NEXT

PLANTED: tuple[Planted, ...] = ()

EQUIVALENT: tuple[Equivalent, ...] = (
    Equivalent("valid_shape_lost", ", valid_shape=[1, live, heads, width]", CUT_NEXT),
    Equivalent("valid_shape_lost", ", valid_shape=[live, heads, width]", CARRIED),
)
