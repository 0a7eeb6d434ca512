"""Every operator is portable: both profiles of toolchains take it, and the chips that have its operations."""

import pytest

import openpto
from openpto_gym.check import check
from openpto_gym.kinds import plain_name
from openpto_gym.models import MODELS
from openpto_gym.registry import NAMES, load

ONLY_950 = {"fp8_matmul", "mx_matmul"}
"""Operators whose types and operations one chip has."""


def first_case_passes(name, **options):
    operator = load(name)
    case = next(case for case in operator.cases if not case.slow)
    with openpto.configure(engine="reference", **options):
        for result in check(operator, case, "numpy", warm=False):
            assert result.verdict == "ok", result.details


@pytest.mark.parametrize("target", ["0.2", "0.3"])
@pytest.mark.parametrize("name", NAMES)
def test_profiles(name, target):
    """What a profile refuses is an error here."""
    first_case_passes(name, target=target)


@pytest.mark.parametrize("name", NAMES)
def test_the_first_chip(name):
    """Types, operations and tiles fit a 910B, or a 950 where that is what it takes."""
    first_case_passes(name, platform="950" if name in ONLY_950 else "910B")


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
def test_the_dimensions_of_models_fit_the_chip(name):
    """Tiles are judged when the kernel is compiled; numbers are compared where all cases are."""
    operator = load(name)
    with openpto.configure(platform="950" if name in ONLY_950 else "910B"):
        for case in operator.cases:
            if plain_name(case) in MODELS[name]:
                operator.run(case, operator.inputs(case))
