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
LIMITS = {"exp": 0.9, "log": 0.95, "erf": 0.95, "tanh": 0.9, "sqrt": 0.5, "reciprocal": 0.5, "rsqrt": 1.5}
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
            unit = mpmath.mpf(2) ** max(math.frexp(float(true))[1] - 24, -149)
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
    small = numbers & np.isin(np.abs(expected), [0, TINY, INF, 1])
    np.testing.assert_array_equal(result[small], expected[small])


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
    from fit import llvm_engine

    x = np.random.default_rng(14).integers(0, 2**32, 300_000, dtype=np.uint32).view(np.float32)
    expr = build(getattr(functions, name), F32)
    ours, machine = evaluate(expr, [x]), llvm_engine.run(expr, [x])
    assert ((ours.view(np.uint32) == machine.view(np.uint32)) | (np.isnan(ours) & np.isnan(machine))).all()


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(LIMITS))
def test_error_over_all_inputs(name):
    worst = sweep(name)
    assert worst.tried == 2**32
    assert worst.error <= LIMITS[name], worst


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(LIMITS))
def test_equal_bits_over_every_64th_input(name):
    from fit import llvm_engine

    expr = build(getattr(functions, name), F32)
    for start in range(0, 2**32, 2**26):
        x = np.arange(start, start + 2**26, 64, dtype=np.uint64).astype(np.uint32).view(np.float32)
        ours, machine = evaluate(expr, [x]), llvm_engine.run(expr, [x])
        assert ((ours.view(np.uint32) == machine.view(np.uint32)) | (np.isnan(ours) & np.isnan(machine))).all()
