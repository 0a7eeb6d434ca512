"""Faults planted by hand, and mutants that mean the same."""

from openpto_gym.mutation.mutant import Equivalent, Planted
from openpto_gym.mutation.reasons import CARRIED, MORE_IS_CUT

PLANTED: tuple[Planted, ...] = ()

EQUIVALENT: tuple[Equivalent, ...] = (
    Equivalent("valid_shape_lost", ", valid_shape=[live, 1]", MORE_IS_CUT),
    Equivalent("valid_shape_lost", ", valid_shape=[live, 1, width]", CARRIED),
    Equivalent("valid_shape_lost", ", valid_shape=[live_q, width]", MORE_IS_CUT),
    Equivalent("valid_shape_lost", ", valid_shape=[live_k, width]", MORE_IS_CUT, count=2),
)
