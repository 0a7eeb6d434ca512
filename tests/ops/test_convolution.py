"""Convolutions of any geometry against torch in float64, tails, and what a device refuses."""

import ml_dtypes
import numpy as np
import pytest

import pypto
from openpto.ir.dtypes import from_numpy
from pypto import DT_BF16, DT_FP16, DT_FP32, DT_INT32, PyptoError
from pypto.pypto_impl import ConvReLuType, TileL0Info, TileL1Info

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.filterwarnings("ignore::pypto.PyptoWarning")
L1 = (1, 1, 1, 16, 16, 16, 16, 1)


def exact(x, w, strides, paddings, dilations, groups=1):
    """torch in float64; asymmetric padding by zeros."""
    rank = x.ndim - 2
    a, b = (torch.from_numpy(np.asarray(v, np.float64)) for v in (x, w))
    pairs = [p for axis in reversed(range(rank)) for p in paddings[2 * axis : 2 * axis + 2]]
    function = (torch.conv1d, torch.conv2d, torch.conv3d)[rank - 1]
    return function(torch.nn.functional.pad(a, pairs), b, None, strides, 0, dilations, groups).numpy()


def convolved(x, w, strides, paddings, dilations, groups=1, tile=L1, **extra):
    dtype = from_numpy(x.dtype)
    shape = list(exact(x, w, strides, paddings, dilations, groups).shape)

    @pypto.frontend.jit
    def kernel(x: pypto.Tensor(list(x.shape), dtype), w: pypto.Tensor(list(w.shape), dtype),
               out: pypto.Tensor(shape, dtype)):  # fmt: skip
        pypto.set_conv_tile_shapes(TileL1Info(*tile))
        out[:] = pypto.conv(x, w, dtype, strides, paddings, dilations, groups=groups, **extra)

    out = np.full(shape, 7, x.dtype)
    kernel(x, w, out)
    return out


def whole(rng, *shape, dtype=np.float32):
    return rng.integers(-4, 5, shape).astype(dtype)


GEOMETRIES = {
    "1-D": ((2, 16, 20), (16, 16, 3), [1], [1, 1], [1], 1),
    "1-D strided": ((1, 16, 33), (16, 16, 4), [3], [3, 2], [2], 1),
    "2-D": ((2, 16, 7, 9), (16, 16, 3, 3), [1, 1], [1, 1, 1, 1], [1, 1], 1),
    "2-D pointwise": ((1, 16, 4, 16), (32, 16, 1, 1), [1, 1], [0, 0, 0, 0], [1, 1], 1),
    "2-D strided, dilated": ((2, 16, 11, 13), (16, 16, 3, 2), [2, 3], [2, 0, 0, 1], [3, 2], 1),
    "2-D depthwise": ((2, 16, 6, 6), (16, 1, 3, 3), [1, 2], [1, 1, 2, 2], [1, 1], 16),
    "2-D in groups": ((1, 32, 5, 6), (48, 8, 2, 3), [1, 1], [1, 0, 0, 2], [1, 1], 4),
    "3-D": ((1, 16, 4, 5, 6), (16, 16, 2, 3, 3), [1, 1, 1], [1, 0, 1, 1, 2, 2], [1, 1, 1], 1),
    "3-D strided": ((2, 16, 5, 6, 7), (16, 8, 3, 2, 2), [2, 1, 2], [2, 2, 0, 0, 1, 1], [1, 2, 3], 2),
    "kernel in the padding": ((1, 16, 2, 2), (16, 16, 5, 5), [4, 1], [4, 4, 4, 4], [1, 1], 1),
}


@pytest.mark.parametrize("name", GEOMETRIES)
def test_whole_numbers_are_exact(name):
    x_shape, w_shape, strides, paddings, dilations, groups = GEOMETRIES[name]
    rng = np.random.default_rng(1)
    x, w = whole(rng, *x_shape), whole(rng, *w_shape)
    channels = max(8, -(-w_shape[1] // 8) * 8)
    tile = (1, 1, 1, 16, channels, channels, 16, 1)
    got = convolved(x, w, strides, paddings, dilations, groups, tile)
    np.testing.assert_array_equal(got, exact(x, w, strides, paddings, dilations, groups))


@pytest.mark.parametrize("host", [np.float16, ml_dtypes.bfloat16], ids=["FP16", "BF16"])
def test_halves_are_summed_in_fp32_and_rounded_once(host):
    rng = np.random.default_rng(2)
    x, w = rng.normal(size=(1, 16, 5, 16)).astype(host), rng.normal(size=(16, 16, 3, 3)).astype(host)
    got = convolved(x, w, [1, 1], [1, 1, 1, 1], [1, 1])
    want = exact(x.astype(np.float64), w.astype(np.float64), [1, 1], [1, 1, 1, 1], [1, 1])
    unit = np.spacing(np.abs(want).astype(host)).astype(np.float64)
    assert (np.abs(got.astype(np.float64) - want) <= 0.51 * unit + 1e-5).all()


def test_bias_and_relu():
    @pypto.frontend.jit
    def kernel(x: pypto.Tensor([1, 16, 4, 4], DT_BF16), w: pypto.Tensor([16, 16, 1, 1], DT_BF16),
               b: pypto.Tensor([16], DT_FP32), out: pypto.Tensor([1, 16, 4, 4], DT_BF16)):  # fmt: skip
        pypto.set_conv_tile_shapes(TileL1Info(*L1), TileL0Info(1, 16, 16, 16))
        out[:] = pypto.conv(x, w, DT_BF16, [1, 1], [0, 0, 0, 0], [1, 1],
                            extend_params={"bias_tensor": b, "relu_type": ConvReLuType.RELU})  # fmt: skip

    rng = np.random.default_rng(3)
    x, w = whole(rng, 1, 16, 4, 4, dtype=ml_dtypes.bfloat16), whole(rng, 16, 16, 1, 1, dtype=ml_dtypes.bfloat16)
    b = rng.integers(-40, 40, 16).astype(np.float32)
    out = np.zeros((1, 16, 4, 4), ml_dtypes.bfloat16)
    kernel(x, w, b, out)
    want = np.maximum(exact(x.astype("f8"), w.astype("f8"), [1, 1], [0] * 4, [1, 1]) + b.reshape(16, 1, 1), 0)
    np.testing.assert_array_equal(out, want.astype(ml_dtypes.bfloat16))


def test_batches_and_output_channels_may_be_cut():
    @pypto.frontend.jit
    def kernel(x: pypto.Tensor([4, 16, 5, 5], DT_FP32), w: pypto.Tensor([32, 16, 3, 3], DT_FP32),
               n: pypto.Tensor([2], DT_INT32), out: pypto.Tensor([4, 32, 3, 3], DT_FP32)):  # fmt: skip
        pypto.set_conv_tile_shapes(TileL1Info(*L1))
        some = pypto.view(x, [4, 16, 5, 5], [0, 0, 0, 0], valid_shape=[n[0], 16, 5, 5])
        kernels = pypto.view(w, [32, 16, 3, 3], [0, 0, 0, 0], valid_shape=[n[1], 16, 3, 3])
        done = pypto.conv(some, kernels, DT_FP32, [1, 1], [0, 0, 0, 0], [1, 1])
        pypto.assemble(done, [0, 0, 0, 0], out)

    rng = np.random.default_rng(4)
    x, w = whole(rng, 4, 16, 5, 5), whole(rng, 32, 16, 3, 3)
    out = np.full((4, 32, 3, 3), 7, np.float32)
    kernel(x, w, np.array([3, 20], np.int32), out)
    want = np.full_like(out, 7)
    want[:3, :20] = exact(x, w, [1, 1], [0] * 4, [1, 1])[:3, :20]
    np.testing.assert_array_equal(out, want)


def test_a_cut_row_is_refused_while_running():
    @pypto.frontend.jit
    def kernel(x: pypto.Tensor([1, 16, 5, 5], DT_FP32), w: pypto.Tensor([16, 16, 3, 3], DT_FP32),
               n: pypto.Tensor([1], DT_INT32), out: pypto.Tensor([1, 16, 3, 3], DT_FP32)):  # fmt: skip
        pypto.set_conv_tile_shapes(TileL1Info(*L1))
        some = pypto.view(x, [1, 16, 5, 5], [0, 0, 0, 0], valid_shape=[1, 16, n[0], 5])
        out[:] = pypto.conv(some, w, DT_FP32, [1, 1], [0, 0, 0, 0], [1, 1])

    x, w, out = np.ones((1, 16, 5, 5), "f4"), np.ones((16, 16, 3, 3), "f4"), np.zeros((1, 16, 3, 3), "f4")
    kernel(x, w, np.array([5], np.int32), out)
    assert (out == 144).all()
    with pytest.raises(PyptoError) as caught:
        kernel(x, w, np.array([4], np.int32), out)
    assert caught.value.code == "PTO465"


def call(x=(1, 16, 4, 16), w=(16, 16, 3, 3), dtype=DT_FP32, out=None, strides=None, paddings=None, dilations=None,
         other=None, **extra):  # fmt: skip
    rank = len(x) - 2
    return pypto.conv(
        pypto.full(list(x), 1, dtype), pypto.full(list(w), 1, other or dtype), out or dtype,
        [1] * rank if strides is None else strides, [0] * 2 * rank if paddings is None else paddings,
        [1] * rank if dilations is None else dilations, **extra,
    )  # fmt: skip


# name: (call, code, words of the message)
REFUSED = {
    "INT32": (lambda: call(dtype=DT_INT32), "PTO231", "INT32"),
    "two dtypes": (lambda: call(other=DT_FP16), "PTO228", "FP16"),
    "another result": (lambda: call(out=DT_FP16), "PTO231", "the result of conv"),
    "rank 2": (lambda: pypto.conv(*[pypto.full([16, 16], 1, DT_FP32)] * 2, DT_FP32, [], [], []), "PTO232", "2"),
    "two ranks": (lambda: call(w=(16, 16, 3)), "PTO263", "both in [3, 4, 5], got 4 and 3"),
    "channels": (lambda: call(w=(16, 8, 3, 3)), "PTO263", "weight has 8 channels, and input 16 in 1 group"),
    "groups": (lambda: call(groups=3), "PTO268", "groups must divide Cin 16 and Cout 16"),
    "no groups": (lambda: call(groups=0), "PTO268", "groups must divide"),
    "tuple": (lambda: call(strides=(1, 1)), "PTO222", "strides must be a list, got tuple"),
    "one stride": (lambda: call(strides=[1]), "PTO268", "strides must have 2 numbers"),
    "stride 64": (lambda: call(strides=[1, 64]), "PTO268", "strides must be in [1, 63]"),
    "dilation 0": (lambda: call(dilations=[0, 1]), "PTO268", "dilations must be in [1, 63]"),
    "padding 256": (lambda: call(paddings=[256, 0, 0, 0]), "PTO268", "paddings must be in [0, 255]"),
    "padding 3": (lambda: call(paddings=[0, 3, 0, 0]), "PTO268", "less than the kernel"),
    "transposed": (lambda: call(transposed=True), "PTO268", "Conv transpose true is not supported yet."),
    "output paddings": (lambda: call(output_paddings=[1, 1]), "PTO268", "output_paddings"),
    "beyond": (lambda: call(x=(1, 16, 2, 16)), "PTO263", "reaches beyond the padded input"),
    "wide kernel": (lambda: call(x=(1, 16, 4, 300), w=(16, 16, 1, 256)), "PTO268", "256 elements on W"),
    "large kernel": (
        lambda: call(x=(1, 8, 100, 200), w=(16, 8, 100, 100), dtype=DT_FP32), "PTO268", "must not exceed 65535"
    ),
    "scale": (lambda: call(extend_params={"scale": 2.0}), "PTO268", "quantised convolution is not supported"),
    "unknown key": (lambda: call(extend_params={"bias": None}), "PTO268", "no key 'bias'"),
    "relu": (lambda: call(extend_params={"relu_type": 1}), "PTO222", "relu_type"),
    "bias shape": (
        lambda: call(extend_params={"bias_tensor": pypto.full([1, 16], 1, DT_FP32)}), "PTO263", "bias_tensor"
    ),
    "bias dtype": (
        lambda: call(extend_params={"bias_tensor": pypto.full([16], 1, DT_FP16)}), "PTO231", "bias_tensor of conv"
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_call_is_refused(name):
    called, code, words = REFUSED[name]

    @pypto.frontend.jit
    def kernel(out: pypto.Tensor([8, 16], DT_FP32)):
        pypto.set_vec_tile_shapes(1, 8, 8, 8)
        pypto.set_conv_tile_shapes(TileL1Info(*L1))
        called()
        out[:] = pypto.zeros(8, 16)

    with pytest.raises(PyptoError) as caught:
        kernel(np.zeros((8, 16), np.float32))
    assert caught.value.code == code, str(caught.value)
    assert words in " ".join(str(caught.value).replace("|", " ").split())


# name: (L1, L0, words); a convolution of [1, 16, 4, 16] with [32, 16, 3, 3] to 2 rows of 14
TILES = {
    "rows in": ((5, 1, 16, 16, 16, 16, 16, 1), None, "tileHin of the convolution tile is 5 and must be in [1, 4]"),
    "rows out": ((4, 2, 16, 16, 16, 16, 16, 1), None, "tileHout of the convolution tile is 2 and must be 1, because"),
    "columns out": ((4, 1, 16, 32, 16, 16, 16, 1), None, "tileWout of the convolution tile is 32"),
    "channels": ((4, 1, 16, 16, 12, 16, 16, 1), None, "tileCinFmap of the convolution tile is 12"),
    "weights": ((4, 1, 16, 16, 16, 24, 16, 1), None, "tileCinWeight of the convolution tile is 24"),
    "outputs": ((4, 1, 16, 16, 16, 16, 48, 1), None, "tileN of the convolution tile is 48"),
    "batch": ((4, 1, 16, 16, 16, 16, 16, 2), None, "tileBatch of the convolution tile is 2 and must be 1"),
    "L0 rows": ((4, 1, 16, 16, 16, 16, 16, 1), (2, 16, 16, 16), "tileH of L0"),
    "L0 columns": ((4, 1, 16, 16, 16, 16, 16, 1), (1, 8, 16, 16), "tileW of L0"),
    "L0 depth": ((4, 1, 16, 16, 16, 16, 16, 1), (1, 16, 40, 16), "tileK of L0"),
    "L0 outputs": ((4, 1, 16, 16, 16, 16, 16, 1), (1, 16, 16, 32), "tileN of L0"),
}


@pytest.mark.parametrize("name", TILES)
def test_tile_that_does_not_suit(name):
    l1, l0, words = TILES[name]

    @pypto.frontend.jit
    def kernel(x: pypto.Tensor([1, 16, 4, 16], DT_FP32), w: pypto.Tensor([32, 16, 3, 3], DT_FP32),
               out: pypto.Tensor([1, 32, 2, 14], DT_FP32)):  # fmt: skip
        pypto.set_conv_tile_shapes(TileL1Info(*l1), None if l0 is None else TileL0Info(*l0))
        out[:] = pypto.conv(x, w, DT_FP32, [1, 1], [0, 0, 0, 0], [1, 1])

    with pytest.raises(PyptoError) as caught:
        kernel(np.ones((1, 16, 4, 16), "f4"), np.ones((32, 16, 3, 3), "f4"), np.zeros((1, 32, 2, 14), "f4"))
    assert caught.value.code == "PTO331", str(caught.value)
    assert words in " ".join(str(caught.value).replace("|", " ").split())
