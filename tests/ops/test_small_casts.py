"""Casts from and to the types of 8 and 4 bits through kernels: all codes, tails, pairs, products, chips."""

import ml_dtypes
import numpy as np
import pytest

import openpto
import pypto
from openpto.ir.dtypes import DataType, numpy_dtype
from pypto import DT_BF16, DT_FP16, DT_FP32, PyptoError

pytestmark = pytest.mark.filterwarnings("ignore::pypto.PyptoWarning")
E4M3, E5M2, HF8, INT4 = pypto.DT_FP8E4M3, pypto.DT_FP8E5M2, pypto.DT_HF8, pypto.DT_INT4
E2M1X2, E1M2X2 = pypto.DT_FP4_E2M1X2, pypto.DT_FP4_E1M2X2
CODES = np.arange(256, dtype=np.uint8).reshape(8, 32)


def converted(x, source, target, shape=None, **how):
    """What `cast` makes of x."""
    shape = list(shape or x.shape)

    @pypto.frontend.jit
    def kernel(x: pypto.Tensor(list(x.shape), source), out: pypto.Tensor(shape, target)):
        pypto.set_vec_tile_shapes(8, 32)
        out[:] = pypto.cast(x, target, **how)

    out = np.zeros(shape, numpy_dtype(target))
    kernel(x, out)
    return out


@pytest.mark.parametrize("dtype", [E4M3, E5M2], ids=lambda d: d.short)
def test_all_codes_widen(dtype):
    x = CODES.view(numpy_dtype(dtype))
    np.testing.assert_array_equal(converted(x, dtype, DT_FP32), x.astype(np.float32))


def test_all_codes_of_hifloat8_widen_and_come_back():
    wide = converted(CODES, HF8, DT_FP32)
    # Corners of the published format: zero, NaN, infinities, smallest, greatest, one, and the least of every form.
    corners = {0x00: 0.0, 0x80: np.nan, 0x6F: np.inf, 0xEF: -np.inf, 0x01: 2.0**-22, 0x07: 2.0**-16, 0x6E: 2.0**15,
               0x08: 1.0, 0x0F: 1.875, 0x10: 2.0, 0x18: 0.5, 0x20: 4.0, 0x30: 0.25, 0x40: 16.0, 0x50: 2.0**-4,
               0x60: 256.0, 0x70: 2.0**-8, 0x7E: 2.0**-15, 0x7F: 1.5 * 2.0**-15, 0x88: -1.0}  # fmt: skip
    for code, value in corners.items():
        np.testing.assert_equal(wide.reshape(-1)[code], np.float32(value))
    np.testing.assert_array_equal(converted(wide, DT_FP32, HF8), CODES)
    halves = np.where(np.isfinite(wide), wide, 1).astype(np.float16)
    kept = halves.astype(np.float32) == wide  # 2^-22 and its like are denormals of FP16
    np.testing.assert_array_equal(converted(halves, DT_FP16, HF8)[kept], CODES[kept])


@pytest.mark.parametrize(("dtype", "nan"), [(E4M3, 0x7F), (E5M2, 0x7E), (HF8, 0x80)], ids=["E4M3", "E5M2", "HF8"])
def test_overflow_and_nan(dtype, nan):
    x = np.array([[1e9, -1e9, np.inf, -np.inf, np.nan, 0.0, -0.0, 1e-9]], np.float32)
    off = converted(x, DT_FP32, dtype).view(np.uint8)[0]
    on = converted(x, DT_FP32, dtype, satmode=pypto.SaturationMode.ON).view(np.uint8)[0]
    over, greatest = {E4M3: (0x7F, 0x7E), E5M2: (0x7C, 0x7B), HF8: (0x6F, 0x6E)}[dtype]
    minus_zero = 0 if dtype is HF8 else 0x80
    assert off.tolist() == [over, over | 0x80, over, over | 0x80, nan, 0, minus_zero, 0]
    assert on.tolist() == [greatest, greatest | 0x80, greatest, greatest | 0x80, nan, 0, minus_zero, 0]


@pytest.mark.parametrize("mode", ["RINT", "FLOOR", "CEIL", "TRUNC", "ROUND"])
def test_modes_to_fp8(mode):
    x = np.array([[1.0625, 1.1875, -1.0625, -1.1875, 1.06, 1.2, -1.2, 440.0]], np.float32)
    got = converted(x, DT_FP32, E4M3, mode=getattr(pypto.CastMode, f"CAST_{mode}"))[0].astype(np.float32)
    want = {
        "RINT": [1, 1.25, -1, -1.25, 1, 1.25, -1.25, 448],
        "ROUND": [1.125, 1.25, -1.125, -1.25, 1, 1.25, -1.25, 448],
        "TRUNC": [1, 1.125, -1, -1.125, 1, 1.125, -1.125, 416],
        "FLOOR": [1, 1.125, -1.125, -1.25, 1, 1.125, -1.25, 416],
        "CEIL": [1.125, 1.25, -1, -1.125, 1.125, 1.25, -1.125, 448],
    }[mode]
    np.testing.assert_array_equal(got, np.array(want, np.float32))


def test_int4_wraps_or_saturates():
    x = np.array([[-9.5, -8.0, -1.5, 0.0, 7.9, 8.0, 100.0, np.nan]], np.float16)
    off = converted(x, DT_FP16, INT4)[0].astype(np.int32)
    assert off.tolist() == [7, -8, -1, 0, 7, -8, 4, 0]
    on = converted(x, DT_FP16, INT4, satmode=pypto.SaturationMode.ON)[0].astype(np.int32)
    assert on.tolist() == [-8, -8, -1, 0, 7, 7, 7, 0]
    back = converted(np.arange(-8, 8).reshape(1, 16).astype(ml_dtypes.int4), INT4, DT_FP16)
    np.testing.assert_array_equal(back[0], np.arange(-8, 8))


FP4 = {E2M1X2: [0, 0.5, 1, 1.5, 2, 3, 4, 6], E1M2X2: [0, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 1.75]}


@pytest.mark.parametrize("dtype", FP4, ids=lambda d: d.short)
def test_pairs_of_fp4(dtype):
    values = np.array([*FP4[dtype], *(-float(v) for v in FP4[dtype])], np.float32)
    want = np.stack([values[CODES & 15], values[CODES >> 4]], -1).reshape(8, 64)
    got = converted(CODES, dtype, DT_BF16, (8, 64)).astype(np.float32)
    np.testing.assert_array_equal(got, want)
    np.testing.assert_array_equal(converted(want.astype(ml_dtypes.bfloat16), DT_BF16, dtype, (8, 32)), CODES)
    beyond = np.array([[100, -100, np.inf, np.nan]], ml_dtypes.bfloat16)
    assert converted(beyond, DT_BF16, dtype, (1, 2)).tolist() == [[0xF7, 0x07]]


def test_tails_of_pairs():
    @pypto.frontend.jit
    def kernel(x: pypto.Tensor([8, 32], DT_BF16), n: pypto.Tensor([2], pypto.DT_INT32),
               out: pypto.Tensor([8, 32], DT_BF16)):  # fmt: skip
        pypto.set_vec_tile_shapes(8, 32)
        t = pypto.view(x, [8, 32], [0, 0], valid_shape=[n[0], n[1]])
        pypto.assemble(pypto.cast(pypto.cast(t, E2M1X2), DT_BF16), [0, 0], out)

    x = np.random.default_rng(0).normal(size=(8, 32)).astype(ml_dtypes.bfloat16)
    out = np.full((8, 32), 9, ml_dtypes.bfloat16)
    kernel(x, np.array([3, 10], np.int32), out)
    want = x.astype(np.float32).astype(ml_dtypes.float4_e2m1fn).astype(np.float32)
    np.testing.assert_array_equal(out[:3, :10].astype(np.float32), want[:3, :10])
    assert (out[3:].astype(np.float32) == 9).all()
    assert (out[:, 10:].astype(np.float32) == 9).all()


def test_a_pair_needs_two():
    with pytest.raises(PyptoError, match="do not make pairs") as caught:
        converted(np.zeros((8, 15), ml_dtypes.bfloat16), DT_BF16, E2M1X2, (8, 7))
    assert caught.value.code == "PTO263"


@pytest.mark.parametrize(
    ("source", "target", "chip"),
    [(DT_FP32, E4M3, "910B"), (DT_FP32, HF8, "910B"), (DT_BF16, E2M1X2, "910B"), (DT_FP16, INT4, "950")],
    ids=["E4M3", "HF8", "FP4", "INT4"],
)
def test_chips_that_lack_a_type(source, target, chip):
    x = np.zeros((8, 32), numpy_dtype(source))
    shape = (8, 16) if target is E2M1X2 else (8, 32)
    with openpto.configure(platform=chip), pytest.raises(PyptoError, match=target.name.removesuffix("X2")) as caught:
        converted(x, source, target, shape)
    assert caught.value.code == "PTO309"
    with openpto.configure(platform="950" if chip == "910B" else "910B"):
        converted(x, source, target, shape)


def test_products_of_fp8():
    @pypto.frontend.jit
    def kernel(a: pypto.Tensor([16, 40], E4M3), b: pypto.Tensor([32, 40], E5M2), out: pypto.Tensor([16, 32], DT_FP32)):
        pypto.set_cube_tile_shapes([16, 16], [64, 64], [32, 32])
        out[:] = pypto.matmul(a, b, DT_FP32, b_trans=True)

    rng = np.random.default_rng(1)
    a = rng.normal(size=(16, 40)).astype(ml_dtypes.float8_e4m3fn)
    b = rng.normal(size=(32, 40)).astype(ml_dtypes.float8_e5m2)
    out = np.zeros((16, 32), np.float32)
    kernel(a, b, out)
    exact = a.astype(np.float64) @ b.astype(np.float64).T
    assert np.abs(out - exact).max() <= 40 * 2.0**-24 * np.abs(a.astype(np.float64)).max() * 40
    with openpto.configure(platform="910B"), pytest.raises(PyptoError, match="matmul of DT_FP8E4M3") as caught:
        kernel(a, b, out)
    assert caught.value.code == "PTO309"


def test_a_type_without_values_has_no_tensor():
    assert DataType.DT_HF4.short == "HF4"

    @pypto.frontend.jit
    def kernel(out: pypto.Tensor([8, 32], DT_FP32)):
        pypto.set_vec_tile_shapes(8, 32)
        pypto.zeros(8, 32, dtype=pypto.DT_HF4)
        out[:] = pypto.zeros(8, 32)

    with pytest.raises(PyptoError) as caught:
        kernel(np.zeros((8, 32), np.float32))
    assert caught.value.code == "PTO903"
