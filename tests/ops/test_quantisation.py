"""Quantisation: special values, tails and layouts of scales; scaled products against float64."""

import ml_dtypes
import numpy as np
import pytest

import openpto
import pypto
from pypto import DT_BF16, DT_FP16, DT_FP32, PyptoError

pytestmark = pytest.mark.filterwarnings("ignore::pypto.PyptoWarning")
E4M3, E8M0, FP4 = pypto.DT_FP8E4M3, pypto.DT_FP8E8M0, pypto.DT_FP4_E2M1
e4m3, e8m0, fp4 = ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e8m0fnu, ml_dtypes.float4_e2m1fn


@pypto.frontend.jit
def in_groups(x: pypto.Tensor([8, 64], DT_FP32), q: pypto.Tensor([8, 64], E4M3), s: pypto.Tensor([8, 1, 2], E8M0)):
    pypto.set_vec_tile_shapes(8, 64, 2)
    q[:], s[:] = pypto.quant_mx(x)


@pypto.frontend.jit
def in_groups_up(x: pypto.Tensor([8, 64], DT_FP32), q: pypto.Tensor([8, 64], E4M3), s: pypto.Tensor([8, 1, 2], E8M0)):
    pypto.set_vec_tile_shapes(8, 64, 2)
    q[:], s[:] = pypto.quant_mx(x, mode=pypto.ROUND_UP)


def special():
    x = np.zeros((8, 64), np.float32)
    x[1, :32] = 448.0
    x[1, 32:] = np.nextafter(np.float32(448), np.float32(500))
    x[2, 3], x[2, 40] = np.nan, np.inf
    x[3, :32], x[3, 32:] = 2.0**-140, 2.0**-126
    x[4, :32], x[4, 32:] = 3.0e38, -1.0
    x[5] = np.linspace(-500, 500, 64)
    x[6, :32], x[6, 0], x[6, 32:] = 1e-6, 1e6, 2.0**-119
    return x


def test_scales_of_special_groups():
    q, s = np.zeros((8, 64), e4m3), np.zeros((8, 1, 2), e8m0)
    in_groups(special(), q, s)
    codes = s.view(np.uint8)[:, 0]
    # floor(log2(amax)) - 8 + 127 between 0 and 254; 448 is 1.75 * 2^8.
    want = [[0, 0], [127, 127], [255, 247], [0, 0], [246, 119], [127, 127], [138, 0], [0, 0]]
    assert codes.tolist() == want
    values = q.astype(np.float32)
    assert (values[0] == 0).all()
    assert (values[1] == 448).all()
    assert np.isnan(values[2, :32]).all()
    assert values[2, 40] == 448
    assert (values[3, 0], values[3, 32]) == (0.0, 2.0)  # 2^-13 is less than half of the least FP8E4M3
    assert values[4, 0] == 448
    assert (values[4, 32:] == -256).all()
    assert (values[6, 0], values[6, 1]) == (448, 0)  # 1e6 / 2^11 is 488


def test_scales_rounded_up():
    q, s = np.zeros((8, 64), e4m3), np.zeros((8, 1, 2), e8m0)
    in_groups_up(special(), q, s)
    codes = s.view(np.uint8)[:, 0]
    assert codes[1].tolist() == [127, 128]
    assert (q.astype(np.float32)[1, 32:] == 224).all()
    assert codes[5].tolist() == [128, 128]
    assert codes[4].tolist() == [247, 119]


def test_rows_beyond_the_valid_ones_stay():
    @pypto.frontend.jit
    def kernel(x: pypto.Tensor([8, 64], DT_BF16), n: pypto.Tensor([1], pypto.DT_INT32),
               q: pypto.Tensor([8, 64], E4M3), s: pypto.Tensor([8, 1, 2], E8M0)):  # fmt: skip
        pypto.set_vec_tile_shapes(8, 64, 2)
        t = pypto.view(x, [8, 64], [0, 0], valid_shape=[n[0], 64])
        values, scale = pypto.quant_mx(t, performance_mode=False)
        pypto.assemble(values, [0, 0], q)
        pypto.assemble(scale, [0, 0, 0], s)

    x = np.random.default_rng(0).normal(size=(8, 64)).astype(ml_dtypes.bfloat16)
    q, s = np.ones((8, 64), e4m3), np.ones((8, 1, 2), e8m0)
    kernel(x, np.array([5], np.int32), q, s)
    assert (q[5:].astype(np.float32) == 1).all()
    assert (s[5:].astype(np.float32) == 1).all()
    factors = np.repeat(s[:5].astype(np.float32).reshape(5, 2), 32, 1)
    quotient = np.clip(x[:5].astype(np.float32) / factors, -448, 448)
    np.testing.assert_array_equal(q[:5].astype(np.float32), quotient.astype(e4m3).astype(np.float32))


def test_quantize_saturates_and_rounds_to_even():
    @pypto.frontend.jit
    def kernel(x: pypto.Tensor([8], DT_FP32), s: pypto.Tensor([1], DT_FP32), z: pypto.Tensor([1], DT_FP32),
               signed: pypto.Tensor([8], pypto.DT_INT8), unsigned: pypto.Tensor([8], pypto.DT_UINT8)):  # fmt: skip
        pypto.set_vec_tile_shapes(8)
        signed[:] = pypto.quantize(x, s, pypto.DT_INT8, -1)
        unsigned[:] = pypto.quantize(x, s, pypto.DT_UINT8, -1, z)

    x = np.array([1.25, 1.75, -1.25, 1000, -1000, np.nan, np.inf, -np.inf], np.float32)
    signed, unsigned = np.zeros(8, np.int8), np.zeros(8, np.uint8)
    kernel(x, np.array([2], np.float32), np.array([3], np.float32), signed, unsigned)
    assert signed.tolist() == [2, 4, -2, 127, -128, 0, 127, -128]
    assert unsigned.tolist() == [6, 6, 0, 255, 0, 0, 255, 0]


def test_dequantize_as_documented():
    @pypto.frontend.jit
    def kernel(x: pypto.Tensor([2, 4], pypto.DT_INT16), s: pypto.Tensor([4], DT_FP32), z: pypto.Tensor([4], DT_FP32),
               out: pypto.Tensor([2, 4], DT_FP32)):  # fmt: skip
        pypto.set_vec_tile_shapes(2, 8)
        out[:] = pypto.dequantize(x, s, DT_FP32, -2, z)

    x = np.array([[1, 2, 3, 4], [-1, -2, -3, -4]], np.int16)
    s, z = np.array([1, 0.5, 2, 4], np.float32), np.array([1, -1, 0, 0.5], np.float32)
    out = np.zeros((2, 4), np.float32)
    kernel(x, s, z, out)
    np.testing.assert_array_equal(out, (x + z) * s)


@pytest.mark.parametrize("transposed", [False, True])
def test_batches_share_their_scales(transposed):
    @pypto.frontend.jit
    def kernel(a: pypto.Tensor([2, 16, 96], E4M3), b: pypto.Tensor([1, 96, 32], E4M3),
               sa: pypto.Tensor([16, 2, 2], E8M0), sb: pypto.Tensor([2, 32, 2], E8M0),
               out: pypto.Tensor([2, 16, 32], DT_FP32)):  # fmt: skip
        pypto.set_vec_tile_shapes(1, 32, 128)
        pypto.set_cube_tile_shapes([16, 16], [64, 64], [32, 32])
        if transposed:
            turned = pypto.transpose(a, 1, 2)
            pypto.set_cube_tile_shapes([32, 32], [64, 64], [32, 32])
            out[:] = pypto.scaled_mm(turned, b, DT_FP32, sa, sb, a_trans=True)
        else:
            out[:] = pypto.scaled_mm(a, b, DT_FP32, sa, sb)

    rng = np.random.default_rng(2)
    a = rng.integers(-8, 9, (2, 16, 96)).astype(e4m3)
    b = rng.integers(-8, 9, (1, 96, 32)).astype(e4m3)
    sa = (2.0 ** rng.integers(-3, 3, (16, 2, 2))).astype(e8m0)
    sb = (2.0 ** rng.integers(-3, 3, (2, 32, 2))).astype(e8m0)
    out = np.zeros((2, 16, 32), np.float32)
    kernel(a, b, sa, sb, out)
    left = a.astype(np.float64) * np.repeat(sa.astype(np.float64).reshape(16, 4), 32, 1)[:, :96]
    right = b.astype(np.float64) * np.repeat(sb.astype(np.float64).transpose(0, 2, 1).reshape(4, 32), 32, 0)[:96]
    np.testing.assert_array_equal(out, left @ right)
    with openpto.configure(platform="910B"), pytest.raises(PyptoError) as caught:
        kernel(a, b, sa, sb, out)
    assert caught.value.code == "PTO309"


def test_odd_fp4_is_refused():
    @pypto.frontend.jit
    def kernel(a: pypto.Tensor([16, 63], FP4), s: pypto.Tensor([16, 1, 2], E8M0), out: pypto.Tensor([16, 16], DT_FP16)):
        pypto.set_cube_tile_shapes([16, 16], [64, 64], [32, 32])
        out[:] = pypto.scaled_mm(a, a, DT_FP16, s, s, b_trans=True, scale_b_trans=True)

    with pytest.raises(PyptoError, match="must be even") as caught:
        kernel(np.zeros((16, 63), fp4), np.ones((16, 1, 2), e8m0), np.zeros((16, 16), np.float16))
    assert caught.value.code == "PTO263"
