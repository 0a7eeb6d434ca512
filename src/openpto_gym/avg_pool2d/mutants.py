"""Faults planted by hand, and mutants that mean the same."""

from openpto_gym.mutation.mutant import Equivalent, Planted
from openpto_gym.mutation.reasons import CARRIED, CUT_SOURCE, ENDS_WITH_TENSOR

PLANTED: tuple[Planted, ...] = ()

EQUIVALENT: tuple[Equivalent, ...] = (
    Equivalent("valid_shape_lost", ", valid_shape=[live, high, wide]", ENDS_WITH_TENSOR),
    Equivalent("valid_shape_lost", ", valid_shape=[live, rows, size * wide]", CARRIED),
    Equivalent("valid_shape_lost", ", valid_shape=valid", CUT_SOURCE, count=2),
    Equivalent("valid_shape_lost", ", valid_shape=[live, rows, cols, size]", CARRIED),
    Equivalent("valid_shape_lost", ", valid_shape=[live, rows, cols]", CARRIED),
)
