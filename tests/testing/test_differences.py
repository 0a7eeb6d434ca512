"""First differences: where, how much, and what the whole looks like."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from openpto.diagnostics import set_language
from openpto.testing import Tolerance, first_difference


def patterned(expected, got, **more):
    found = first_difference(expected, got, **more)
    return {name: fields for name, fields in found.patterns}


@pytest.fixture
def data():
    return np.random.default_rng(0).standard_normal((12, 8)).astype(np.float32)


def test_equal_bits_are_no_difference(data) -> None:
    data[0, 0] = np.nan
    other = data.copy()
    other.view(np.uint32)[0, 0] ^= 1  # another NaN
    assert first_difference(data, other) is None


def test_the_first_element_and_its_ulp(data) -> None:
    got = data.copy()
    got[3, 5] = np.nextafter(got[3, 5], np.float32(9))
    got[7, 0] = np.nextafter(got[7, 0], np.float32(9))
    found = first_difference(data, got)
    assert (found.index, found.count, found.elements, found.ulp) == ((3, 5), 2, 96, 1.0)
    assert found.expected == str(data[3, 5])
    assert dict(found.patterns)["step"] == {"ulp": 1.0}


def test_zero_signs_count_as_bits_and_not_within_a_tolerance() -> None:
    plus, minus = np.zeros(3, np.float32), -np.zeros(3, np.float32)
    assert first_difference(plus, minus).count == 3
    assert first_difference(plus, minus, Tolerance(rtol=0.0, atol=0.0)) is None


def test_within_the_tolerance_is_no_difference(data) -> None:
    assert first_difference(data, data + 1e-6, Tolerance(rtol=0.0, atol=1e-5)) is None
    assert first_difference(data, data + 1e-4, Tolerance(rtol=0.0, atol=1e-5)).count == 96


def test_a_tail_of_zeros(data) -> None:
    got = data.copy()
    got[8:] = 0
    assert patterned(data, got) == {"zero": {}, "tail": {"axis": 0, "start": 8, "stop": 11}}


def test_a_head_that_was_never_written(data) -> None:
    before = np.full_like(data, np.nan)
    got = data.copy()
    got[:, :3] = np.nan
    assert patterned(data, got, before=before) == {"unwritten": {}, "head": {"axis": 1, "stop": 2}}


def test_a_range_of_a_constant(data) -> None:
    got = data.copy()
    got[4:6] = 7
    assert patterned(data, got) == {"constant": {"value": "7.0"}, "range": {"axis": 0, "start": 4, "stop": 5}}


@pytest.mark.parametrize(("axis", "steps"), [(0, 4), (0, -4), (1, 2)])
def test_a_shift(data, axis, steps) -> None:
    found = patterned(data, np.roll(data, steps, axis))
    assert found["shifted"] == {"axis": axis, "steps": steps}


def test_a_factor(data) -> None:
    found = patterned(data, data * np.float32(1.5))
    assert found["factor"]["factor"] == pytest.approx(1.5)
    assert "all" in found


def test_nan_of_narrow_types() -> None:
    expected = np.ones((2, 4), ml_dtypes.bfloat16)
    got = expected.copy()
    got[1] = np.nan
    found = first_difference(expected, got)
    assert (found.index, found.count, found.ulp) == ((1, 0), 4, None)
    assert [name for name, _ in found.patterns] == ["nan", "tail"]


def test_integers_have_no_ulp() -> None:
    found = first_difference(np.arange(6), np.array([0, 1, 2, 3, 9, 5]))
    assert (found.index, found.ulp, found.count) == ((4,), None, 1)


def test_the_text_in_both_languages(data) -> None:
    got = data.copy()
    got[8:] = 0
    found = first_difference(data, got)
    assert "32 of 96 elements differ, the first at [8, 0]" in str(found)
    assert "only indices 8 to 11 of axis 0: the tail" in str(found)
    set_language("zh")
    assert "96 个元素中有 32 个不同" in str(found)
