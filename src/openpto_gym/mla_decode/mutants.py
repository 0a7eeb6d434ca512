"""Faults planted by hand, and mutants that mean the same."""

from openpto_gym.mutation.mutant import Equivalent, Planted
from openpto_gym.mutation.reasons import NO_PAGE

PLANTED: tuple[Planted, ...] = ()

EQUIVALENT: tuple[Equivalent, ...] = (
    Equivalent(
        "tail_not_cut",
        "(lengths[b] - (steps - 1) + s).max(0)",
        NO_PAGE,
        after="(lengths[b] - (steps - 1) + s)",
    ),
)
