"""Faults planted by hand, and mutants that mean the same."""

from openpto_gym.mutation.mutant import Equivalent, Planted
from openpto_gym.mutation.reasons import CARRIED, ENDS_WITH_TENSOR, SAME_START

PLANTED: tuple[Planted, ...] = ()

EQUIVALENT: tuple[Equivalent, ...] = (
    Equivalent("valid_shape_lost", ", valid_shape=[live, channels, pixels]", ENDS_WITH_TENSOR),
    Equivalent("valid_shape_lost", ", valid_shape=[live, channels]", CARRIED),
    Equivalent("targets_swapped", "sums, squares", SAME_START),
)
