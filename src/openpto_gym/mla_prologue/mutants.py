"""Faults planted by hand, and mutants that mean the same."""

from openpto_gym.mutation.mutant import Equivalent, Planted
from openpto_gym.mutation.reasons import CARRIED, CUT_SOURCE, ENDS_WITH_TENSOR, MORE_IS_CUT

STORED_FIRST = "Both halves are stored before anything is read, so what is filled in first never counts."

PLANTED: tuple[Planted, ...] = ()

EQUIVALENT: tuple[Equivalent, ...] = (
    Equivalent("valid_shape_lost", ", valid_shape=[live, 2 * half]", MORE_IS_CUT),
    Equivalent("valid_shape_lost", ", valid_shape=[live, width // 2]", CARRIED),
    Equivalent("valid_shape_lost", ", valid_shape=[live, 1, width]", CARRIED),
    Equivalent("valid_shape_lost", ", valid_shape=[live, hidden]", ENDS_WITH_TENSOR),
    Equivalent("valid_shape_lost", ", valid_shape=[live, plain]", CUT_SOURCE),
    Equivalent("valid_shape_lost", ", valid_shape=[live, width]", CUT_SOURCE, count=2),
    Equivalent("valid_shape_lost", ", valid_shape=[live, latent]", CUT_SOURCE),
    Equivalent("valid_shape_lost", ", valid_shape=[live, 1]", ENDS_WITH_TENSOR),
    Equivalent("init_wrong", "0.0", STORED_FIRST),
)
