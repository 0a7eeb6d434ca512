"""Every case of every operator of the gym, and the goldens against each other; enumerated from the registry."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest

import openpto_gym
from openpto.testing import compare
from openpto_gym import registry
from openpto_gym.check import check
from openpto_gym.operator import to_float64

FOLDER = Path(openpto_gym.__file__).parent
NEAR = 1e-3
"""Goldens in float64 agree to this fraction of the tolerance of a case."""


EVERY_CASE = [
    pytest.param(operator, case, id=f"{operator.name}-{case.name}", marks=[pytest.mark.slow] if case.slow else [])
    for operator in registry.operators()
    for case in operator.cases
]


@pytest.mark.parametrize(("operator", "case"), EVERY_CASE)
def test_kernel_matches_the_golden(operator, case):
    results = list(check(operator, case, "numpy", warm=False))
    assert results
    for result in results:
        assert result.verdict == "ok", f"{result.output}: {result.found} {result.note}"
        assert result.engine


@pytest.mark.torch
@pytest.mark.parametrize(("operator", "case"), EVERY_CASE)
def test_goldens_agree(operator, case):
    """The golden of torch is checked by the formula in numpy, both in float64."""
    pytest.importorskip("torch")
    inputs = operator.inputs(case)
    with np.errstate(all="ignore"):
        one, other = operator.torch(case, inputs), operator.numpy(case, inputs)
    assert one.keys() == other.keys()
    for name, golden in one.items():
        assert golden.dtype == other[name].dtype == np.float64
        allowed = case.tolerance_of(name)
        near = dataclasses.replace(allowed, rtol=allowed.rtol * NEAR, atol=allowed.atol * NEAR)
        found = compare(golden, other[name], near)
        assert found.ok, found


@pytest.mark.parametrize(("operator", "case"), EVERY_CASE)
def test_inputs_are_the_same_every_time(operator, case):
    first, second = operator.inputs(case), operator.inputs(case)
    assert first.keys() == second.keys()
    for name, array in first.items():
        assert array.tobytes() == second[name].tobytes()
    assert case.element in {array.dtype for array in first.values()}


@pytest.mark.parametrize("operator", registry.operators(), ids=lambda operator: operator.name)
def test_operator_is_complete(operator):
    folder = FOLDER / operator.name
    assert {"__init__.py", "kernel.py", "golden.py", "cases.py", "README.md"} <= {p.name for p in folder.iterdir()}
    assert len({case.name for case in operator.cases}) == len(operator.cases) >= 10
    assert "numpy" not in (folder / "kernel.py").read_text(encoding="utf-8")
    assert "kernel import" not in (folder / "golden.py").read_text(encoding="utf-8").replace(
        "kernel import SumLstmConfig", ""
    )
    text = (folder / "README.md").read_text(encoding="utf-8")
    for heading in ("## Formula", "## Interface", "## Limits", "## Checks"):
        assert heading in text, heading


def test_every_folder_is_registered():
    folders = {path.parent.name for path in FOLDER.glob("*/kernel.py")}
    assert folders == set(registry.NAMES)


@pytest.mark.parametrize(("page", "words"), [("README.md", "{} operators"), ("README.zh-CN.md", "{} 个各类算子")])
def test_pages_say_how_many_there_are(page, words):
    text = (Path(__file__).parents[2] / page).read_text(encoding="utf-8")
    assert words.format(len(registry.NAMES)) in text


def test_unknown_names_are_refused():
    with pytest.raises(LookupError, match="scale_add"):
        registry.load("nonsense")
    with pytest.raises(LookupError, match="nonsense"):
        registry.load("relu").case("nonsense")


def test_wide_copies_keep_integers():
    wide = to_float64({"x": np.ones(2, np.float16), "n": np.ones(2, np.int32)})
    assert (wide["x"].dtype, wide["n"].dtype) == (np.float64, np.int32)
