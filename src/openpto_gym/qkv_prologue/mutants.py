"""Faults planted by hand, and mutants that mean the same."""

from openpto_gym.mutation.mutant import Equivalent, Planted
from openpto_gym.mutation.reasons import CARRIED, CUT_SOURCE, ENDS_WITH_TENSOR

PLANTED: tuple[Planted, ...] = ()

EQUIVALENT: tuple[Equivalent, ...] = (
    Equivalent("valid_shape_lost", ", valid_shape=[live, half]", CARRIED, function="flat_angles"),
    Equivalent("valid_shape_lost", ", valid_shape=[live, shape.width]", CUT_SOURCE),
    Equivalent("valid_shape_lost", ", valid_shape=[live, half]", CUT_SOURCE, function="turned_head"),
    Equivalent("valid_shape_lost", ", valid_shape=[live, rest]", CUT_SOURCE),
    Equivalent("valid_shape_lost", ", valid_shape=[live, hidden]", ENDS_WITH_TENSOR, count=2),
    Equivalent(
        "condition_shifted",
        "rest > 0",
        "Where the whole head turns, a window of no columns is added, which changes nothing.",
    ),
)
