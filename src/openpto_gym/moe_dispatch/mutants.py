"""Faults planted by hand, and mutants that mean the same."""

from openpto_gym.mutation.mutant import Equivalent, Planted

PLANTED: tuple[Planted, ...] = ()

EQUIVALENT: tuple[Equivalent, ...] = (
    Equivalent(
        "loop_first_lost",
        "count",
        "starts[0] is 0, so that the first step adds nothing to starts[1].",
        after="1, count",
    ),
)
