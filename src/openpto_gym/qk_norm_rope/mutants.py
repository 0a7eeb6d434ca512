"""Faults planted by hand, and mutants that mean the same."""

from openpto_gym.mutation.mutant import Equivalent, Planted

PLANTED: tuple[Planted, ...] = ()

EQUIVALENT: tuple[Equivalent, ...] = ()
