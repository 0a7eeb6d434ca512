"""Faults planted by hand, and mutants that mean the same."""

from openpto_gym.mutation.mutant import Equivalent, Planted
from openpto_gym.mutation.reasons import ENDS_WITH_TENSOR

PLANTED: tuple[Planted, ...] = ()

EQUIVALENT: tuple[Equivalent, ...] = (
    Equivalent("valid_shape_lost", ", valid_shape=[live_m, depth]", ENDS_WITH_TENSOR),
    Equivalent("valid_shape_lost", ", valid_shape=[depth, live_n]", ENDS_WITH_TENSOR),
    Equivalent("valid_shape_lost", ", valid_shape=[1, live_n]", ENDS_WITH_TENSOR),
)
