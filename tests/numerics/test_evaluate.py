"""Evaluation of expressions: every primitive against an independent value, blocks, views, aliasing."""

from __future__ import annotations

import math

import numpy as np
import pytest

from openpto.ir.dtypes import numpy_dtype
from openpto.ops import arith
from openpto.ops.arith import BOOL, F32, F64, I8, I16, I32, I64, INTEGERS, SIGNED, U8, U32, U64, build
from openpto.runtime.reference import evaluate as module
from openpto.runtime.reference.evaluate import evaluate

SPECIAL = [0.0, -0.0, 1.0, -1.0, math.inf, -math.inf, math.nan, 1e-45, -1e-45, 3.4e38, 0.5, 1.5, 2.5, -2.5]


def pairs() -> tuple[np.ndarray, np.ndarray]:
    x, y = np.meshgrid(np.array(SPECIAL, np.float32), np.array(SPECIAL, np.float32))
    return x.ravel(), y.ravel()


def same_bits(a: np.ndarray, b: np.ndarray) -> None:
    assert a.dtype == b.dtype
    bits = f"u{a.dtype.itemsize}"
    wrong = (a.view(bits) != b.view(bits)) & ~((a != a) & (b != b))
    assert not wrong.any(), np.argwhere(wrong)[:3]


def ordered(x: float, y: float, greatest: bool) -> float:
    if math.isnan(x) or math.isnan(y):
        return math.nan
    if x == y == 0:
        signs = (math.copysign(1, x), math.copysign(1, y))
        return math.copysign(0.0, max(signs) if greatest else min(signs))
    return max(x, y) if greatest else min(x, y)


@pytest.mark.parametrize("dtype", [F32, F64])
@pytest.mark.parametrize("greatest", [True, False])
def test_float_extremes_order_zeros_and_keep_nan(dtype, greatest):
    x, y = (v.astype(numpy_dtype(dtype)) for v in pairs())
    fn = arith.maximum if greatest else arith.minimum
    expected = np.array([ordered(float(a), float(b), greatest) for a, b in zip(x, y)], x.dtype)
    same_bits(evaluate(build(fn, dtype, dtype), [x, y]), expected)


def test_comparisons_are_ordered_except_ne():
    x, y = pairs()
    functions = {
        arith.eq: lambda a, b: a == b, arith.ne: lambda a, b: a != b,
        (lambda a, b: a < b): lambda a, b: a < b, (lambda a, b: a <= b): lambda a, b: a <= b,
        (lambda a, b: a > b): lambda a, b: a > b, (lambda a, b: a >= b): lambda a, b: a >= b,
    }  # fmt: skip
    for ours, golden in functions.items():
        expected = [golden(float(a), float(b)) for a, b in zip(x, y)]
        np.testing.assert_array_equal(evaluate(build(ours, F32, F32), [x, y]), expected)


def test_float_rounding_keeps_the_sign_of_zero():
    x = np.array([-0.3, 0.3, -0.0, 2.5, 3.5, -2.5, -2.7, 8388609.0, np.inf], np.float32)
    for fn, golden in ((arith.rint, round), (arith.floor, math.floor), (arith.ceil, math.ceil), (arith.trunc, int)):
        values = [math.copysign(golden(float(v)), v) if math.isfinite(v) else v for v in x]
        same_bits(evaluate(build(fn, F32), [x]), np.array(values, np.float32))


def test_sign_operations_touch_only_the_sign():
    x = np.array(SPECIAL, np.float32)
    negated = evaluate(build(lambda v: -v, F32), [x])
    assert (np.signbit(negated) != np.signbit(x)).all()
    assert not np.signbit(evaluate(build(abs, F32), [x])).any()
    sign = np.array([1.0, -1.0] * 7, np.float32)
    same_bits(evaluate(build(arith.copysign, F32, F32), [x, sign]), np.copysign(x, sign))


@pytest.mark.parametrize("dtype", sorted(INTEGERS))
def test_integers_wrap(dtype):
    info = np.iinfo(numpy_dtype(dtype))
    rng = np.random.default_rng(1)
    edges = np.array([info.min, info.max, 0, 1, info.max - 1, info.max // 2], numpy_dtype(dtype))
    x = np.concatenate([np.repeat(edges, 6), np.frombuffer(rng.bytes(800), edges.dtype)])
    y = np.concatenate([np.tile(edges, 6), np.frombuffer(rng.bytes(800), edges.dtype)])

    def wrapped(value: int) -> int:
        low = value % 2**info.bits
        return low - 2**info.bits if low > info.max else low

    table = {
        "add": (lambda a, b: a + b, lambda a, b: a + b),
        "sub": (lambda a, b: a - b, lambda a, b: a - b),
        "mul": (lambda a, b: a * b, lambda a, b: a * b),
        "and": (lambda a, b: a & b, lambda a, b: a & b),
        "or": (lambda a, b: a | b, lambda a, b: a | b),
        "xor": (lambda a, b: a ^ b, lambda a, b: a ^ b),
        "min": (arith.minimum, min),
        "max": (arith.maximum, max),
    }
    for name, (ours, golden) in table.items():
        expected = np.array([wrapped(golden(int(a), int(b))) for a, b in zip(x, y)], x.dtype)
        np.testing.assert_array_equal(evaluate(build(ours, dtype, dtype), [x, y]), expected, err_msg=name)
    for ours, golden in ((lambda a: -a, lambda a: -a), (lambda a: ~a, lambda a: ~a), (abs, abs)):
        expected = np.array([wrapped(golden(int(a))) for a in x], x.dtype)
        np.testing.assert_array_equal(evaluate(build(ours, dtype), [x]), expected)


@pytest.mark.parametrize("dtype", [I8, I16, I32, I64, U8, U32, U64])
def test_shifts_are_total(dtype):
    info = np.iinfo(numpy_dtype(dtype))
    values = [info.min, info.max, 1, info.max // 3, 0]
    amounts = [0, 1, info.bits - 1, info.bits, info.bits + 1, info.max] + ([-1, info.min] if info.min else [])
    x = np.repeat(np.array(values, numpy_dtype(dtype)), len(amounts))
    y = np.tile(np.array(amounts, numpy_dtype(dtype)), len(values))

    def as_type(value: int) -> int:
        low = value % 2**info.bits
        return low - 2**info.bits if low > info.max else low

    def golden(kind: str, a: int, b: int) -> int:
        inside = 0 <= b < info.bits
        if kind == "ashr":
            return a >> (b if inside else info.bits - 1)
        if not inside:
            return 0
        return as_type(a << b) if kind == "shl" else as_type((a % 2**info.bits) >> b)

    functions = {"shl": lambda a, b: a << b, "lshr": arith.lshr}
    if dtype in SIGNED:
        functions["ashr"] = lambda a, b: a >> b
    for kind, ours in functions.items():
        expected = np.array([golden(kind, int(a), int(b)) for a, b in zip(x, y)], x.dtype)
        np.testing.assert_array_equal(evaluate(build(ours, dtype, dtype), [x, y]), expected, err_msg=kind)


def test_boolean_logic():
    a, b = np.array([0, 0, 1, 1], bool), np.array([0, 1, 0, 1], bool)
    run = lambda fn: evaluate(build(fn, BOOL, BOOL), [a, b]).tolist()
    assert run(lambda x, y: x & y) == [False, False, False, True]
    assert run(lambda x, y: x | y) == [False, True, True, True]
    assert run(lambda x, y: x ^ y) == [False, True, True, False]
    assert run(lambda x, y: ~x & y) == [False, True, False, False]


def test_bits_of_shows_the_canonical_nan():
    x = np.array([0xFFC00001, 0x7F800001, 0x80000000, 0x3F800000], np.uint32).view(np.float32)
    bits = evaluate(build(lambda v: arith.bits_of(v, I32), F32), [x]).view(np.uint32)
    assert bits.tolist() == [0x7FC00000, 0x7FC00000, 0x80000000, 0x3F800000]


def test_select_takes_whole_values():
    c = np.array([True, False])
    result = evaluate(build(arith.select, BOOL, F32, F32), [c, np.float32([-0.0, 1]), np.float32([2, np.nan])])
    assert np.signbit(result[0])
    assert np.isnan(result[1])


@pytest.mark.parametrize("shape", [(), (0,), (3, 0, 2), (5,), (300, 700), (7, 5, 3, 911), (1, 70000), (70000, 1)])
def test_blocks_cover_every_shape(shape):
    rng = np.random.default_rng(2)
    x = np.asarray(rng.standard_normal(shape), np.float32)
    result = evaluate(build(lambda v: v * v + arith.maximum(v, 0.0), F32), [x])
    assert result.shape == shape
    np.testing.assert_array_equal(result, x * x + np.where(x > 0, x, np.float32(0)))


def test_operands_broadcast_and_may_be_strided():
    rng = np.random.default_rng(3)
    base = rng.standard_normal((400, 300)).astype(np.float32)
    x, y = base.T[::2, ::-1], rng.standard_normal(400).astype(np.float32)
    result = evaluate(build(lambda a, b: arith.bitcast(arith.bitcast(a, I32), F32) - b * 2.0, F32, F32), [x, y])
    np.testing.assert_array_equal(result, x - y * np.float32(2))
    scalar = evaluate(build(lambda a, b: a + b, F32, F32), [x, 1.5])
    np.testing.assert_array_equal(scalar, x + np.float32(1.5))


def test_the_result_may_replace_an_operand():
    x = np.linspace(-3, 3, 50_000, dtype=np.float32)
    expected = np.where(x > 1, x, 1).astype(np.float32)
    out = evaluate(build(lambda v: arith.maximum(v, 1.0), F32), [x], out=x)
    assert out is x
    np.testing.assert_array_equal(x, expected)


def test_plain_operands_and_literals_are_copied():
    x = np.arange(4, dtype=np.float32)
    copy = evaluate(build(lambda v: v, F32), [x])
    assert not np.shares_memory(copy, x)
    np.testing.assert_array_equal(copy, x)
    constant = evaluate(build(lambda v: arith.const(2.0, F32), F32), [x])
    np.testing.assert_array_equal(constant, [2, 2, 2, 2])
    swapped = evaluate(build(lambda a, b: b, F32, F32), [x, x + 1])
    np.testing.assert_array_equal(swapped, x + 1)


def test_wrong_element_types_are_refused():
    expr = build(lambda v: v + 1, F32)
    with pytest.raises(TypeError, match="expected float32"):
        evaluate(expr, [np.zeros(3)])
    with pytest.raises(TypeError, match="out must be"):
        evaluate(expr, [np.zeros(3, np.float32)], out=np.zeros(4, np.float32))


def test_no_floating_point_warning_escapes():
    with np.errstate(all="raise"):
        evaluate(build(lambda v: v / 0.0 + arith.sqrt(v), F32), [np.array([-1.0, 3e38, np.nan], np.float32)])


def test_random_expressions_match_machine_code():
    """Random graphs over all primitives, evaluated here and compiled: equal bits, NaNs apart."""
    llvm_engine = pytest.importorskip("fit.llvm_engine", reason="needs llvmlite")
    rng = np.random.default_rng(4)
    for _ in range(25):
        expr = random_expression(rng)
        x = rng.integers(0, 2**32, 4000, dtype=np.uint32).view(np.float32)
        y = rng.standard_normal(4000).astype(np.float32)
        z = rng.integers(-(2**31), 2**31, 4000).astype(np.int32)
        same_bits(evaluate(expr, [x, y, z]), llvm_engine.run(expr, [x, y, z]))
    assert module.BLOCK > 4000


def random_expression(rng: np.random.Generator) -> arith.Expr:
    reals = [arith.var(F32, 0), arith.var(F32, 1), arith.const(0.5, F32), arith.const(-0.0, F32)]
    whole = [arith.var(I32, 2), arith.const(3, I32)]
    flags = [arith.is_nan(reals[0])]
    pick = lambda pool: pool[int(rng.integers(len(pool)))]
    real_steps = [
        lambda: pick(reals) + pick(reals), lambda: pick(reals) - pick(reals), lambda: pick(reals) * pick(reals),
        lambda: pick(reals) / pick(reals), lambda: arith.fma(pick(reals), pick(reals), pick(reals)),
        lambda: arith.sqrt(abs(pick(reals))), lambda: arith.maximum(pick(reals), pick(reals)),
        lambda: arith.minimum(pick(reals), pick(reals)), lambda: arith.rint(pick(reals)),
        lambda: arith.floor(pick(reals)), lambda: arith.trunc(pick(reals)), lambda: -pick(reals),
        lambda: arith.select(pick(flags), pick(reals), pick(reals)), lambda: arith.convert(pick(whole), F32),
        lambda: arith.convert(arith.convert(pick(reals), F64) * 1.5, F32),
    ]  # fmt: skip
    whole_steps = [
        lambda: pick(whole) + pick(whole), lambda: pick(whole) * pick(whole), lambda: pick(whole) ^ pick(whole),
        lambda: pick(whole) << (pick(whole) & 63), lambda: pick(whole) >> (pick(whole) & 63),
        lambda: arith.lshr(pick(whole), pick(whole)), lambda: arith.bits_of(pick(reals), I32),
        lambda: arith.convert(pick(reals), I32), lambda: arith.convert(pick(reals), I32, saturate=True),
        lambda: arith.convert(arith.convert(pick(reals), I64), I32), lambda: arith.maximum(pick(whole), pick(whole)),
        lambda: arith.convert(arith.convert(pick(whole), I8), I32), lambda: abs(pick(whole)),
    ]  # fmt: skip
    flag_steps = [
        lambda: pick(reals) < pick(reals), lambda: arith.ne(pick(reals), pick(reals)), lambda: ~pick(flags),
        lambda: pick(whole) >= pick(whole), lambda: pick(flags) & pick(flags), lambda: pick(flags) ^ pick(flags),
    ]  # fmt: skip
    for _ in range(40):
        pool, steps = [(reals, real_steps), (whole, whole_steps), (flags, flag_steps)][int(rng.integers(3))]
        pool.append(pick(steps)())
    total = reals[-1] + reals[-2] + arith.convert(whole[-1], F32)
    return arith.select(flags[-1], total, arith.fma(reals[-3], reals[-1], reals[-4]))
