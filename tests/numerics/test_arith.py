"""The expression language itself: typing, interning, literals, printing."""

from __future__ import annotations

import gc
import math
from concurrent.futures import ThreadPoolExecutor

import pytest

from openpto.ops import arith
from openpto.ops.arith import BF16, BOOL, F16, F32, F64, I8, I32, I64, U8, U32, build, const, const_value, var


def test_equal_expressions_are_one_object():
    x = var(F32)
    assert x + 1 is x + 1.0
    assert x + 1 is not 1 + x
    assert const(0.0, F32) is not const(-0.0, F32)
    assert const(1, F32) is not const(1, F64)


def test_interning_is_safe_under_threads():
    def make(_: int) -> arith.Expr:
        x = var(F32)
        for k in range(200):
            x = x * k + 1
        return x

    with ThreadPoolExecutor(8) as pool:
        assert len({id(e) for e in pool.map(make, range(64))}) == 1


def test_unused_expressions_are_released():
    gc.collect()
    before = len(arith._interned)
    e = var(F32) * 12345.678
    assert len(arith._interned) > before
    del e
    gc.collect()
    assert len(arith._interned) <= before


@pytest.mark.parametrize(
    ("value", "dtype", "pattern"),
    [
        (0.1, F32, 0x3DCCCCCD),
        (math.nan, F32, 0x7FC00000),
        (1e39, F32, 0x7F800000),
        (-1e39, F32, 0xFF800000),
        (-0.0, F64, 0x8000000000000000),
        (-1, I8, 0xFF),
        (255, U8, 255),
        (-(2**63), I64, 2**63),
        (True, BOOL, 1),
    ],
)
def test_literals_have_exact_bits(value, dtype, pattern):
    assert const(value, dtype).attr == pattern


def test_literals_read_back():
    assert const_value(const(-7, I32)) == -7
    assert const_value(const(200, U8)) == 200
    assert const_value(const(0.1, F64)) == 0.1
    assert const_value(const(False, BOOL)) is False


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda: var(F32) + var(F64), TypeError),
        (lambda: var(F16) + var(F16), TypeError),
        (lambda: var(I32) / 2, TypeError),
        (lambda: var(I32) + 0.5, TypeError),
        (lambda: var(U8) + 256, OverflowError),
        (lambda: var(F32) & var(F32), TypeError),
        (lambda: arith.select(var(I32), 1, var(F32)), TypeError),
        (lambda: arith.select(var(BOOL), 1.0, 2.0), TypeError),
        (lambda: arith.bitcast(var(F32), I64), TypeError),
        (lambda: arith.convert(var(F16), I32), TypeError),
        (lambda: arith.convert(var(BF16), F64), TypeError),
        (lambda: arith.fma(var(F64), 1, 1), TypeError),
        (lambda: bool(var(BOOL)), TypeError),
    ],
)
def test_wrong_types_are_refused(make, error):
    with pytest.raises(error):
        make()


def test_expressions_are_immutable():
    with pytest.raises(AttributeError):
        var(F32).dtype = F64


def test_text_names_shared_values():
    x, y = var(F32, 0), var(F32, 1)
    t = x * y
    assert str(t + t) == "t0 = mul(x0, x1); add(t0, t0)"
    assert str(arith.convert(x, I32, saturate=True)) == "convert_int32_sat(x0)"
    assert str(arith.bitcast(x, U32) >> 3) == "lshr(bitcast_uint32(x0), 3)"
    assert repr(x < 1) == "<BOOL lt(x0, 1.0)>"


def test_build_is_cached_by_types():
    def double(v: arith.Expr) -> arith.Expr:
        return v + v

    assert build(double, F32) is build(double, F32)
    assert build(double, I32).dtype is I32


def test_deep_chains_do_not_recurse():
    x = var(F32)
    for _ in range(20000):
        x = x + 1
    assert sum(1 for _ in arith.postorder(x)) == 20002
