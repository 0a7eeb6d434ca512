"""Casts against goldens in exact rational arithmetic and against tables of all values of a target type."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from openpto.ir.dtypes import DataType, numpy_dtype
from openpto.ir.enums import CastMode, SaturationMode
from openpto.runtime.reference.cast import cast

NONE, RINT, ROUND = CastMode.CAST_NONE, CastMode.CAST_RINT, CastMode.CAST_ROUND
FLOOR, CEIL, TRUNC, ODD = CastMode.CAST_FLOOR, CastMode.CAST_CEIL, CastMode.CAST_TRUNC, CastMode.CAST_ODD
ON, OFF = SaturationMode.ON, SaturationMode.OFF
F16, BF16, F32, F64 = DataType.DT_FP16, DataType.DT_BF16, DataType.DT_FP32, DataType.DT_DOUBLE
I8, I16, I32, I64 = DataType.DT_INT8, DataType.DT_INT16, DataType.DT_INT32, DataType.DT_INT64
U8, U16, U32, U64 = DataType.DT_UINT8, DataType.DT_UINT16, DataType.DT_UINT32, DataType.DT_UINT64
BOOL = DataType.DT_BOOL
INTS = (I8, I16, I32, I64, U8, U16, U32, U64)

ROUNDING = {
    RINT: round,
    FLOOR: math.floor,
    CEIL: math.ceil,
    TRUNC: math.trunc,
    ROUND: lambda q: math.floor(abs(q) + Fraction(1, 2)) * (1 if q > 0 else -1),
}


def to_int(value: float, dtype: DataType, mode: CastMode, saturation: SaturationMode) -> int:
    """The documented rule, in Python integers."""
    info = np.iinfo(numpy_dtype(dtype))
    if math.isnan(value):
        return 0
    if math.isinf(value):
        return int(info.max if value > 0 else info.min)
    whole = ROUNDING[TRUNC if mode in (NONE, ODD) else mode](Fraction(value))
    if saturation is ON:
        return max(int(info.min), min(int(info.max), whole))
    low = whole % 2**info.bits
    return low - 2**info.bits if low > info.max else low


def interesting_floats(rng: np.random.Generator) -> np.ndarray:
    edges = [0.0, 0.3, 0.5, 1.5, 2.5, 0.49999997, 2**23 - 0.5, 2**23 + 1, math.inf, math.nan, 300.0, 1e10, 1e30, 3e38]
    for bits in (7, 8, 15, 16, 31, 32, 63, 64):
        centre = np.float32(2.0**bits)
        edges += [centre, np.nextafter(centre, np.float32(0)), np.nextafter(centre, np.float32(np.inf))]
        edges += [2.0**bits - 0.5, 2.0**bits - 1, 2.0**bits + 0.5, 1.5 * 2.0**bits]
    values = np.array(edges, np.float32)
    random = rng.integers(0, 2**32, 3000, dtype=np.uint32).view(np.float32)
    moderate = (rng.standard_normal(3000) * 2.0 ** rng.integers(-4, 70, 3000)).astype(np.float32)
    halves = (rng.integers(-(2**17), 2**17, 3000) / 2).astype(np.float32)
    return np.concatenate([values, -values, random, moderate, halves])


@pytest.mark.parametrize("target", INTS)
@pytest.mark.parametrize("mode", [NONE, RINT, ROUND, FLOOR, CEIL, TRUNC, ODD])
@pytest.mark.parametrize("saturation", [ON, OFF])
def test_fp32_to_integers(target, mode, saturation):
    x = interesting_floats(np.random.default_rng(1))
    expected = np.array([to_int(float(v), target, mode, saturation) for v in x], numpy_dtype(target))
    np.testing.assert_array_equal(cast(x, target, mode, saturation), expected)


@pytest.mark.parametrize("target", [I32, I64, U8, U64])
@pytest.mark.parametrize("saturation", [ON, OFF])
def test_double_to_integers(target, saturation):
    rng = np.random.default_rng(2)
    near = [2.0**b + d for b in (8, 31, 32, 52, 53) for d in (-1, -0.5, 0, 0.5, 1)] + [2.0**63, 2.0**64, 1e300, -0.5]
    x = np.array([*near, *(-v for v in near), math.inf, -math.inf, math.nan, *(rng.standard_normal(2000) * 1e12)])
    expected = np.array([to_int(float(v), target, NONE, saturation) for v in x], numpy_dtype(target))
    np.testing.assert_array_equal(cast(x, target, NONE, saturation), expected)


@pytest.mark.parametrize("source", [F16, BF16])
@pytest.mark.parametrize("target", [I8, U8, I16, I32])
@pytest.mark.parametrize("mode", [NONE, RINT, ROUND, FLOOR, CEIL])
@pytest.mark.parametrize("saturation", [ON, OFF])
def test_every_half_to_integers(source, target, mode, saturation):
    x = every_half(source)
    expected = all_to_int(source, target, mode, saturation)
    np.testing.assert_array_equal(cast(x, target, mode, saturation), expected)


@cache
def all_rounded(source: DataType, mode: CastMode) -> np.ndarray:
    """Python integers for every pattern of a 16-bit type; NaN and infinities as 0."""
    step = ROUNDING[TRUNC if mode is NONE else mode]
    return np.array([step(Fraction(v)) if math.isfinite(v) else 0 for v in decode_all(source)], dtype=object)


def all_to_int(source: DataType, target: DataType, mode: CastMode, saturation: SaturationMode) -> np.ndarray:
    info, whole, values = np.iinfo(numpy_dtype(target)), all_rounded(source, mode), decode_all(source)
    low, high = int(info.min), int(info.max)
    result = np.clip(whole, low, high) if saturation is ON else (whole - low) % 2**info.bits + low
    result = np.where(values == np.inf, high, np.where(values == -np.inf, low, result))
    return result.astype(numpy_dtype(target))


def every_half(dtype: DataType) -> np.ndarray:
    return np.arange(2**16, dtype=np.uint16).view(numpy_dtype(dtype))


@pytest.mark.parametrize("source", [F16, BF16])
def test_every_half_widens_exactly(source):
    x = every_half(source)
    expected = decode_all(source)
    result = cast(x, F32)
    np.testing.assert_array_equal(result.astype(np.float64), expected)
    assert (np.signbit(result) == (np.signbit(expected) & ~np.isnan(expected))).all()
    assert (result[np.isnan(expected)].view(np.uint32) == 0x7FC00000).all()
    numbers = ~np.isnan(expected)
    np.testing.assert_array_equal(cast(result, source)[numbers].view(np.uint16), x[numbers].view(np.uint16))


@cache
def decode_all(dtype: DataType) -> np.ndarray:
    layout = {F16: (10, 5, 15), BF16: (7, 8, 127)}[dtype]
    return np.array([decoded(bits, *layout) for bits in range(2**16)])


def decoded(bits: int, mantissa: int, exponent: int, bias: int) -> float:
    sign = -1.0 if bits >> (mantissa + exponent) else 1.0
    e, m = (bits >> mantissa) & (2**exponent - 1), bits & (2**mantissa - 1)
    if e == 2**exponent - 1:
        return sign * (math.nan if m else math.inf)
    return sign * (m if e == 0 else m + 2**mantissa) * 2.0 ** (max(e, 1) - bias - mantissa)


def narrowed(x: np.ndarray, target: DataType, mode: CastMode) -> np.ndarray:
    """FP32 (as exact FP64) to a 16-bit float by search in the table of its magnitudes; the step after the greatest
    finite value counts as infinity, as IEEE rounds."""
    mantissa, top, smallest = {F16: (10, 2.0**16, 2.0**-24), BF16: (7, 2.0**128, 2.0**-133)}[target]
    finite = every_half(target)[: {F16: 0x7C00, BF16: 0x7F80}[target]].astype(np.float64)
    table = np.append(finite, top)
    assert table[1] == smallest
    size = np.abs(x)
    below = np.clip(np.searchsorted(table, size, side="right") - 1, 0, len(finite) - 1)
    low, high = table[below], table[below + 1]
    exact = low == size
    tie, near_high = size - low == high - size, size - low > high - size
    if mode is ODD:
        up = below % 2 == 0
    else:
        up = {
            RINT: near_high | (tie & (below % 2 == 1)),
            ROUND: near_high | tie,
            FLOOR: x < 0,
            CEIL: x > 0,
            TRUNC: np.zeros(x.shape, bool),
        }[mode]
    index = np.where(exact, below, below + up)
    index = np.where(np.isinf(x), len(finite), index)
    bits = np.where(np.isnan(x), len(finite) | 1 << (mantissa - 1), index).astype(np.uint16)
    return bits | np.where(np.signbit(x) & ~np.isnan(x), 0x8000, 0).astype(np.uint16)


@pytest.mark.parametrize(
    ("target", "mode"),
    [(F16, m) for m in (RINT, ROUND, FLOOR, CEIL, TRUNC, ODD)] + [(BF16, m) for m in (RINT, ROUND, FLOOR, CEIL, TRUNC)],
)
def test_fp32_to_halves(target, mode):
    every = every_half(target).astype(np.float32)
    every = every[np.isfinite(every)]
    with np.errstate(all="ignore"):
        middle = ((every[:-1].astype(np.float64) + every[1:]) / 2).astype(np.float32)
    beside = [np.nextafter(middle, np.float32(s)) for s in (-np.inf, np.inf)]
    limits = np.array([65504, 65519.996, 65520, 65535, 65536, 1e38, 3.3961e38, 3.4e38, 1e-8, 1e-45, 0], np.float32)
    random = np.random.default_rng(3).integers(0, 2**32, 200_000, dtype=np.uint32).view(np.float32)
    special = np.array([np.inf, -np.inf, np.nan, -0.0], np.float32)
    x = np.concatenate([every, middle, *beside, limits, -limits, random, special])
    with np.errstate(all="ignore"):
        wide = x.astype(np.float64)
    np.testing.assert_array_equal(cast(x, target, mode).view(np.uint16), narrowed(wide, target, mode))


def test_default_and_unknown_modes_round_to_nearest_even():
    x = np.array([1.00048828125, 1.00146484375, 65520.0], np.float32)  # two ties of FP16, then overflow
    np.testing.assert_array_equal(cast(x, F16).astype(np.float64), [1.0, 1.001953125, np.inf])
    tie = np.array([1.00390625, 1.01171875], np.float32)  # ties of BF16
    np.testing.assert_array_equal(cast(tie, BF16, ODD).astype(np.float64), [1.0, 1.015625])


def integer_as_float(value: int, mode: CastMode) -> float:
    size, shift = abs(value), max(0, abs(value).bit_length() - 24)
    away = {FLOOR: value < 0, CEIL: value > 0, TRUNC: False}
    low, rest, half = size >> shift, size & ((1 << shift) - 1), (1 << shift) >> 1
    if rest and (away.get(mode) or (mode is ROUND and rest >= half)):
        low += 1
    if mode in (NONE, RINT) and (rest > half or (rest == half and rest and low % 2)):
        low += 1
    return math.copysign(float(low << shift), value) if value else 0.0


@pytest.mark.parametrize("source", [I32, I64, U32, U64])
@pytest.mark.parametrize("mode", [NONE, RINT, ROUND, FLOOR, CEIL, TRUNC])
def test_integers_to_fp32(source, mode):
    rng = np.random.default_rng(4)
    info = np.iinfo(numpy_dtype(source))
    values = {0, 1, int(info.max), int(info.max) - 1, int(info.min), int(info.min) + 1}
    for bits in range(23, info.bits):
        for part in (0, 1, 2, 3):
            for offset in (-1, 0, 1):
                values |= {2**bits + part * 2 ** max(0, bits - 25) + offset, -(2**bits) - part * 2 ** max(0, bits - 25)}
    values |= {int(v) >> int(s) for v, s in zip(rng.integers(-(2**63), 2**63 - 1, 3000), rng.integers(0, 60, 3000))}
    x = np.array(sorted(v for v in values if info.min <= v <= info.max), numpy_dtype(source))
    expected = np.array([integer_as_float(int(v), mode) for v in x])
    np.testing.assert_array_equal(cast(x, F32, mode).astype(np.float64), expected)


@pytest.mark.parametrize("mode", [NONE, RINT, ROUND, FLOOR, CEIL, TRUNC])
def test_every_int16_to_fp16(mode):
    x = np.arange(-(2**15), 2**15, dtype=np.int16)
    expected = narrowed(x.astype(np.float64), F16, RINT if mode is NONE else mode)
    np.testing.assert_array_equal(cast(x, F16, mode).view(np.uint16), expected)


@pytest.mark.parametrize("source", INTS)
@pytest.mark.parametrize("target", INTS)
def test_integers_to_integers(source, target):
    rng = np.random.default_rng(5)
    have, want = np.iinfo(numpy_dtype(source)), np.iinfo(numpy_dtype(target))
    edges = [v + d for b in (7, 8, 15, 16, 31, 32, 63, 64) for v in (2**b, -(2**b)) for d in (-1, 0, 1)] + [0]
    picked = [v for v in edges if have.min <= v <= have.max]
    x = np.concatenate([np.array(picked, numpy_dtype(source)), np.frombuffer(rng.bytes(8000), numpy_dtype(source))])
    wrapped = [int(v) % 2**want.bits for v in x]
    wrapped = [v - 2**want.bits if v > want.max else v for v in wrapped]
    clamped = [max(int(want.min), min(int(want.max), int(v))) for v in x]
    np.testing.assert_array_equal(cast(x, target), np.array(wrapped, numpy_dtype(target)))
    np.testing.assert_array_equal(cast(x, target, NONE, ON), np.array(clamped, numpy_dtype(target)))


@pytest.mark.parametrize("dtype", [F32, F64, F16, BF16, *INTS])
def test_bool(dtype):
    x = np.array([0, 1, 2, 100], numpy_dtype(dtype))
    np.testing.assert_array_equal(cast(x, BOOL), [False, True, True, True])
    back = cast(np.array([False, True]), dtype)
    assert back.dtype == numpy_dtype(dtype)
    np.testing.assert_array_equal(back.astype(np.float64), [0, 1])


def test_bool_of_special_floats():
    x = np.array([-0.0, np.nan, -np.inf, 1e-45], np.float32)
    np.testing.assert_array_equal(cast(x, BOOL), [False, True, True, True])


def test_fp32_to_fp32_rounds_to_integral_values():
    x = np.array([-2.5, -0.5, -0.0, 0.49999997, 0.5, 1.5, 8388607.5, 1e30, np.inf], np.float32)
    expected = {
        NONE: x,
        RINT: x,
        ROUND: [-3, -1, -0.0, 0, 1, 2, 8388608, 1e30, np.inf],
        FLOOR: [-3, -1, -0.0, 0, 0, 1, 8388607, 1e30, np.inf],
        CEIL: [-2, -0.0, -0.0, 1, 1, 2, 8388608, 1e30, np.inf],
        TRUNC: [-2, -0.0, -0.0, 0, 0, 1, 8388607, 1e30, np.inf],
    }
    for mode, values in expected.items():
        wanted = np.array(values, np.float32)
        np.testing.assert_array_equal(cast(x, F32, mode).view(np.uint32), wanted.view(np.uint32))


def test_double_and_fp32():
    rng = np.random.default_rng(6)
    x = np.concatenate([rng.standard_normal(5000) * 10.0 ** rng.integers(-46, 40, 5000), [1e39, -1e39, 1e-46, np.inf]])
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(cast(x, F32), x.astype(np.float32))
        nearest = x.astype(np.float32)
    down, up = cast(x, F32, FLOOR).astype(np.float64), cast(x, F32, CEIL).astype(np.float64)
    assert (down <= x).all()
    assert (up >= x).all()
    assert ((down == nearest) | (up == nearest)).all()
    narrow = nearest[np.isfinite(nearest)]
    np.testing.assert_array_equal(cast(narrow, F64), narrow.astype(np.float64))


def test_refused_pairs():
    with pytest.raises(TypeError, match="no cast"):
        cast(np.zeros(2), F16)
    with pytest.raises(TypeError, match="no counterpart"):
        cast(np.zeros(2, np.complex64), F16)
