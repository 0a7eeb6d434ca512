"""Faults planted by hand, and mutants that mean the same."""

from openpto_gym.mutation.mutant import Equivalent, Planted

PLANTED: tuple[Planted, ...] = ()

EQUIVALENT: tuple[Equivalent, ...] = (
    Equivalent(
        "init_wrong", "-1", "Where no token was found the score is the lowest, and the place becomes -1 at the end."
    ),
    Equivalent(
        "mask_dropped",
        "pypto.where(pypto.gt(best, LOWEST), places, -1)",
        "Of equal scores the earlier is chosen, and places without a token come before padding: they are -1 already.",
    ),
    Equivalent(
        "mask_shifted",
        "pypto.gt",
        "Of equal scores the earlier is chosen, and places without a token come before padding: they are -1 already.",
    ),
    Equivalent(
        "tail_not_cut",
        "(lengths[b] - (steps - 1) + s).max(0)",
        "A number of tokens below zero gives no page, as zero does, and is used for nothing else where there is none.",
        after="(lengths[b] - (steps - 1) + s)",
    ),
)
