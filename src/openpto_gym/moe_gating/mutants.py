"""Faults planted by hand, and mutants that mean the same."""

from openpto_gym.mutation.mutant import Equivalent, Planted
from openpto_gym.mutation.reasons import CARRIED, ENDS_WITH_TENSOR, MORE_IS_CUT

PLANTED: tuple[Planted, ...] = ()

EQUIVALENT: tuple[Equivalent, ...] = (
    Equivalent("valid_shape_lost", ", valid_shape=[live, gate.groups]", CARRIED, within="pypto.reshape("),
    Equivalent("valid_shape_lost", ", valid_shape=[live, gate.groups]", MORE_IS_CUT, within="pypto.full("),
    Equivalent("valid_shape_lost", ", valid_shape=[live, gate.groups, size]", CARRIED),
    Equivalent("valid_shape_lost", ", valid_shape=[live, gate.groups, 1]", CARRIED),
    Equivalent("valid_shape_lost", ", valid_shape=[live, experts]", CARRIED),
    Equivalent("valid_shape_lost", ", valid_shape=[live, count]", ENDS_WITH_TENSOR),
    Equivalent("mask_shifted", "pypto.gt", "Marks are 0 or 1, so that none is equal to 0.5."),
    Equivalent(
        "condition_shifted",
        "gate.groups > 1",
        "A single group is kept whole, so that choosing among groups changes nothing.",
    ),
    Equivalent("constant_wrong", "1.0", "Marks are only compared with 0.5."),
    Equivalent("constant_wrong", "0.5", "Marks are 0 or 1, and 0.505 lies between them as 0.5 does."),
    Equivalent(
        "dtype_wrong",
        "pypto.DT_FP32",
        "Marks are 0 or 1, which FP16 holds exactly, and are only compared with 0.5.",
        function="within_groups",
    ),
)
