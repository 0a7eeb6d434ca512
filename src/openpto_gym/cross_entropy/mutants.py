"""Faults planted by hand, and mutants that mean the same."""

from openpto_gym.mutation.mutant import Equivalent, Planted
from openpto_gym.mutation.reasons import ENDS_WITH_TENSOR, SAME_START

PLANTED: tuple[Planted, ...] = ()

EQUIVALENT: tuple[Equivalent, ...] = (
    Equivalent("valid_shape_lost", ", valid_shape=column", ENDS_WITH_TENSOR, within="pypto.view(labels"),
    Equivalent("valid_shape_lost", ", valid_shape=[live, live_v]", ENDS_WITH_TENSOR),
    Equivalent(
        "init_wrong",
        "0",
        "Some block holds a logit above the lowest score, so that the first place is replaced.",
        within="place = ",
    ),
    Equivalent("targets_swapped", "total, plain", SAME_START),
    Equivalent("targets_swapped", "plain, own", SAME_START),
)
