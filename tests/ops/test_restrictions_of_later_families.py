"""What the documentation forbids, continued: sorting pairs, random numbers, paged rows, experimental operations,
quantisation."""

import numpy as np
import pytest

import openpto
import pypto
from pypto import DT_FP16, DT_FP32, DT_INT32, DT_INT64, PyptoError


def of(dtype, shape=(8, 32)):
    """A tensor of this dtype inside a kernel."""
    return pypto.full(list(shape), 1, dtype)


def drawn(shape=(8, 32), key=(1,), counter=(0, 1), alg=(1,), dtype=DT_FP32, kind="uniform"):
    return getattr(pypto, kind)(list(shape), list(key), list(counter), list(alg), dtype)


EXP = pypto.experimental


def paged(x, i=None, table=None, size=4, axis=-2):
    i = pypto.zeros(1, 8, dtype=DT_INT32) if i is None else i
    return EXP.gather_in_ub(x, i, pypto.zeros(1, 4, dtype=DT_INT32) if table is None else table, size, axis)


def into_l1(x, width, i=DT_INT32):
    return EXP.gather_in_l1(x, pypto.zeros(1, 8, dtype=i), pypto.zeros(1, 4, dtype=DT_INT32), 4, width, True, False)


def merged(output=(8, 32), statistic=(1, 32), dtype=DT_FP32):
    m, o = of(dtype, statistic), of(dtype, output)
    return EXP.online_softmax_update(m, m, o, m, m, o)


def batched(b=(2, 16, 16), dtype=DT_FP16, out=DT_FP16, a=(8, 2, 16)):
    pypto.set_cube_tile_shapes([32, 32], [32, 32], [32, 32])
    return EXP.transposed_batchmatmul(of(DT_FP16, a), of(dtype, b), out)


def mx(shape=(8, 64), dtype=DT_FP32, **how):
    return pypto.quant_mx(of(dtype, shape), **{"performance_mode": False, **how})


def scaled(a=(16, 64), b=(16, 64), scale=(8, 64), dtype=pypto.DT_FP8E4M3, other=None, out=DT_FP32, **how):
    pypto.set_cube_tile_shapes([16, 16], [64, 64], [32, 32])
    first, second = pypto.cast(of(DT_FP32, a), dtype), pypto.cast(of(DT_FP32, b), other or dtype)
    _, s = pypto.quant_mx(of(DT_FP32, scale), performance_mode=False)
    return pypto.scaled_mm(first, second, out, s, s, b_trans=True, scale_b_trans=True, **how)


def to_codes(scale=(8,), axis=-1, otype=pypto.DT_INT8, points=None, dtype=DT_FP32):
    points = None if points is None else of(DT_FP32, points)
    return pypto.quantize(of(dtype), of(DT_FP32, scale), otype, axis, points)


# name: (call on x FP32 [8, 32], code, words of the message)
REFUSED = {
    "sort32 of FP16": (lambda x: pypto.sort32(of(DT_FP16)), "PTO231", "FP16"),
    "sort32 of 48": (lambda x: pypto.sort32(of(DT_FP32, [8, 48])), "PTO263", "no multiple of 32"),
    "sort32 from -1": (lambda x: pypto.sort32(x, -1), "PTO268", "index must be in [0,"),
    "sort32 from 2**31": (lambda x: pypto.sort32(x, 2**31 - 40), "PTO268", "index must be in [0,"),
    "sort32 from a float": (lambda x: pypto.sort32(x, 1.0), "PTO222", "index must be an int"),
    "sort32 of rank 5": (lambda x: pypto.sort32(pypto.reshape(x, [1, 1, 1, 8, 32])), "PTO232", "5"),
    "mrgsort of FP16": (lambda x: pypto.mrgsort(of(DT_FP16), 32), "PTO231", "FP16"),
    "mrgsort of an odd axis": (lambda x: pypto.mrgsort(of(DT_FP32, [8, 31]), 32), "PTO263", "do not make pairs"),
    "mrgsort of runs of 0": (lambda x: pypto.mrgsort(x, 0), "PTO268", "mergesize must be at least 1"),
    "uniform of INT32": (lambda x: drawn(dtype=DT_INT32), "PTO231", "INT32"),
    "uniform of two keys": (lambda x: drawn(key=(1, 2)), "PTO268", "input key number should be 1, got 2"),
    "uniform of one counter": (lambda x: drawn(counter=(1,)), "PTO268", "input counter number should be 2, got 1"),
    "uniform of algorithm 2": (lambda x: drawn(alg=(2,)), "PTO268", "alg only support Philox."),
    "uniform of no algorithm": (lambda x: drawn(alg=()), "PTO268", "input alg number should be 1, got 0"),
    "uniform of a long key": (lambda x: drawn(key=(2**64,)), "PTO268", "64 bits"),
    "uniform of a float key": (lambda x: drawn(key=(1.5,)), "PTO222", "key must be an int"),
    "uniform of rank 5": (lambda x: drawn(shape=(1, 1, 1, 8, 32)), "PTO232", "5"),
    "uniform of nothing": (lambda x: drawn(shape=(8, 0)), "PTO235", "0"),
    "normal of algorithm 0": (lambda x: drawn(alg=(0,), kind="normal"), "PTO268", "alg only support Philox."),
    "normal over its tile": (lambda x: drawn(shape=(9, 32), kind="normal"), "PTO328", "at least 9 on axis 0"),
    "paged rows of INT32": (lambda x: paged(of(DT_INT32)), "PTO231", "INT32"),
    "paged rows of rank 3": (lambda x: paged(of(DT_FP32, [1, 8, 32])), "PTO232", "3"),
    "paged rows by INT64": (lambda x: paged(x, pypto.zeros(1, 8, dtype=DT_INT64)), "PTO231", "indices of"),
    "paged rows by rank 1": (lambda x: paged(x, pypto.zeros(8, dtype=DT_INT32)), "PTO263", "[1, n]"),
    "paged rows of 2 tables": (
        lambda x: paged(x, table=pypto.zeros(2, 4, dtype=DT_INT32)), "PTO263", "block_table must have the shape [1, n]"
    ),
    "paged rows of no block": (lambda x: paged(x, size=0), "PTO268", "block_size"),
    "paged rows along 0": (lambda x: paged(x, axis=0), "PTO268", "axis must be -2"),
    "paged rows too wide": (lambda x: into_l1(x, 33), "PTO268", "size must be in [1, 32]"),
    "paged rows in L1 of INT32": (lambda x: into_l1(of(DT_INT32), 8), "PTO231", "INT32"),
    "paged rows in L1 by FP32": (lambda x: into_l1(x, 8, DT_FP32), "PTO231", "indices of"),
    "softmax state of FP16": (lambda x: EXP.online_softmax(of(DT_FP16), 1.0), "PTO231", "FP16"),
    "softmax state of rank 3": (lambda x: EXP.online_softmax(of(DT_FP32, [1, 8, 32]), 1.0), "PTO232", "3"),
    "softmax state by text": (lambda x: EXP.online_softmax(x, "1"), "PTO225", "str"),
    "softmax state over its tile": (
        lambda x: EXP.online_softmax(of(DT_FP32, [16, 32]), 1.0), "PTO328", "at least 16 on axis 0"
    ),
    "merged states of FP16": (lambda x: merged(dtype=DT_FP16), "PTO231", "FP16"),
    "merged states of two lengths": (lambda x: merged(statistic=(1, 16)), "PTO263", "previous_max must have the shape"),
    "merged states over their tile": (lambda x: merged(output=(9, 32)), "PTO328", "at least 9 on axis 0"),
    "batches of FP32": (lambda x: batched(dtype=DT_FP32), "PTO231", "FP32"),
    "batches of two dtypes": (lambda x: batched(dtype=pypto.DT_BF16), "PTO228", "BF16"),
    "batches to FP32": (lambda x: batched(out=DT_FP32), "PTO231", "the result of"),
    "batches of rank 2": (lambda x: batched(a=(8, 16)), "PTO232", "2"),
    "batches that differ": (lambda x: batched(b=(3, 16, 16)), "PTO263", "one B and one K"),
    "depths that differ": (lambda x: batched(b=(2, 8, 16)), "PTO263", "one B and one K"),
    "nop of a tensor": (lambda x: EXP.nop(x), "PTO222", "in_tensors must be a list"),
    "nop of nothing": (lambda x: EXP.nop([]), "PTO268", "must not be empty"),
    "nop of a number": (lambda x: EXP.nop([x, 1]), "PTO223", "in_tensors"),
    "quantize FP16": (lambda x: to_codes(dtype=DT_FP16), "PTO231", "FP16"),
    "quantize to UINT8": (lambda x: to_codes(otype=pypto.DT_UINT8), "PTO231", "without zero_points"),
    "quantize to INT8 with points": (lambda x: to_codes(points=(8,)), "PTO231", "with zero_points"),
    "quantize by columns": (lambda x: to_codes((32,)), "PTO263", "scale must have the shape [8]"),
    "quantize by rows": (lambda x: to_codes((8,), -2), "PTO263", "scale must have the shape [32]"),
    "quantize along 2": (lambda x: to_codes(axis=2), "PTO233", "reasonable range"),
    "quantize along the first of three": (
        lambda x: pypto.quantize(of(DT_FP32, [2, 8, 32]), x, pypto.DT_INT8, 0), "PTO268", "axis must be -1"
    ),
    "dequantize INT32": (lambda x: pypto.dequantize(of(DT_INT32), of(DT_FP32, [8]), DT_FP32, -1), "PTO231", "INT32"),
    "dequantize to FP16": (
        lambda x: pypto.dequantize(of(pypto.DT_INT8), of(DT_FP32, [8]), DT_FP16, -1), "PTO231", "otype of dequantize"
    ),
    "groups of INT32": (lambda x: mx(dtype=DT_INT32), "PTO231", "INT32"),
    "groups to E5M2": (lambda x: mx(quant_dtype=pypto.DT_FP8E5M2), "PTO231", "quant_dtype of quant_mx"),
    "groups of FP32 to FP4": (lambda x: mx(quant_dtype=pypto.DT_FP4_E2M1X2), "PTO231", "FP4_E2M1X2"),
    "groups of 32": (lambda x: mx((8, 32)), "PTO263", "multiple of 64"),
    "groups along 0 of three": (lambda x: mx((64, 8, 64), axis=0), "PTO268", "axis must be -1 or -2"),
    "groups by number": (lambda x: mx(mode=0), "PTO222", "DequantScaleRoundingMode"),
    "groups of a cut axis": (
        lambda x: pypto.quant_mx(
            pypto.view(of(DT_FP32, [8, 64]), [8, 64], [0, 0], valid_shape=[8, 60]), performance_mode=False
        ),
        "PTO263", "fully valid",
    ),
    "groups in haste": (lambda x: mx((8, 64), dtype=DT_FP16, performance_mode=True), "PTO263", "whole 256 bytes"),
    "groups over the tile": (lambda x: mx(performance_mode=True), "PTO328", "64 on the last axis"),
    "groups of rows over the tile": (lambda x: mx((64, 32), axis=-2), "PTO328", "a multiple of 64 on axis 0"),
    "scaled HF8": (lambda x: scaled(dtype=pypto.DT_HF8), "PTO231", "HF8"),
    "scaled to INT32": (lambda x: scaled(scale=(16, 64), out=DT_INT32), "PTO273", "INT32"),
    "scaled by 8 rows": (lambda x: scaled(), "PTO263", "scale_a must have the shape [16, 1, 2], got [8, 1, 2]"),
    "scaled of two depths": (
        lambda x: scaled(b=(16, 32), scale=(16, 64)), "PTO274", "K-dimension valid shape mismatch"
    ),
    "scaled of two ranks": (lambda x: scaled(b=(1, 16, 64)), "PTO270", "3"),
    "scaled to NZ": (lambda x: scaled(c_matrix_nz=True), "PTO276", "NZ"),
    "scaled by FP32": (
        lambda x: pypto.scaled_mm(
            pypto.cast(x, pypto.DT_FP8E4M3), pypto.cast(x, pypto.DT_FP8E4M3), DT_FP32, of(DT_FP32, [8, 1, 2]),
            of(DT_FP32, [8, 1, 2]), b_trans=True, scale_b_trans=True,
        ),
        "PTO231", "scale_a of scaled_mm",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.filterwarnings("ignore::pypto.PyptoWarning")
def test_call_is_refused(name):
    call, code, words = REFUSED[name]
    assert refusal(call, (8, 32, 32, 32), code, words) == __file__


TILES = {
    "uniform": ((8, 6), drawn, "a multiple of 4 on the last axis"),
    "normal": ((8, 16), lambda: drawn(kind="normal"), "at least 32 on axis 1"),
    "online_softmax": ((4, 32), lambda: EXP.online_softmax(of(DT_FP32), 1.0), "at least 8 on axis 0"),
    "online_softmax_update": ((8, 12), merged, "a multiple of 8 on the last axis"),
}


@pytest.mark.parametrize("name", TILES)
@pytest.mark.filterwarnings("ignore::pypto.PyptoWarning")
def test_tile_that_does_not_suit(name):
    tile, call, words = TILES[name]
    refusal(lambda x: call(), tile, "PTO328", words)


def refusal(call, tile, code, words):
    """The file that the error of ``call`` names, which has this code and these words."""

    def kernel(x: pypto.Tensor([8, 32], DT_FP32), out: pypto.Tensor([8, 32], DT_FP32)):
        pypto.set_vec_tile_shapes(*tile)
        call(x)
        out[:] = x + 1.0

    x = np.ones((8, 32), np.float32)
    with pytest.raises(PyptoError) as caught:
        pypto.jit(kernel)(x, np.zeros_like(x))
    assert caught.value.code == code, str(caught.value)
    assert words in " ".join(str(caught.value).replace("|", " ").split())
    return caught.value.site.span.file


NEWEST = {
    "uniform": drawn,
    "normal": lambda: drawn(kind="normal"),
    "online_softmax": lambda: EXP.online_softmax(of(DT_FP32), 1.0),
    "online_softmax_update": merged,
    "quant_mx": mx,
}


@pytest.mark.parametrize("name", NEWEST)
def test_only_the_newest_chip_has_it(name):
    @pypto.frontend.jit
    def kernel(x: pypto.Tensor([8, 32], DT_FP32), out: pypto.Tensor([8, 32], DT_FP32)):
        pypto.set_vec_tile_shapes(8, 32, 32)
        NEWEST[name]()
        out[:] = x + 1.0

    x = np.ones((8, 32), np.float32)
    with openpto.configure(platform="910B"), pytest.raises(PyptoError, match=name) as caught:
        kernel(x, np.zeros_like(x))
    assert caught.value.code == "PTO309"
    with openpto.configure(platform="950"):
        kernel(x, np.zeros_like(x))
