"""Faults planted by hand, and mutants that mean the same."""

from openpto_gym.mutation.mutant import Equivalent, Planted
from openpto_gym.mutation.reasons import CARRIED, ENDS_WITH_TENSOR

PLANTED: tuple[Planted, ...] = ()

EQUIVALENT: tuple[Equivalent, ...] = (
    Equivalent("valid_shape_lost", ", valid_shape=[live, size, size]", ENDS_WITH_TENSOR, within="pypto.view("),
    Equivalent("valid_shape_lost", ", valid_shape=[live, size, size]", CARRIED, within="pypto.reshape("),
    Equivalent("valid_shape_lost", ", valid_shape=[live, size * size]", CARRIED),
)
