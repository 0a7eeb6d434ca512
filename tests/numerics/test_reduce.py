"""Reductions: the order of additions in scalar Python steps, special values, integers, shapes."""

from __future__ import annotations

import math

import numpy as np
import pytest

from openpto.runtime.reference import reduce as module
from openpto.runtime.reference.reduce import reduce_amax, reduce_amin, reduce_prod, reduce_sum


def scalar_lanes(values: np.ndarray, identity: float, combine) -> np.ndarray:
    """The documented order, one element at a time in FP32."""
    with np.errstate(all="ignore"):
        lanes = [values.dtype.type(identity)] * 16
        for i, v in enumerate(values):
            lanes[i % 16] = combine(lanes[i % 16], v)
        for half in (8, 4, 2, 1):
            lanes = [combine(lanes[j], lanes[j + half]) for j in range(half)]
        return lanes[0]


def scalar_ascending(values: np.ndarray, identity: float, combine) -> np.ndarray:
    with np.errstate(all="ignore"):
        total = values.dtype.type(identity)
        for v in values:
            total = combine(total, v)
        return total


def add(x, y):
    return x + y


def multiply(x, y):
    return x * y


def bits(x) -> np.ndarray:
    x = np.asarray(x)
    return np.where(np.isnan(x), x.dtype.type(np.nan), x).view(f"u{x.dtype.itemsize}")


CASES = [(reduce_sum, -0.0, add), (reduce_prod, 1.0, multiply)]


@pytest.mark.parametrize(("reduce", "identity", "combine"), CASES)
@pytest.mark.parametrize("count", [1, 2, 15, 16, 17, 31, 32, 100, 257])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_last_axis_uses_sixteen_lanes(reduce, identity, combine, count, dtype):
    x = (np.random.default_rng(count).standard_normal((7, count)) * 10).astype(dtype)
    expected = np.array([scalar_lanes(row, identity, combine) for row in x], dtype)
    np.testing.assert_array_equal(bits(reduce(x, 1)), bits(expected))


@pytest.mark.parametrize(("reduce", "identity", "combine"), CASES)
@pytest.mark.parametrize("shape", [(5, 3), (300, 4), (3, 4000), (1, 2)])
def test_other_axes_ascend(reduce, identity, combine, shape):
    x = np.random.default_rng(1).standard_normal(shape).astype(np.float32)
    expected = np.array([scalar_ascending(x[:, j], identity, combine) for j in range(shape[1])], np.float32)
    np.testing.assert_array_equal(bits(reduce(x, 0)), bits(expected))


def test_wide_and_narrow_paths_agree(monkeypatch):
    x = np.random.default_rng(2).standard_normal((500, 200)).astype(np.float32)
    usual = [bits(reduce_sum(x, axis)) for axis in (0, 1)]
    for limit, chunk in ((0, 4096), (10**9, 3), (10**9, 4096)):
        monkeypatch.setattr(module, "NARROW", limit)
        monkeypatch.setattr(module, "CHUNK", chunk)
        for axis in (0, 1):
            np.testing.assert_array_equal(bits(reduce_sum(x, axis)), usual[axis])


def test_layout_does_not_matter():
    x = np.random.default_rng(3).standard_normal((40, 6, 50)).astype(np.float32)
    for axis in range(3):
        expected = bits(reduce_sum(np.ascontiguousarray(x), axis))
        np.testing.assert_array_equal(bits(reduce_sum(np.asfortranarray(x), axis)), expected)
        big = np.zeros((80, 6, 100), np.float32)
        big[::2, :, ::2] = x
        np.testing.assert_array_equal(bits(reduce_sum(big[::2, :, ::2], axis)), expected)


def test_several_axes_count_as_one_in_row_major_order():
    x = np.random.default_rng(4).standard_normal((3, 5, 7)).astype(np.float32)
    joined = x.transpose(1, 0, 2).reshape(5, 21)
    np.testing.assert_array_equal(bits(reduce_sum(x, (0, 2))), bits(reduce_sum(joined, 1)))
    np.testing.assert_array_equal(bits(reduce_sum(x, (1, 0))), bits(reduce_sum(x.reshape(15, 7), 0)))
    assert reduce_sum(x, (0, 2), keepdim=True).shape == (1, 5, 1)
    assert reduce_sum(x, [0, 1, 2]).shape == ()


@pytest.mark.parametrize("reduce", [reduce_sum, reduce_prod, reduce_amax, reduce_amin])
@pytest.mark.parametrize("dtype", [np.float32, np.int32, np.int64])
def test_shapes(reduce, dtype):
    x = np.ones((2, 3, 4), dtype)
    for axis, kept, gone in ((0, (1, 3, 4), (3, 4)), (1, (2, 1, 4), (2, 4)), (-1, (2, 3, 1), (2, 3))):
        assert reduce(x, axis, keepdim=True).shape == kept
        assert reduce(x, axis).shape == gone
        assert reduce(x, axis).dtype == dtype
    assert reduce(np.ones(5, dtype), 0, keepdim=True).shape == (1,)


def test_zeros_keep_their_sign():
    negative = np.full((2, 20), -0.0, np.float32)
    assert np.signbit(reduce_sum(negative, 1)).all()
    assert np.signbit(reduce_sum(negative, 0)).all()
    assert not np.signbit(reduce_sum(np.zeros((1, 3), np.float32), 1)).any()
    mixed = np.array([[-0.0, 0.0], [0.0, -0.0], [-0.0, -0.0], [-0.0, -1.0], [-0.0, 1.0]], np.float32)
    assert np.signbit(reduce_amax(mixed, 1)).tolist() == [False, False, True, True, False]
    assert np.signbit(reduce_amin(mixed, 1)).tolist() == [True, True, True, True, True]


def test_empty_reductions():
    x = np.zeros((3, 0), np.float32)
    assert not np.signbit(reduce_sum(x, 1)).any()
    assert reduce_sum(x, 1).tolist() == [0, 0, 0]
    assert reduce_prod(x, 1).tolist() == [1, 1, 1]
    assert reduce_amax(x, 1).tolist() == [-math.inf] * 3
    assert reduce_amin(x, 1).tolist() == [math.inf] * 3
    whole = np.zeros((0, 2), np.int32)
    assert reduce_amax(whole, 0).tolist() == [-(2**31)] * 2
    assert reduce_amin(whole, 0).tolist() == [2**31 - 1] * 2
    assert reduce_sum(whole, 0).tolist() == [0, 0]
    assert reduce_prod(whole, 0).tolist() == [1, 1]
    assert reduce_sum(x, 0).shape == (0,)


def test_nan_and_infinities():
    x = np.array([[1, np.nan, -np.inf], [np.inf, 2, -np.inf], [-np.inf, -np.inf, -np.inf]], np.float32)
    x[0, 1] = np.array(0xFFC12345, np.uint32).view(np.float32)  # a negative NaN with a payload
    for reduce, expected in ((reduce_amax, [np.nan, np.inf, -np.inf]), (reduce_amin, [np.nan, -np.inf, -np.inf])):
        result = reduce(x, 1)
        np.testing.assert_array_equal(result, np.array(expected, np.float32))
        assert result.view(np.uint32)[0] == 0x7FC00000
    np.testing.assert_array_equal(reduce_sum(x, 1), np.array([np.nan, np.nan, -np.inf], np.float32))


def test_random_extremes():
    x = np.random.default_rng(5).integers(0, 2**32, (50, 70), dtype=np.uint32).view(np.float32)
    for axis in (0, 1):
        rows = x if axis == 1 else x.T
        for reduce, pick in ((reduce_amax, max), (reduce_amin, min)):
            expected = [math.nan if np.isnan(r).any() else pick(r.tolist()) for r in rows]
            np.testing.assert_array_equal(reduce(x, axis), np.array(expected, np.float32))


@pytest.mark.parametrize("dtype", [np.int16, np.int32, np.int64, np.uint8])
def test_integers_wrap(dtype):
    info = np.iinfo(dtype)
    x = np.random.default_rng(6).integers(info.min, info.max, (4, 33), dtype=dtype, endpoint=True)

    def wrapped(value: int) -> int:
        low = value % 2**info.bits
        return low - 2**info.bits if low > info.max else low

    assert reduce_sum(x, 1).tolist() == [wrapped(sum(r)) for r in x.tolist()]
    assert reduce_prod(x, 1).tolist() == [wrapped(math.prod(r)) for r in x.tolist()]
    assert reduce_amax(x, 0).tolist() == [max(c) for c in x.T.tolist()]
    assert reduce_amin(x, 0).tolist() == [min(c) for c in x.T.tolist()]
    assert reduce_sum(x, 1).dtype == dtype


def test_booleans():
    x = np.array([[True, False], [False, False], [True, True]])
    assert reduce_amax(x, 1).tolist() == [True, False, True]
    assert reduce_amin(x, 1).tolist() == [False, False, True]
    assert reduce_amin(x, 0, keepdim=True).shape == (1, 2)
    with pytest.raises(TypeError):
        reduce_sum(x, 1)
    with pytest.raises(TypeError):
        reduce_sum(np.ones(3, np.float16), 0)
