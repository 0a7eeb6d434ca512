"""Scalar primitives as vector code: the bits of the reference's evaluation, on every code path of this machine."""

import warnings

import machine_code
import numpy as np
import pytest

from openpto.ir.dtypes import numpy_dtype
from openpto.ops import arith
from openpto.ops.arith import BF16, BOOL, F16, F32, F64, INTEGERS, U16, Op
from openpto.runtime.native import loopir as L
from openpto.runtime.reference.evaluate import evaluate

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")
paths = pytest.mark.parametrize(
    "path",
    [
        pytest.param(p, marks=pytest.mark.skipif(not machine_code.runs(p), reason=f"no {p} here"))
        for p in machine_code.PATHS
    ],
)
ALL = sorted(INTEGERS | {F32, F64, F16, BF16, BOOL}, key=lambda d: d.value)
SPECIAL = [0.0, -0.0, 1.0, -1.5, 2.5, 3.5, 1e-45, 1e-40, 65504.0, 65520.0, 1e10, -1e10, 3.4e38, 127.5, 128.0, 255.9]
SPECIAL += [-128.9, 32767.5, 2147483648.0, 9.3e18, -9.3e18, 1.9e19, np.inf, -np.inf, np.nan, 0.9999, -0.9999]
SPECIAL += [s * e for b in (7, 8, 15, 16, 31, 32, 63, 64) for e in (2.0**b, 2.0**b * (1 - 2.0**-24)) for s in (1, -1)]


def samples(dtype, count=400):
    """Edges and random bit patterns."""
    rng = np.random.default_rng(dtype.value)
    host = numpy_dtype(dtype)
    if dtype is BOOL:
        return rng.random(count) < 0.5
    raw = rng.integers(0, 256, count * host.itemsize, dtype=np.uint8).view(host)[:count].copy()
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if host.kind in "iu":
            info = np.iinfo(host)
            edges = np.array([info.min, info.max, 0, 1, info.max - 1], host)
        else:
            edges = np.array(SPECIAL).astype(host)
    raw[: len(edges)] = edges
    return raw


def same(got, want):
    """Equal bits; NaNs equal."""
    got, want = np.asarray(got), np.asarray(want)
    assert got.dtype == want.dtype
    if want.dtype.kind in "iub":
        return np.array_equal(got, want)
    bits = f"u{want.dtype.itemsize}"
    nan = want != want
    return np.array_equal(got != got, nan) and np.array_equal(got.view(bits)[~nan], want.view(bits)[~nan])


def check(jobs, path):
    """Every (expression, inputs) gives the reference's bits."""
    for (expr, inputs), got in zip(jobs, machine_code.compute(jobs, path), strict=True):
        want = np.asarray(evaluate(expr, inputs), numpy_dtype(expr.dtype))
        assert same(got, want), f"{expr} on {path}"


def buildable(make):
    try:
        return make()
    except (TypeError, ValueError, LookupError, AssertionError):
        return None


@paths
@pytest.mark.parametrize("source", ALL, ids=lambda d: d.short)
def test_conversions(source, path):
    """To every other type, clamping and not."""
    jobs = []
    for target in ALL:
        for clamp in (False, True):
            expr = buildable(lambda t=target, c=clamp: arith.convert(arith.var(source), t, c))
            if expr is not None and expr.op is Op.CONVERT:
                jobs.append((expr, [samples(source, 200)]))
    assert jobs
    check(jobs, path)


@paths
@pytest.mark.parametrize("dtype", [F16, BF16], ids=lambda d: d.short)
def test_sixteen_bit_floats(dtype, path):
    """All 65,536 values are widened; values around every rounding boundary are rounded."""
    every = np.arange(65536, dtype=np.uint16).view(numpy_dtype(dtype))
    widen, narrow = arith.convert(arith.var(dtype), F32), arith.convert(arith.var(F32), dtype)
    wide = evaluate(widen, [every])
    half = 1 << (12 if dtype is F16 else 15)
    offsets = np.array([-half, -1, 0, 1, half - 1, half, half + 1], np.int64).reshape(-1, 1)
    near = ((wide.view(np.uint32).astype(np.int64) + offsets) & 0xFFFFFFFF).astype(np.uint32).view(np.float32)
    check([(widen, [every]), (narrow, [np.ascontiguousarray(near.reshape(-1))])], path)


UNARY = ["NEG", "ABS", "NOT", "SQRT", "RINT", "FLOOR", "CEIL", "TRUNC"]
BINARY = ["ADD", "SUB", "MUL", "DIV", "MIN", "MAX", "AND", "OR", "XOR", "SHL", "LSHR", "ASHR"]
BINARY += ["EQ", "NE", "LT", "LE", "GT", "GE"]


@paths
@pytest.mark.parametrize("dtype", ALL, ids=lambda d: d.short)
def test_primitives(dtype, path):
    """Every primitive that the type has."""
    jobs = []
    for name in UNARY + BINARY:
        op = getattr(Op, name)
        many = 2 if name in BINARY else 1
        result = BOOL if op in arith.COMPARISONS else dtype
        variables = tuple(arith.var(dtype, k) for k in range(many))
        expr = buildable(lambda o=op, r=result, v=variables: arith.make(o, r, v))
        if expr is None or expr.op is not op:
            continue
        x = samples(dtype, 200)
        y = np.roll(x, 7)
        if name in ("SHL", "LSHR", "ASHR"):
            y = (np.arange(len(x)) % (arith.width(dtype) + 3)).astype(x.dtype)
        jobs.append((expr, [x, y][:many]))
    if dtype is F32:
        x = samples(F32, 4000)
        jobs.append((arith.build(arith.fma, F32, F32, F32), [x, np.roll(x, 3), np.roll(x, 11)]))
    assert jobs or dtype in arith.HALVES
    if jobs:
        check(jobs, path)


@paths
@pytest.mark.parametrize("count", [0, 1, 2, 15, 16, 17, 33])
def test_tails(count, path):
    """No element beyond the count is touched."""
    for dtype in (BF16, F32):
        host = numpy_dtype(dtype)
        x = np.arange(64).astype(host)
        out = np.full(64, 99).astype(host)
        expr = arith.convert(arith.convert(arith.var(dtype), F32), dtype) if dtype is BF16 else arith.var(dtype)
        for extent in (count, L.Slot("size0")) if path == "native" else (count,):
            body = (
                L.Load("x", L.Ptr("param0", 0, dtype), 1),
                L.Compute("y", expr, ("x",)),
                L.Store(L.Ptr("param1", 0, dtype), 1, "y"),
            )
            out[:] = 99
            machine_code.call([L.Vector(extent, body)], [x, out], [count], path=path)
            assert np.array_equal(out[:count].astype("f4"), x[:count].astype("f4"))
            assert (out[count:].astype("f4") == 99).all(), f"{count} elements of {dtype.short}"


def test_unsigned_patterns_fit():
    """The helper that makes samples covers both ends of a type."""
    assert samples(U16).max() == 65535
