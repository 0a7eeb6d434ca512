"""Faults planted by hand, and mutants that mean the same."""

from openpto_gym.mutation.mutant import Equivalent, Planted
from openpto_gym.mutation.reasons import ENDS_WITH_TENSOR

FLAT = "x is finite; beyond FAR the density in FP32 is 0 and so is its product with x, whether x is limited or not."

PLANTED: tuple[Planted, ...] = ()

EQUIVALENT: tuple[Equivalent, ...] = (
    Equivalent("valid_shape_lost", ", valid_shape=live", ENDS_WITH_TENSOR, count=3),
    Equivalent(
        "guard_dropped",
        "pypto.maximum(pypto.minimum(x, FAR), -FAR)",
        FLAT,
        function="slope_erf",
        after="pypto.minimum(x, FAR)",
    ),
    Equivalent(
        "guard_dropped",
        "pypto.minimum(x, FAR)",
        FLAT,
        function="slope_erf",
    ),
    Equivalent("constant_wrong", "16.0", "Between 16 and 16.16 both gradients are already 0 or 1 in FP32."),
)
