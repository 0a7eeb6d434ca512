"""Codes of the float types of 8 and 4 bits: every one decoded, and FP32 encoded by every mode, against tables."""

import functools

import ml_dtypes
import numpy as np
import pytest

from openpto.ir.dtypes import DataType
from openpto.ir.enums import CastMode
from openpto.ops import arith
from openpto.ops.math import small_floats as small
from openpto.runtime.reference.evaluate import evaluate

E4M3, E5M2, E8M0, HF8 = small.E4M3, small.E5M2, small.E8M0, small.HF8
E2M1, E1M2 = small.E2M1, small.E1M2
HOSTS = {
    E4M3: ml_dtypes.float8_e4m3fn,
    E5M2: ml_dtypes.float8_e5m2,
    E8M0: ml_dtypes.float8_e8m0fnu,
    E2M1: ml_dtypes.float4_e2m1fn,
}
NEAREST, AWAY = CastMode.CAST_RINT, CastMode.CAST_ROUND
DOWN, UP, INWARD = CastMode.CAST_FLOOR, CastMode.CAST_CEIL, CastMode.CAST_TRUNC


def values(dtype):
    """The values of all codes as the expressions give them."""
    return evaluate(small.decoded(arith.var(arith.U8), dtype), [np.arange(256, dtype=np.uint8)])


def codes(x, dtype, mode=NEAREST, saturate=False):
    return evaluate(small.encoded(arith.var(arith.F32), dtype, mode, saturate), [np.asarray(x, np.float32)])


@pytest.mark.parametrize("dtype", HOSTS, ids=lambda d: d.short)
def test_every_code_against_another_library(dtype):
    count = 16 if dtype is E2M1 else 256
    want = np.arange(count, dtype=np.uint8).view(HOSTS[dtype]).astype(np.float32)
    got = values(dtype)[:count]
    np.testing.assert_array_equal(got, want)
    numbers = ~np.isnan(want)
    np.testing.assert_array_equal(np.signbit(got)[numbers], np.signbit(want)[numbers])


def test_fp4_e1m2_counts_quarters():
    np.testing.assert_array_equal(values(E1M2)[:8], np.arange(8) / 4)
    np.testing.assert_array_equal(values(E1M2)[8:16], -np.arange(8) / 4)
    assert np.signbit(values(E1M2)[8])


def hifloat8(code):
    """The value of a HiFloat8 code, read from its bits as the format is published: prefix, exponent, mantissa."""
    bits = f"{code:08b}"
    sign, body = (-1.0 if bits[0] == "1" else 1.0), bits[1:]
    if code in (0x00, 0x80):
        return 0.0 if code == 0 else np.nan
    if body == "1101111":
        return sign * np.inf
    if body.startswith("0000"):
        return sign * 2.0 ** (int(body[4:], 2) - 23)
    for prefix, width in (("11", 4), ("10", 3), ("01", 2), ("001", 1), ("0001", 0)):
        if body.startswith(prefix):
            field, fraction = body[len(prefix) :][:width], body[len(prefix) + width :]
            exponent = 0
            if field:
                exponent = int("1" + field[1:], 2) * (-1 if field[0] == "1" else 1)
            return sign * 2.0**exponent * (1 + int(fraction, 2) / 2 ** len(fraction))
    raise AssertionError(code)


def test_every_code_of_hifloat8():
    got = values(HF8)
    np.testing.assert_array_equal(got, [hifloat8(code) for code in range(256)])
    assert not np.signbit(got[0])
    finite = got[np.isfinite(got)]
    assert len(set(finite)) == 253
    assert (finite.max(), np.abs(finite[finite != 0]).min()) == (2.0**15, 2.0**-22)
    # As many mantissa bits as published: 3 for exponents of -3 to 3, 2 to 7, 1 to 15, none below.
    for exponent in range(-15, 16):
        binade = finite[(finite >= 2.0**exponent) & (finite < 2.0 ** (exponent + 1))]
        size = abs(exponent)
        assert len(binade) == (8 if size <= 3 else 4 if size <= 7 else 1 if exponent == 15 else 2), exponent


@functools.cache
def table(dtype):
    """Non-negative finite values in ascending order with their codes, and the value that would come next."""
    count = {E4M3: 0x7F, E5M2: 0x7C, HF8: 0x80, E2M1: 8, E1M2: 8}[dtype]
    all_values = values(dtype)[:count].astype(np.float64)
    if dtype is HF8:
        all_values = np.array([hifloat8(code) for code in range(count)])
    order = [c for c in np.argsort(all_values) if np.isfinite(all_values[c])]
    sizes = all_values[order]
    beyond = {E4M3: 480.0, E5M2: 65536.0, HF8: 1.5 * 2.0**15, E2M1: 8.0, E1M2: 2.0}[dtype]
    return sizes, order, beyond


OVER = {E4M3: (0x7F, 0x7E), E5M2: (0x7C, 0x7B), HF8: (0x6F, 0x6E), E2M1: (7, 7), E1M2: (7, 7)}
NAN = {E4M3: 0x7F, E5M2: 0x7E, HF8: 0x80, E2M1: 0, E1M2: 0}
SIGN = {E4M3: 0x80, E5M2: 0x80, HF8: 0x80, E2M1: 8, E1M2: 8}


def expected(x, dtype, mode, saturate):
    """The code of one number: its neighbours in the table and the mode."""
    if np.isnan(x):
        return NAN[dtype]
    sizes, order, beyond = table(dtype)
    size, negative = abs(float(x)), np.signbit(x)
    grid = np.append(sizes, beyond)
    at = int(np.searchsorted(grid, size, "right")) - 1
    over, greatest = OVER[dtype]
    if at == len(sizes):
        step = len(sizes)  # at or above the value that comes next
    else:
        low, high = grid[at], grid[at + 1]
        if size == low:
            step = at
        elif mode is NEAREST and dtype is not HF8:
            near = at + (size - low > high - size)
            tie = size - low == high - size
            even = at if at < len(order) and order[at] % 2 == 0 else at + 1
            step = even if tie else near
        elif mode is AWAY or dtype is HF8:
            step = at + (size - low >= high - size)
        else:
            up = (mode is UP and not negative) or (mode is DOWN and negative)
            step = at + up
    if step < len(sizes):
        code = order[step]
    else:
        inward = mode is INWARD or (mode is DOWN and not negative) or (mode is UP and negative)
        finite = saturate or (inward and not np.isinf(x) and dtype is not HF8)
        code = greatest if finite else over
    if dtype is HF8 and code == 0:
        return 0
    return code | (SIGN[dtype] if negative else 0)


def interesting(dtype):
    sizes, _, beyond = table(dtype)
    grid = np.append(sizes, [beyond, 2 * beyond]).astype(np.float32)
    middle = ((grid[1:].astype(np.float64) + grid[:-1]) / 2).astype(np.float32)
    points = np.concatenate([grid, middle])
    around = np.concatenate([points, np.nextafter(points, np.float32(np.inf)), np.nextafter(points, np.float32(0))])
    rng = np.random.default_rng(3)
    spread = (2.0 ** rng.uniform(-30, 20, 400)).astype(np.float32)
    tiny = np.array([1e-45, 1e-40, 1.1754944e-38, 3.4e38, np.inf, np.nan], np.float32)
    both = np.concatenate([around, spread, tiny])
    return np.concatenate([both, -both])


@pytest.mark.parametrize("saturate", [False, True])
@pytest.mark.parametrize("mode", [NEAREST, AWAY, DOWN, UP, INWARD], ids=lambda m: m.name)
@pytest.mark.parametrize("dtype", [E4M3, E5M2, HF8, E2M1, E1M2], ids=lambda d: d.short)
def test_every_mode_finds_the_neighbour(dtype, mode, saturate):
    x = interesting(dtype)
    want = [expected(v, dtype, mode, saturate) for v in x]
    np.testing.assert_array_equal(codes(x, dtype, mode, saturate), np.array(want, np.uint8))


@pytest.mark.parametrize("dtype", [E4M3, E5M2, E2M1], ids=lambda d: d.short)
def test_nearest_even_against_another_library(dtype):
    x = np.arange(2**16, dtype=np.uint16).view(np.float16).astype(np.float32)
    x = x[np.isfinite(x)]
    want = x.astype(HOSTS[dtype]).view(np.uint8)
    np.testing.assert_array_equal(codes(x, dtype), want)


@pytest.mark.parametrize("dtype", [E4M3, E5M2, HF8, E2M1, E1M2], ids=lambda d: d.short)
def test_codes_come_back(dtype):
    count = 16 if dtype in (E2M1, E1M2) else 256
    kept = values(dtype)[:count]
    numbers = ~np.isnan(kept)
    np.testing.assert_array_equal(codes(kept, dtype)[numbers], np.arange(count)[numbers])


def test_int4_is_signed():
    np.testing.assert_array_equal(values(DataType.DT_INT4)[:16], [*range(8), *range(-8, 0)])
