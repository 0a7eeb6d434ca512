"""Faults planted by hand, and mutants that mean the same."""

from openpto_gym.mutation.mutant import Equivalent, Planted

PLANTED: tuple[Planted, ...] = ()

EQUIVALENT: tuple[Equivalent, ...] = (
    Equivalent(
        "tail_not_cut",
        "(lengths[b] - (steps - 1) + s).max(0)",
        "A number of tokens below zero gives no page, as zero does, and is used for nothing else where there is none.",
        after="(lengths[b] - (steps - 1) + s)",
    ),
)
