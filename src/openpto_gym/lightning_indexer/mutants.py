"""Faults planted by hand, and mutants that mean the same."""

from openpto_gym.mutation.mutant import Equivalent, Planted
from openpto_gym.mutation.reasons import NO_PAGE

ALREADY_NONE = (
    "Of equal scores the earlier is chosen, and places without a token come before padding: they are -1 already."
)

PLANTED: tuple[Planted, ...] = ()

EQUIVALENT: tuple[Equivalent, ...] = (
    Equivalent(
        "init_wrong", "-1", "Where no token was found the score is the lowest, and the place becomes -1 at the end."
    ),
    Equivalent(
        "mask_dropped",
        "pypto.where(pypto.gt(best, LOWEST), places, -1)",
        ALREADY_NONE,
    ),
    Equivalent(
        "mask_shifted",
        "pypto.gt",
        ALREADY_NONE,
    ),
    Equivalent(
        "tail_not_cut",
        "(lengths[b] - (steps - 1) + s).max(0)",
        NO_PAGE,
        after="(lengths[b] - (steps - 1) + s)",
    ),
)
