"""Faults planted by hand, and mutants that mean the same."""

from openpto_gym.mutation.mutant import Equivalent, Planted
from openpto_gym.mutation.reasons import ENDS_WITH_TENSOR, MORE_IS_CUT, SAME_START

PLANTED: tuple[Planted, ...] = ()

EQUIVALENT: tuple[Equivalent, ...] = (
    Equivalent(
        "valid_shape_lost",
        ", valid_shape=column",
        ENDS_WITH_TENSOR,
        function="cross_entropy",
        within="label = pypto.cast(pypto.view(labels, [TOKENS, 1], [t, 0], v",
    ),
    Equivalent(
        "valid_shape_lost",
        ", valid_shape=column",
        MORE_IS_CUT,
        function="cross_entropy",
        within="largest = pypto.full([TOKENS, 1], flash.LOWEST, fp32, valid_",
    ),
    Equivalent(
        "valid_shape_lost",
        ", valid_shape=column",
        MORE_IS_CUT,
        function="cross_entropy",
        within="total, plain, own = (pypto.full([TOKENS, 1], 0.0, fp32, vali",
    ),
    Equivalent(
        "valid_shape_lost",
        ", valid_shape=column",
        MORE_IS_CUT,
        function="cross_entropy",
        within="place = pypto.full([TOKENS, 1], 0, int32, valid_shape=column",
    ),
    Equivalent(
        "valid_shape_lost",
        ", valid_shape=column",
        MORE_IS_CUT,
        function="cross_entropy",
        within="here = pypto.argmax(block, -1, True) + pypto.full([TOKENS, 1",
    ),
    Equivalent(
        "valid_shape_lost",
        ", valid_shape=column",
        MORE_IS_CUT,
        function="cross_entropy",
        within="mean = plain / pypto.full([TOKENS, 1], vocabulary, fp32, val",
    ),
    Equivalent("valid_shape_lost", ", valid_shape=[live, live_v]", ENDS_WITH_TENSOR),
    Equivalent(
        "init_wrong",
        "0",
        "The first block holds a logit above the lowest score, so that the first place is replaced.",
        within="place = ",
    ),
    Equivalent("targets_swapped", "total, plain", SAME_START),
    Equivalent("targets_swapped", "plain, own", SAME_START),
)
