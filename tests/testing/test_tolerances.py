"""Profiles, units in the last place of every float type, and the three-way comparison."""

import ml_dtypes
import numpy as np
import pytest
from test_compare import receipt_of

from openpto.diagnostics import PyptoError
from openpto.ir.dtypes import DataType, numpy_dtype
from openpto.kernel.receipt import remember
from openpto.testing import (
    T1,
    T2,
    T3,
    T4,
    T5,
    T6,
    Tolerance,
    assert_close,
    compare,
    compare_triple,
    default_tolerance,
    require_output,
)
from openpto.testing.differences import first_difference
from openpto.testing.units import unit

FLOATS = ("FP16", "BF16", "FP32", "DOUBLE", "FP8E4M3", "FP8E5M2")


def output(values, dtype=np.float32):
    array = np.array(values, dtype)
    remember(receipt_of(array))
    return array


def code(*args, **kwargs):
    with pytest.raises(PyptoError) as caught:
        assert_close(*args, **kwargs)
    return caught.value.code


@pytest.mark.parametrize(
    ("profile", "golden", "inside", "outside"),
    [
        (T1, 1.0, 1.0 + 2.0**-7, 1.01),
        (T2, 1.0, 1.0019, 1.0021),
        (T3, 1.0, 1.0099, 1.0101),
        (T5, 1.0, 1.005, 1.0051),
    ],
)
def test_float_profiles(profile, golden, inside, outside):
    assert assert_close(output([inside] * 100), np.full(100, golden), tolerance=profile).ok
    assert assert_close(output([inside] * 100), np.full(100, golden), tolerance=profile.name).ok
    assert code(output([outside] * 100), np.full(100, golden), tolerance=profile) == "PTO538"


def test_quantised_profile_allows_one_step():
    golden = np.array([0, 5, -128, 127])
    assert_close(output([1, 4, -127, 127], np.int8), golden, tolerance=T4)
    assert code(output([2, 5, -128, 127], np.int8), golden, tolerance=T4) == "PTO538"


def test_a_share_of_bad_elements_may_be_outside_but_not_finite_ones_never():
    golden = np.ones(1000)
    values = np.ones(1000, np.float32)
    values[:5] = 2.0
    assert assert_close(output(values), golden, tolerance=T5).outside == 5
    values[5] = 2.0
    assert code(output(values), golden, tolerance=T5) == "PTO538"
    values[1:6] = 1.0
    values[0] = np.nan
    assert code(output(values), golden, tolerance=T5) == "PTO538"


@pytest.mark.parametrize("name", FLOATS)
def test_unit_in_the_last_place(name):
    """Against the types' own facts: the step above one, above a power of two, and between denormals."""
    dtype = DataType[f"DT_{name}"]
    info = ml_dtypes.finfo(numpy_dtype(dtype))
    one, large, tiny = unit(np.array([1.0, 4.5, 0.0]), dtype)
    assert one == float(info.eps)
    assert large == 4 * float(info.eps)
    assert tiny == float(info.smallest_subnormal)


@pytest.mark.parametrize("name", FLOATS)
def test_every_float_type_is_compared_in_its_own_units(name):
    host = numpy_dtype(DataType[f"DT_{name}"])
    step = float(ml_dtypes.finfo(host).eps)
    found = compare(np.array([1.0 + step, 2.0], host), np.array([1.0, 2.0]), Tolerance(rtol=0.0, atol=0.0))
    assert (found.outside, found.max_ulp, found.first) == (1, 1.0, (0,))
    assert default_tolerance(DataType[f"DT_{name}"]).rtol >= step


@pytest.mark.parametrize("host", [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64])
def test_integers_of_every_width_are_exact(host):
    info = np.iinfo(host)
    golden = np.array([info.min, info.max, 0], host)
    assert_close(output(golden, host), golden.copy())
    assert code(output([info.min, info.max - 1, 0], host), golden) == "PTO538"


def test_what_equals_the_rounded_golden_is_right():
    """The golden has more precision: an output that is its rounding is inside every tolerance."""
    none = Tolerance(rtol=0.0, atol=0.0)
    assert compare(np.array([1 / 3, np.inf, 0.0], np.float16), np.array([1 / 3, 70000.0, 1e-12]), none).ok
    assert not compare(np.array([65504.0], np.float16), np.array([70000.0]), none).ok


def test_scaled_units_forgive_what_cancellation_leaves():
    golden = np.array([1.0, 1e-9])
    actual = np.array([np.nextafter(np.float32(1), np.float32(2)), 2e-9], np.float32)
    found = compare(actual, golden, Tolerance(rtol=0.0, atol=1.0))
    assert found.max_ulp > 1e6
    assert found.max_scaled_ulp == 1.0


def noisy(size, seed):
    golden = np.random.default_rng(0).standard_normal(1000)
    return golden, (golden * (1 + size * np.random.default_rng(seed).uniform(-1, 1, 1000))).astype(np.float32)


def test_triple_compares_with_a_benchmark():
    golden, kernel = noisy(1e-5, 1)
    _, benchmark = noisy(1e-5, 2)
    found = assert_close(output(kernel), golden, tolerance=T6, benchmark=benchmark)
    assert max(found.ratios) < 1.2
    _, worse = noisy(1e-4, 3)
    assert code(output(worse), golden, tolerance="T6", benchmark=benchmark) == "PTO538"


def test_triple_judges_small_elements_by_an_absolute_limit():
    golden = np.array([1.0, 1e-6])
    benchmark = golden.astype(np.float32)
    assert compare_triple(np.array([1.0, 1e-6 + 2.0**-31], np.float32), golden, benchmark, T6).ok
    found = compare_triple(np.array([1.0, 1e-6 + 2.0**-29], np.float32), golden, benchmark, T6)
    assert (found.kernel.small, found.ok) == (1, False)


def test_triple_refuses_not_finite_elements():
    golden = np.array([1.0, 2.0])
    found = compare_triple(np.array([1.0, np.nan], np.float32), golden, golden.astype(np.float32), T6)
    assert (found.not_finite, found.ok) == (1, False)


@pytest.mark.parametrize(
    "arguments",
    [
        {"tolerance": "T9"},
        {"tolerance": 0.1},
        {"tolerance": T6},
        {"tolerance": T6, "benchmark": np.ones(2), "rtol": 0.1},
        {"benchmark": np.ones(2)},
        {"rtol": np.nan},
        {"atol": np.inf},
        {"rtol": -0.1},
        {"rtol": "0.1"},
        {"atol": [0.1]},
        {"tolerance": Tolerance(np.nan, 0.0)},
        {"tolerance": Tolerance(0.0, 0.0, bad_share=np.nan)},
        {"run": "T2"},
        {"run": T2},
        {"run": 0.1},
    ],
)
def test_what_is_no_tolerance_is_refused(arguments):
    assert code(output([1.0, 1.0]), np.ones(2), **arguments) == "PTO539"


@pytest.mark.parametrize(
    ("given", "advice"), [("T2", "tolerance='T2'"), (T1, "tolerance='T1'"), (0.1, "rtol= or atol=")]
)
def test_a_tolerance_by_position_is_told_its_name(given, advice):
    with pytest.raises(ValueError, match="PTO539") as caught:
        assert_close(output([1.0, 1.0]), np.ones(2), given)
    assert f"name the argument: {advice}" in " ".join(caught.value.fields["problem"].split())


def test_a_kernel_is_not_its_receipt():
    assert code(output([1.0, 1.0]), np.ones(2), run=output) == "PTO537"
    with pytest.raises(PyptoError, match="receipt is needed"):
        require_output(output([1.0]), np.ones(1), object())


@pytest.mark.filterwarnings("error")
def test_signalling_nan_is_told_without_a_warning_of_numpy():
    never_written = np.array([0x7D01, 0x3C00], np.uint16).view(np.float16)
    remember(receipt_of(never_written))
    assert code(never_written, np.ones(2)) == "PTO538"
    found = first_difference(np.ones(2, np.float16), never_written)
    assert (found.index, found.count) == ((0,), 1)


def test_limits_of_numpy_are_numbers():
    assert assert_close(output([1.0, 1.5]), np.ones(2), atol=np.float32(0.5), rtol=np.int64(0)).ok


@pytest.mark.parametrize(
    "golden", [[[1.0, 2.0], [3.0]], ["1", "1"], [None, None], np.ones(2, complex), None, np.zeros(2, "datetime64[s]")]
)
def test_a_golden_without_real_numbers_is_refused(golden):
    assert code(output([1.0, 1.0]), golden) == "PTO538"


@pytest.mark.torch
def test_a_sparse_golden_is_refused():
    torch = pytest.importorskip("torch")
    assert code(output([1.0, 1.0]), torch.ones(2).to_sparse()) == "PTO519"


def test_triple_is_for_floats_of_the_device():
    assert code(output([1, 1], np.int32), np.ones(2), tolerance=T6, benchmark=np.ones(2)) == "PTO539"


@pytest.mark.torch
@pytest.mark.parametrize("name", ["float16", "bfloat16", "float32", "float64", "float8_e4m3fn", "float8_e5m2"])
def test_torch_tensors_of_every_float_type(name):
    torch = pytest.importorskip("torch")
    tensor = torch.tensor([0.0, 1.0, -1.75, 96.0]).to(getattr(torch, name))
    remember(receipt_of(tensor))
    assert assert_close(tensor, tensor.to(torch.float64).clone(), rtol=0.0, atol=0.0).max_ulp == 0.0
    assert_close(tensor, tensor.clone())
    assert code(tensor, tensor.to(torch.float64) * 1.5) == "PTO538"


@pytest.mark.torch
@pytest.mark.parametrize("name", ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "bool"])
def test_torch_tensors_of_integers(name):
    torch = pytest.importorskip("torch")
    tensor = torch.tensor([0, 1, 1, 0]).to(getattr(torch, name))
    remember(receipt_of(tensor))
    assert_close(tensor, np.array([0, 1, 1, 0]))
    assert code(tensor, np.array([0, 1, 0, 0])) == "PTO538"
