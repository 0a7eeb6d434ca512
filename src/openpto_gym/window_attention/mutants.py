"""Faults planted by hand, and mutants that mean the same."""

from openpto_gym.mutation.mutant import Equivalent, Planted
from openpto_gym.mutation.reasons import CARRIED

OTHER_BLOCKS = (
    "Keys in front of the window are masked in any case and add weights of zero: other blocks, and the same sums."
)

PLANTED: tuple[Planted, ...] = ()

EQUIVALENT: tuple[Equivalent, ...] = (
    Equivalent("valid_shape_lost", ", valid_shape=[live_q, 1, width]", CARRIED),
    Equivalent(
        "tail_not_cut",
        "(i - (window - 1)).max(0)",
        OTHER_BLOCKS,
        after="0",
        rounds=True,
    ),
    Equivalent(
        "operand_dropped",
        "window - 1",
        OTHER_BLOCKS,
        after="window",
        rounds=True,
    ),
    Equivalent(
        "guard_dropped",
        "pypto.maximum(largest, sink)",
        "Numerator and denominator are divided by another power of e; where that of the sink overflows, the quotient "
        "is 0 as it should be.",
        after="largest",
        rounds=True,
    ),
)
