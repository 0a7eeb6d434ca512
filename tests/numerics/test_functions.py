"""The FP32 functions: error in units of the last place, special values, agreement with machine code."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest

from fit.sweep import GOLDENS, sweep, ulp_error
from openpto.ops import math as functions
from openpto.ops.arith import F32, build
from openpto.runtime.reference.evaluate import evaluate

# Greatest error allowed over all inputs, in units of the last place.
LIMITS = dict.fromkeys(GOLDENS, 0.501) | {
    "exp": 0.9, "exp2": 0.9, "log": 0.95, "erf": 0.95, "tanh": 0.93, "sqrt": 0.5, "reciprocal": 0.5, "rsqrt": 1.5,
}  # fmt: skip
INF, NAN, TINY, BIG = math.inf, math.nan, 2.0**-149, float(np.finfo(np.float32).max)


def compute(name: str, x: np.ndarray) -> np.ndarray:
    return evaluate(build(getattr(functions, name), F32), [x])


def sample() -> np.ndarray:
    """Every exponent of both signs with random and extreme mantissas, and dense stretches where functions bend."""
    rng = np.random.default_rng(11)
    patterns = (np.arange(512, dtype=np.uint32) << 23)[:, None]
    mantissas = rng.integers(0, 2**23, (512, 1000), dtype=np.uint32)
    mantissas[:, :6] = [0, 1, 2, 2**22, 2**23 - 2, 2**23 - 1]
    stretches = [np.linspace(a, b, 60_000, dtype=np.float32) for a, b in [(-110, 92), (-4.2, 4.2), (0.6, 1.5), (-1, 1)]]
    return np.concatenate([(patterns | mantissas).ravel().view(np.float32), *stretches])


@pytest.mark.parametrize("name", sorted(LIMITS))
def test_error_on_a_dense_sample(name):
    x = sample()
    with np.errstate(all="ignore"):
        exact = GOLDENS[name](x.astype(np.float64))
    errors = ulp_error(compute(name, x), exact)
    worst = int(errors.argmax())
    assert errors[worst] <= LIMITS[name], f"{errors[worst]} at {x[worst]!r}"


@pytest.mark.parametrize(
    ("name", "exact", "low", "high"),
    [
        ("exp", mpmath.exp, -104.0, 88.7),
        ("log", mpmath.log, 1e-45, 3e38),
        ("erf", mpmath.erf, -4.5, 4.5),
        ("tanh", mpmath.tanh, -9.5, 9.5),
        ("exp2", lambda v: mpmath.mpf(2) ** v, -148.0, 127.9),
        ("expm1", mpmath.expm1, -20.0, 88.7),
        ("log1p", mpmath.log1p, -0.999, 5.0),
        ("log2", lambda v: mpmath.log(v, 2), 1e-45, 3e38),
        ("log10", mpmath.log10, 1e-45, 3e38),
        ("sin", mpmath.sin, -65504.0, 65504.0),
        ("cos", mpmath.cos, -65504.0, 65504.0),
        ("tan", mpmath.tan, -65504.0, 65504.0),
        ("sin", mpmath.sin, -(2.0**27), 2.0**27),
        ("asin", mpmath.asin, -1.0, 1.0),
        ("acos", mpmath.acos, -1.0, 1.0),
        ("atan", mpmath.atan, -10.0, 10.0),
        ("sinh", mpmath.sinh, -89.0, 89.0),
        ("cosh", mpmath.cosh, -89.0, 89.0),
        ("asinh", mpmath.asinh, -3.0, 3.0),
        ("acosh", mpmath.acosh, 1.0, 50.0),
        ("atanh", mpmath.atanh, -0.9999, 0.9999),
        ("erfc", mpmath.erfc, -4.0, 10.0),
        ("cbrt", lambda v: mpmath.cbrt(v), 1e-45, 3e38),
        ("rsqrt", lambda v: 1 / mpmath.sqrt(v), 1e-45, 3e38),
    ],
)
def test_error_against_multiple_precision(name, exact, low, high):
    """Guards the FP64 goldens too: they must agree with 50 digits far below the FP32 unit."""
    rng = np.random.default_rng(12)
    if low > 0:
        x = np.exp(rng.uniform(math.log(low), math.log(high), 400)).astype(np.float32)
    else:
        x = rng.uniform(low, high, 400).astype(np.float32)
    result = compute(name, x)
    double = GOLDENS[name](x.astype(np.float64))
    with mpmath.workdps(50):
        for value, got, golden in zip(x.tolist(), result.tolist(), double.tolist()):
            true = exact(mpmath.mpf(value))
            unit = mpmath.mpf(2) ** max(mpmath.frexp(true)[1] - 24, -149)
            assert abs(mpmath.mpf(got) - true) <= LIMITS[name] * unit
            assert abs(mpmath.mpf(golden) - true) <= unit / 10**6


SPECIAL = {
    "exp": [(0.0, 1.0), (-0.0, 1.0), (INF, INF), (-INF, 0.0), (NAN, NAN), (88.72284, INF), (-103.97208, TINY),
            (-103.97209, 0.0), (-104.0, 0.0), (-1e30, 0.0), (1e30, INF), (TINY, 1.0), (-88.0, 6.0546e-39)],
    "log": [(0.0, -INF), (-0.0, -INF), (INF, INF), (-INF, NAN), (-1.0, NAN), (-TINY, NAN), (NAN, NAN), (1.0, 0.0),
            (TINY, -103.27893), (BIG, 88.72284)],
    "erf": [(0.0, 0.0), (-0.0, -0.0), (INF, 1.0), (-INF, -1.0), (NAN, NAN), (TINY, TINY), (-TINY, -TINY), (4.0, 1.0),
            (-100.0, -1.0), (BIG, 1.0)],
    "tanh": [(0.0, 0.0), (-0.0, -0.0), (INF, 1.0), (-INF, -1.0), (NAN, NAN), (TINY, TINY), (-TINY, -TINY),
             (1e-30, 1e-30), (10.0, 1.0), (-BIG, -1.0)],
    "exp2": [(0.0, 1.0), (INF, INF), (-INF, 0.0), (NAN, NAN), (128.0, INF), (-149.0, TINY), (-150.0, 0.0),
             (10.0, 1024.0), (-1e30, 0.0), (127.0, 2.0**127), (-126.0, 2.0**-126)],
    "expm1": [(0.0, 0.0), (-0.0, -0.0), (INF, INF), (-INF, -1.0), (NAN, NAN), (TINY, TINY), (-TINY, -TINY),
              (89.0, INF)],
    "log1p": [(0.0, 0.0), (-0.0, -0.0), (INF, INF), (-1.0, -INF), (-1.5, NAN), (-INF, NAN), (NAN, NAN), (TINY, TINY),
              (-TINY, -TINY), (BIG, 88.72284)],
    "log2": [(0.0, -INF), (-0.0, -INF), (INF, INF), (-1.0, NAN), (NAN, NAN), (TINY, -149.0), (1.0, 0.0), (8.0, 3.0)],
    "log10": [(0.0, -INF), (INF, INF), (-1.0, NAN), (NAN, NAN), (1.0, 0.0), (1000.0, 3.0), (1e10, 10.0)],
    "sin": [(0.0, 0.0), (-0.0, -0.0), (INF, NAN), (-INF, NAN), (NAN, NAN), (TINY, TINY), (-TINY, -TINY),
            (2.0**28, NAN)],
    "cos": [(0.0, 1.0), (-0.0, 1.0), (INF, NAN), (NAN, NAN), (TINY, 1.0), (-(2.0**28), NAN)],
    "tan": [(0.0, 0.0), (-0.0, -0.0), (INF, NAN), (NAN, NAN), (TINY, TINY), (-TINY, -TINY)],
    "asin": [(0.0, 0.0), (-0.0, -0.0), (1.0, 1.5707964), (-1.0, -1.5707964), (1.0000001, NAN), (INF, NAN), (NAN, NAN),
             (TINY, TINY)],
    "acos": [(1.0, 0.0), (-1.0, 3.1415927), (0.0, 1.5707964), (-0.0, 1.5707964), (-1.0000001, NAN), (NAN, NAN)],
    "atan": [(0.0, 0.0), (-0.0, -0.0), (INF, 1.5707964), (-INF, -1.5707964), (NAN, NAN), (TINY, TINY),
             (BIG, 1.5707964)],
    "sinh": [(0.0, 0.0), (-0.0, -0.0), (INF, INF), (-INF, -INF), (NAN, NAN), (TINY, TINY), (90.0, INF), (-90.0, -INF)],
    "cosh": [(0.0, 1.0), (-0.0, 1.0), (INF, INF), (-INF, INF), (NAN, NAN), (90.0, INF)],
    "asinh": [(0.0, 0.0), (-0.0, -0.0), (INF, INF), (-INF, -INF), (NAN, NAN), (TINY, TINY), (BIG, 89.41599)],
    "acosh": [(1.0, 0.0), (INF, INF), (0.99999994, NAN), (-5.0, NAN), (-INF, NAN), (NAN, NAN), (BIG, 89.41599)],
    "atanh": [(0.0, 0.0), (-0.0, -0.0), (1.0, INF), (-1.0, -INF), (1.0000001, NAN), (-INF, NAN), (NAN, NAN),
              (TINY, TINY)],
    "erfc": [(0.0, 1.0), (-0.0, 1.0), (INF, 0.0), (-INF, 2.0), (NAN, NAN), (-10.0, 2.0), (10.06, 0.0), (11.0, 0.0)],
    "cbrt": [(0.0, 0.0), (-0.0, -0.0), (INF, INF), (-INF, -INF), (NAN, NAN), (27.0, 3.0), (-8.0, -2.0)],
    "sqrt": [(0.0, 0.0), (-0.0, -0.0), (INF, INF), (-INF, NAN), (-TINY, NAN), (NAN, NAN), (4.0, 2.0)],
    "reciprocal": [(0.0, INF), (-0.0, -INF), (INF, 0.0), (-INF, -0.0), (NAN, NAN), (4.0, 0.25), (BIG, 2.938736e-39)],
    "rsqrt": [(0.0, INF), (-0.0, -INF), (INF, 0.0), (-1.0, NAN), (NAN, NAN), (4.0, 0.5), (-INF, NAN)],
    "sigmoid": [(0.0, 0.5), (-0.0, 0.5), (INF, 1.0), (-INF, 0.0), (NAN, NAN), (-88.8, 0.0), (100.0, 1.0),
                (-88.0, 6.0546e-39)],
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(SPECIAL))
def test_special_values(name):
    x, expected = (np.array(column, np.float32) for column in zip(*SPECIAL[name]))
    result = compute(name, x)
    np.testing.assert_array_equal(np.isnan(result), np.isnan(expected))
    numbers = ~np.isnan(expected)
    np.testing.assert_array_equal(np.signbit(result[numbers]), np.signbit(expected[numbers]))
    np.testing.assert_allclose(result[numbers], expected[numbers], rtol=1e-4)
    small = numbers & np.isin(np.abs(expected), [0, TINY, INF, 1, 2, 3, 10, 149, 1024])
    np.testing.assert_array_equal(result[small], expected[small])


def test_binary_functions_on_special_values():
    """Against the C library through numpy's FP64 functions."""
    values = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -2.0, 3.0, -3.0, 2.5, INF, -INF, NAN, TINY, -TINY, BIG, -BIG, 1e10]
    x, y = (v.ravel() for v in np.meshgrid(np.array(values, np.float32), np.array(values, np.float32)))
    for name, golden in (("pow", np.power), ("atan2", np.arctan2), ("hypot", np.hypot)):
        with np.errstate(all="ignore"):
            exact = golden(x.astype(np.float64), y.astype(np.float64))
            rounded = exact.astype(np.float32)
        result = evaluate(build(getattr(functions, name), F32, F32), [x, y])
        assert ulp_error(result, exact).max() <= 0.501, name
        numbers = ~np.isnan(rounded)
        np.testing.assert_array_equal(np.signbit(result[numbers]), np.signbit(rounded[numbers]), err_msg=name)


@pytest.mark.parametrize("name", ["pow", "atan2", "hypot"])
def test_binary_functions_on_random_values(name):
    rng = np.random.default_rng(15)
    golden = {"pow": np.power, "atan2": np.arctan2, "hypot": np.hypot}[name]
    wild = [rng.integers(0, 2**32, 200_000, dtype=np.uint32).view(np.float32) for _ in "xy"]
    mild = [np.abs(rng.standard_normal(200_000)).astype(np.float32) + np.float32(0.01)]
    mild.append((rng.standard_normal(200_000) * 20).astype(np.float32))
    near_one = [(1 + rng.standard_normal(200_000) * 1e-6).astype(np.float32)]
    near_one.append((rng.standard_normal(200_000) * 1e7).astype(np.float32))
    for x, y in (wild, mild, near_one):
        with np.errstate(all="ignore"):
            exact = golden(x.astype(np.float64), y.astype(np.float64))
        errors = ulp_error(evaluate(build(getattr(functions, name), F32, F32), [x, y]), exact)
        worst = int(errors.argmax())
        assert errors[worst] <= 0.502, (x[worst], y[worst])


def test_exact_results():
    k = np.arange(-149, 128, dtype=np.float32)
    np.testing.assert_array_equal(compute("log2", np.ldexp(np.float32(1), k.astype(int)).astype(np.float32)), k)
    np.testing.assert_array_equal(compute("exp2", k), np.ldexp(np.float32(1), k.astype(int)))
    np.testing.assert_array_equal(compute("log10", np.float32(10) ** np.arange(11, dtype=np.float32)), np.arange(11))
    n = np.arange(-150, 151, dtype=np.float32)
    np.testing.assert_array_equal(compute("cbrt", n * n * n), n)
    base = np.arange(1, 12, dtype=np.float32)
    cube = evaluate(build(functions.pow, F32, F32), [base, np.float32(3)])
    np.testing.assert_array_equal(cube, base**3)


def test_small_arguments_of_odd_functions_stay_exact():
    x = np.ldexp(np.float32(1.0), np.arange(-149, -20)).astype(np.float32)
    np.testing.assert_array_equal(compute("tanh", x), x)


def test_underflow_of_exp_is_gradual():
    x = np.linspace(-103.9, -87.4, 10_000, dtype=np.float32)
    result = compute("exp", x)
    assert (result < 2.0**-126).all()
    assert (result > 0).all()
    deep = x < -95  # ten bits and more are gone: what remains is the rounding to a denormal
    assert ulp_error(result, np.exp(x.astype(np.float64)))[deep].max() <= 0.501


def test_sigmoid_is_the_documented_composition():
    x = np.random.default_rng(13).standard_normal(20_000).astype(np.float32) * 30
    with np.errstate(all="ignore"):
        expected = np.float32(1) / (np.float32(1) + compute("exp", -x))
    np.testing.assert_array_equal(compute("sigmoid", x), expected)
    exact = 1 / (1 + np.exp(-x.astype(np.float64)))
    inside = x > -80
    assert ulp_error(compute("sigmoid", x)[inside], exact[inside]).max() <= 3.0


def test_monotone_where_the_exact_function_is():
    for name, low, high in (("exp", -20.0, 20.0), ("log", 0.01, 100.0), ("tanh", -9.0, 9.0), ("erf", -4.0, 4.0)):
        x = np.linspace(low, high, 4001, dtype=np.float32)
        assert (np.diff(compute(name, x)) >= 0).all(), name


@pytest.mark.parametrize("name", sorted({*LIMITS, "sigmoid"}))
def test_equal_bits_in_machine_code(name):
    llvm_engine = pytest.importorskip("fit.llvm_engine", reason="needs llvmlite")
    x = np.random.default_rng(14).integers(0, 2**32, 300_000, dtype=np.uint32).view(np.float32)
    expr = build(getattr(functions, name), F32)
    ours, machine = evaluate(expr, [x]), llvm_engine.run(expr, [x])
    assert ((ours.view(np.uint32) == machine.view(np.uint32)) | (np.isnan(ours) & np.isnan(machine))).all()


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(LIMITS))
def test_error_over_all_inputs(name):
    pytest.importorskip("llvmlite", reason="needs llvmlite")
    worst = sweep(name)
    assert worst.tried == 2**32
    assert worst.error <= LIMITS[name], worst


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(LIMITS))
def test_equal_bits_over_every_64th_input(name):
    llvm_engine = pytest.importorskip("fit.llvm_engine", reason="needs llvmlite")
    expr = build(getattr(functions, name), F32)
    for start in range(0, 2**32, 2**26):
        x = np.arange(start, start + 2**26, 64, dtype=np.uint64).astype(np.uint32).view(np.float32)
        ours, machine = evaluate(expr, [x]), llvm_engine.run(expr, [x])
        assert ((ours.view(np.uint32) == machine.view(np.uint32)) | (np.isnan(ours) & np.isnan(machine))).all()
