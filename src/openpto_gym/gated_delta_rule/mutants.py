"""Faults planted by hand, and mutants that mean the same."""

from openpto_gym.mutation.mutant import Equivalent, Planted
from openpto_gym.mutation.reasons import CARRIED, CUT_NEXT

LAST_COLUMN = "The last column of a strictly lower triangular block holds zeros: one more step adds nothing to any row."
NO_WEIGHT = (
    "A row of the padding counts only through beta times its key and beta times its value: one of the two factors is 0 "
    "whatever the other is."
)

PLANTED: tuple[Planted, ...] = ()

EQUIVALENT: tuple[Equivalent, ...] = (
    Equivalent("valid_shape_lost", ", valid_shape=[live, 1, width]", CUT_NEXT),
    Equivalent("valid_shape_lost", ", valid_shape=[live, width]", CARRIED),
    Equivalent("loop_bound_off", "LEAF - 1", LAST_COLUMN, after="(LEAF - 1) + 1"),
    Equivalent("operand_dropped", "LEAF - 1", LAST_COLUMN),
    Equivalent(
        "loop_bound_off",
        "len(parts)",
        "Blocks are merged in pairs and their number is even: the last pair begins before the last block.",
        after="len(parts) - 1",
    ),
    Equivalent(
        "fillpad_value",
        "0.0",
        "A row of the padding of the queries gives a row of the output, which is not stored.",
        within="q = pypto.fillpad",
    ),
    Equivalent("fillpad_value", "0.0", NO_WEIGHT, within="k = pypto.fillpad"),
    Equivalent("fillpad_value", "0.0", NO_WEIGHT, within="v = pypto.fillpad"),
    Equivalent("fillpad_value", "0.0", NO_WEIGHT, within="bt = pypto.fillpad"),
)
