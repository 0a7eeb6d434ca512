"""Faults planted by hand in the modules that kernels share, and their mutants that mean the same, by module."""

from openpto_gym.mutation.mutant import Equivalent, Planted
from openpto_gym.mutation.reasons import CARRIED, CUT_NEXT, ENDS_WITH_TENSOR

PLANTED: dict[str, tuple[Planted, ...]] = {
    "flash": (
        Planted("sum_not_shrunk", "stale carry", "total[:] = total * shrink +", "total[:] = total +"),
        Planted("values_not_shrunk", "stale carry", "weighted[:] = weighted * shrink +", "weighted[:] = weighted +"),
        Planted(
            "maximum_kept_too_early",
            "stale carry",
            "    weights = pypto.exp(scores - peak)\n",
            "    largest[:] = peak\n    weights = pypto.exp(scores - peak)\n",
        ),
        Planted("positions_backwards", "wrong mask", "return steps + pypto.full", "return pypto.full"),
    ),
}

EQUIVALENT: dict[str, tuple[Equivalent, ...]] = {
    "flash": (
        Equivalent("valid_shape_lost", ", valid_shape=valid", CUT_NEXT, function="rows_of"),
        Equivalent("valid_shape_lost", ", valid_shape=[valid[rows], valid[-1]]", CARRIED),
        Equivalent(
            "loop_first_lost",
            "len(shape) - 1",
            "If the first axis holds the rows no other axis is longer than one, and the first is what is taken then.",
        ),
        Equivalent(
            "init_wrong",
            "0.0",
            "The first block multiplies this sum by e to the lowest score, which is 0; where there is no block, a sum "
            "below 1 counts as 1.",
            within="full([rows, 1]",
        ),
    ),
    "rotary": (
        Equivalent("valid_shape_lost", ", valid_shape=[live, half]", ENDS_WITH_TENSOR),
        Equivalent("valid_shape_lost", ", valid_shape=[live, 1, half]", CARRIED),
        Equivalent("valid_shape_lost", ", valid_shape=valid", ENDS_WITH_TENSOR),
    ),
}
