"""What the documentation forbids, operation by operation: each call stops with its code at the author's line."""

import numpy as np
import pytest

import pypto
from pypto import DT_BF16, DT_FP16, DT_FP32, DT_INT8, DT_INT16, DT_INT32, DT_INT64, DT_UINT8, PyptoError


def of(dtype, shape=(8, 16)):
    """A tensor of this dtype inside a kernel."""
    return pypto.full(list(shape), 1, dtype)


def line(length=8, dtype=DT_INT32):
    return pypto.full([length], 0, dtype)


def nz(dtype=DT_FP32):
    """A tensor in the fractal layout."""
    return pypto.tensor([8, 16], dtype, "nz", format=pypto.TileOpFormat.TILEOP_NZ)


# name: (call on x FP32 [8, 16], code, words of the message)
REFUSED = {
    # reductions and scans
    "sum of FP16": (lambda x: pypto.sum(of(DT_FP16), 0), "PTO231", "FP16"),
    "sum of INT64": (lambda x: pypto.sum(pypto.zeros(8, 16, dtype=DT_INT64), 0), "PTO231", "INT64"),
    "prod of BF16": (lambda x: pypto.prod(of(DT_BF16), 0), "PTO231", "BF16"),
    "prod out of range": (lambda x: pypto.prod(x, 2), "PTO233", "Axis is not in the reasonable range!"),
    "amax of UINT16": (lambda x: pypto.amax(of(pypto.DT_UINT16), 0), "PTO231", "UINT16"),
    "amax over two axes": (lambda x: pypto.amax(x, [0, 1]), "PTO222", "must be an int"),
    "argmax of INT32": (lambda x: pypto.argmax(of(DT_INT32), 0), "PTO231", "INT32"),
    "argmin out of range": (lambda x: pypto.argmin(x, -3), "PTO233", "reasonable range"),
    "var of INT32": (lambda x: pypto.var(of(DT_INT32)), "PTO231", "INT32"),
    "var twice": (lambda x: pypto.var(x, [0, -2]), "PTO263", "names an axis twice"),
    "var out of range": (lambda x: pypto.var(x, [0, 2]), "PTO233", "reasonable range"),
    "var of too many": (lambda x: pypto.var(x, [0, 1, 2]), "PTO233", "reasonable range"),
    "var of a cut axis": (
        lambda x: pypto.var(pypto.view(x, [8, 16], [0, 0], valid_shape=[8, 9]), 1), "PTO465", "9 are valid"
    ),
    "var correction": (lambda x: pypto.var(x, correction="1"), "PTO222", "correction"),
    "cumsum of INT8": (lambda x: pypto.cumsum(of(DT_INT8), 0), "PTO231", "INT8"),
    "cumsum without axis": (lambda x: pypto.cumsum(x), "PTO222", "dim"),
    "cumprod of INT32": (lambda x: pypto.cumprod(of(DT_INT32), 0), "PTO231", "INT32"),
    "cumprod of rank 5": (lambda x: pypto.cumprod(pypto.reshape(x, [1, 1, 1, 8, 16]), 0), "PTO232", "5"),
    # creation
    "full of INT64": (lambda x: pypto.full([8, 16], 1, DT_INT64), "PTO231", "INT64"),
    "full negative": (
        lambda x: pypto.full([8, 16], -1, DT_UINT8), "PTO268", "negative fill_value for unsigned integer dtype"
    ),
    "full of rank 5": (lambda x: pypto.full([1, 1, 1, 8, 16], 1, DT_FP32), "PTO232", "5"),
    "full of nothing": (lambda x: pypto.full([8, 0], 1, DT_FP32), "PTO235", "0"),
    "zeros by position": (lambda x: pypto.zeros([8, 16], DT_FP32), "PTO222", "keyword dtype"),
    "arange four": (lambda x: pypto.arange(1, 2, 3, 4), "PTO268", "The length of args should in [1, 2, 3]"),
    "arange downwards": (lambda x: pypto.arange(3, 0), "PTO268", "empty"),
    "arange wide": (lambda x: pypto.arange(2**31), "PTO268", "fit into INT32"),
    "arange 1e-9": (lambda x: pypto.arange(0.0, 1.0, 1e-9), "PTO268", "step must not be 0"),
    "arange of two dtypes": (
        lambda x: pypto.arange(pypto.Element(DT_FP16, 0), pypto.Element(DT_FP32, 4)), "PTO228", "DT_FP16"
    ),
    "arange of UINT8": (lambda x: pypto.arange(pypto.Element(DT_UINT8, 4)), "PTO231", "UINT8"),
    "one_hot of a number": (lambda x: pypto.one_hot(3, 8), "PTO222", "input must be a `Tensor`"),
    "one_hot of floats": (lambda x: pypto.one_hot(x, 16), "PTO231", "FP32"),
    "one_hot classes": (lambda x: pypto.one_hot(line(), 8.0), "PTO222", "num_classes must be an `int`"),
    "one_hot -1": (lambda x: pypto.one_hot(line(), -1), "PTO268", "num_classes must be specified"),
    "one_hot 0": (lambda x: pypto.one_hot(line(), 0), "PTO268", "num_classes must be a positive integer"),
    "one_hot tile": (lambda x: pypto.one_hot(line(), 8), "PTO328", "number of classes"),
    "one_hot of rank 4": (lambda x: pypto.one_hot(of(DT_INT32, [1, 1, 8, 16]), 8), "PTO232", "4"),
    # padding and triangles
    "pad left": (lambda x: pypto.pad(x, [1, 0, 0, 0]), "PTO268", "left or the top"),
    "pad top": (lambda x: pypto.pad(x, [0, 0, 2, 0]), "PTO268", "left or the top"),
    "pad negative": (lambda x: pypto.pad(x, [0, -1, 0, 0]), "PTO268", "negative"),
    "pad two numbers": (lambda x: pypto.pad(x, [0, 1]), "PTO268", "2 numbers"),
    "pad mode": (lambda x: pypto.pad(x, [0, 1, 0, 0], mode="reflect"), "PTO268", "constant"),
    "pad ints by floats": (
        lambda x: pypto.pad(of(DT_INT32), [0, 1, 0, 0], value=0.0), "PTO222", "value type mismatch: tensor dtype is"
    ),
    "pad INT64": (lambda x: pypto.pad(pypto.zeros(8, 16, dtype=DT_INT64), [0, 1, 0, 0]), "PTO231", "INT64"),
    "fillpad of rank 3": (lambda x: pypto.fillpad(of(DT_FP32, [2, 8, 16])), "PTO232", "3"),
    "tril of rank 1": (lambda x: pypto.tril(of(DT_FP32, [16])), "PTO232", "1"),
    "triu of UINT8": (lambda x: pypto.triu(of(DT_UINT8)), "PTO231", "UINT8"),
    "tril diagonal": (lambda x: pypto.tril(x, 0.5), "PTO222", "diagonal"),
    # indexing
    "gather of INT8": (lambda x: pypto.gather(of(DT_INT8), 0, of(DT_INT32)), "PTO231", "INT8"),
    "gather by INT16": (lambda x: pypto.gather(x, 0, of(DT_INT16)), "PTO262", "index tensor must be of int32 or int64"),
    "gather ranks": (lambda x: pypto.gather(x, 0, line()), "PTO230", "ranks"),
    "select by INT16": (lambda x: pypto.index_select(x, 0, line(dtype=DT_INT16)), "PTO262", "int32 or int64"),
    "select by rank 3": (lambda x: pypto.index_select(x, 0, of(DT_INT32, [2, 2, 2])), "PTO232", "3"),
    "select of INT64": (
        lambda x: pypto.index_select(pypto.zeros(8, 16, dtype=DT_INT64), 0, line()), "PTO231", "INT64"
    ),
    "scatter reduce": (
        lambda x: pypto.scatter(x, 0, of(DT_INT32), x, reduce="max"), "PTO268",
        "scatter reduce only support 'add', 'multiply'",
    ),
    "scatter of INT64": (
        lambda x: pypto.scatter(pypto.zeros(8, 16, dtype=DT_INT64), 0, of(DT_INT32), 1.0), "PTO231", "INT64"
    ),
    "scatter source": (
        lambda x: pypto.scatter(x, 0, of(DT_INT32), "1"), "PTO222",
        "Expected src to be int, float, Element, or Tensor",
    ),
    "scatter an infinity": (
        lambda x: pypto.scatter(x, 0, of(DT_INT32), pypto.Element(DT_FP32, float("inf"))), "PTO268", "finite"
    ),
    "scatter of rank 5": (
        lambda x: pypto.scatter(pypto.reshape(x, [1, 1, 1, 8, 16]), 0, of(DT_INT32), 1.0), "PTO232", "5"
    ),
    "gather of rank 6": (
        lambda x: pypto.gather(pypto.reshape(x, [1, 1, 1, 1, 8, 16]), 0, of(DT_INT32)), "PTO232", "6"
    ),
    "add dtypes": (lambda x: pypto.index_add(x, 0, line(), of(DT_FP16)), "PTO228", "DT_FP16"),
    "add lengths": (lambda x: pypto.index_add(x, 0, line(7), x), "PTO263", "7 elements"),
    "add extents": (lambda x: pypto.index_add(x, 0, line(), x[:, 0:8]), "PTO263", "extent 8"),
    "add by INT16": (lambda x: pypto.index_add_(x, 0, line(dtype=DT_INT16), x), "PTO262", "int32 or int64"),
    "add by rank 2": (lambda x: pypto.index_add(x, 0, of(DT_INT32), x), "PTO232", "2"),
    "add of UINT8": (lambda x: pypto.index_add(of(DT_UINT8), 0, line(), of(DT_UINT8)), "PTO231", "UINT8"),
    "add of INT8 in UB": (lambda x: pypto.index_add_ub(of(DT_INT8), 0, line(), of(DT_INT8)), "PTO231", "INT8"),
    "add float to ints": (
        lambda x: pypto.index_add(of(DT_INT32), 0, line(), of(DT_INT32), alpha=0.5), "PTO227", "incompatible"
    ),
    "put no list": (lambda x: pypto.index_put_(x, line(), x), "PTO222", "list"),
    "put five lists": (lambda x: pypto.index_put_(x, (line(),) * 5, x), "PTO263", "1 to 4"),
    "put by floats": (lambda x: pypto.index_put_(x, (of(DT_FP32, [8]),), x), "PTO262", "int32 or int64"),
    "put ranks": (lambda x: pypto.index_put_(x, (line(), line()), x), "PTO263", "rank(input) + 1"),
    "put lengths": (lambda x: pypto.index_put_(x, (line(7),), x), "PTO263", "8 entries"),
    "put extents": (lambda x: pypto.index_put_(x, (line(),), x[:, 0:8]), "PTO263", "[8]"),
    "put dtypes": (lambda x: pypto.index_put_(x, (line(),), of(DT_FP16)), "PTO228", "DT_FP16"),
    "accumulate UINT8": (
        lambda x: pypto.index_put_(of(DT_UINT8), (line(),), of(DT_UINT8), True), "PTO231", "UINT8"
    ),
    "update dim": (
        lambda x: pypto.scatter_update(x, 0, of(DT_INT32, [2, 4]), x), "PTO268",
        "scatter currection only support the case where dim = -2.",
    ),
    "update rank": (
        lambda x: pypto.scatter_update(of(DT_FP32, [2, 4, 16]), -2, of(DT_INT32, [2, 4]), x), "PTO263",
        "dim must be 2 or 4",
    ),
    "update index": (lambda x: pypto.scatter_update(x, -2, line(), x), "PTO263", "[b, s]"),
    "update rows": (lambda x: pypto.scatter_update(x, -2, of(DT_INT32, [3, 3]), x), "PTO263", "[8, 16]"),
    "update of INT8": (
        lambda x: pypto.scatter_update(of(DT_INT8), -2, of(DT_INT32, [2, 4]), of(DT_INT8)), "PTO231", "INT8"
    ),
    "atomic dtypes": (lambda x: pypto.atomic_add(of(DT_FP16), [0, 0], x), "PTO247", "DT_FP16"),
    "atomic offsets": (lambda x: pypto.atomic_add(of(DT_FP32), [0], x), "PTO249", "offset"),
    # every second element, bytes
    "pattern": (lambda x: pypto.gathermask(x, 8), "PTO268", "[1, 7]"),
    "pattern of three": (lambda x: pypto.gathermask(x[:, 0:6], 3), "PTO263", "multiple of 4"),
    "pattern of INT8": (lambda x: pypto.gathermask(of(DT_INT8), 1), "PTO231", "INT8"),
    "interleave shapes": (lambda x: pypto.interleave(x, x[0:4, :]), "PTO263", "[4, 16]"),
    "interleave dtypes": (lambda x: pypto.interleave(x, of(DT_FP16)), "PTO228", "DT_FP16"),
    "interleave INT64": (
        lambda x: pypto.interleave(pypto.zeros(8, 16, dtype=DT_INT64), pypto.zeros(8, 16, dtype=DT_INT64)), "PTO231",
        "INT64",
    ),
    "interleave odd": (lambda x: pypto.interleave(x[:, 0:5], x[:, 0:5]), "PTO263", "multiple of 2"),
    "interleave tile": (lambda x: pypto.interleave(x[:, 0:8], x[:, 0:8]), "PTO328", "8 on the last axis"),
    "deinterleave odd": (lambda x: pypto.deinterleave(x[:, 0:5]), "PTO263", "multiple of 2"),
    "unpack of floats": (lambda x: pypto.unpack(x, DT_INT8), "PTO232", "2"),
    "unpack length": (lambda x: pypto.unpack(of(DT_UINT8, [6]), DT_INT32), "PTO263", "multiple of 4"),
    "unpack to BOOL": (lambda x: pypto.unpack(of(DT_UINT8, [8]), pypto.DT_BOOL), "PTO231", "BOOL"),
    "pack BOOL": (lambda x: pypto.pack(x > 0.0), "PTO231", "BOOL"),
    # layouts and sizes
    "gather of NZ": (lambda x: pypto.gather(nz(), 0, of(DT_INT32, [8, 16])), "PTO264", "input of gather"),
    "gather by NZ": (lambda x: pypto.gather(x, 0, nz(DT_INT32)), "PTO264", "index of gather"),
    "select of NZ": (lambda x: pypto.index_select(nz(), 0, line()), "PTO264", "TILEOP_ND"),
    "scatter into NZ": (lambda x: pypto.scatter_(nz(), 0, of(DT_INT32), 1.0), "PTO264", "TILEOP_ND"),
    "scatter of NZ": (lambda x: pypto.scatter(x, 0, of(DT_INT32), nz()), "PTO264", "src of scatter"),
    "add of NZ": (lambda x: pypto.index_add(x, 0, line(), nz()), "PTO264", "source of index_add"),
    "add to NZ": (lambda x: pypto.index_add_(nz(), 0, line(), x), "PTO264", "input of index_add_"),
    "put into NZ": (lambda x: pypto.index_put_(nz(), (line(),), x), "PTO264", "input of index_put_"),
    "put of NZ": (lambda x: pypto.index_put_(x, (line(),), nz()), "PTO264", "values of index_put_"),
    "update of NZ": (lambda x: pypto.scatter_update(nz(), -2, of(DT_INT32, [2, 4]), x), "PTO264", "TILEOP_ND"),
    "permute of NZ": (lambda x: pypto.permute(nz(), [1, 0]), "PTO264", "TILEOP_ND"),
    "sum of NZ": (lambda x: pypto.sum(nz(), 0), "PTO264", "TILEOP_ND"),
    "full of too many": (lambda x: pypto.full([65536, 32768], 1, DT_FP32), "PTO235", "2147483648 elements"),
    "unpack of a cut row": (
        lambda x: pypto.unpack(pypto.view(of(DT_UINT8, [8]), [8], [0], valid_shape=[6]), DT_INT32), "PTO456", "6"
    ),
    "reshape of a cut unpack": (lambda x: pypto.view(x[:, 0:3], dtype=DT_INT64), "PTO253", "3 x 4 bytes"),
    # sorting
    "topk axis": (lambda x: pypto.topk(x, 2, 0), "PTO263", "last axis"),
    "topk 0": (lambda x: pypto.topk(x, 0), "PTO268", "[1, 16]"),
    "topk 17": (lambda x: pypto.topk(x, 17), "PTO268", "[1, 16]"),
    "topk of FP16": (lambda x: pypto.topk(of(DT_FP16), 2), "PTO231", "FP32"),
    "topk of INT64": (lambda x: pypto.topk(pypto.zeros(8, 16, dtype=DT_INT64), 2), "PTO231", "INT64"),
    "topk algo": (lambda x: pypto.topk(x, 2, algo=1), "PTO222", "TopKAlgo"),
    "argsort of BF16": (lambda x: pypto.argsort(of(DT_BF16), -1, True), "PTO231", "BF16"),
    "argsort of axis 0": (lambda x: pypto.argsort(of(DT_FP32, [2, 2, 8, 32]), 0, True), "PTO263", "axis 0"),
    "argsort tile": (lambda x: pypto.argsort(x, -1, True), "PTO328", "multiple of 32"),
    # composites
    "softmax of INT32": (lambda x: pypto.softmax(of(DT_INT32), -1), "PTO231", "INT32"),
    "softmax without axis": (lambda x: pypto.softmax(x), "PTO222", "dim"),
    "gamma dtype": (lambda x: pypto.rms_norm(x, of(DT_FP16, [16])), "PTO228", "DT_FP16"),
    "gamma shape": (lambda x: pypto.rms_norm(x, of(DT_FP32, [8])), "PTO263", "gamma"),
    "rms_norm of a cut axis": (
        lambda x: pypto.rms_norm(pypto.view(x, [8, 16], [0, 0], valid_shape=[8, 9])), "PTO465", "9 are valid"
    ),
    # axes
    "transpose of INT64": (lambda x: pypto.transpose(pypto.zeros(8, 16, dtype=DT_INT64), 0, 1), "PTO231", "INT64"),
    "transpose (0, 1) of rank 4": (lambda x: pypto.transpose(of(DT_FP32, [2, 2, 8, 16]), 0, 1), "PTO263", "permute"),
    "permute from the end": (lambda x: pypto.permute(x, [-1, 0]), "PTO263", "once"),
    "concat of nothing": (lambda x: pypto.concat([]), "PTO263", "1 to 128"),
    "concat dtypes": (lambda x: pypto.concat([x, of(DT_FP16)]), "PTO228", "DT_FP16"),
    "expand INT64": (
        lambda x: pypto.expand_clone(pypto.zeros(1, 16, dtype=DT_INT64), [8, 16]), "PTO231", "INT64"
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.filterwarnings("ignore::pypto.PyptoWarning")
def test_refused(name):
    call, code, words = REFUSED[name]

    def kernel(x: pypto.Tensor([8, 16], DT_FP32), out: pypto.Tensor([8, 16], DT_FP32)):
        pypto.set_vec_tile_shapes(8, 16, 16, 16)
        call(x)
        out[:] = x + 1.0

    x = np.ones((8, 16), np.float32)
    with pytest.raises(PyptoError) as caught:
        pypto.jit(kernel)(x, np.zeros_like(x))
    assert caught.value.code == code, str(caught.value)
    assert words in " ".join(str(caught.value).replace("|", " ").split())
    assert caught.value.site.span.file == __file__


TILES = {
    "topk k": ((8, 8), lambda x: pypto.topk(x, 9), "at least 9"),
    "topk merge": ((1, 5632), lambda x: pypto.topk(x, 4), "less than 5632"),
    "idle transpose": ((8, 12), lambda x: pypto.transpose(x, 1, 1), "lastDimBytes % BLOCK_SIZE"),
    "idle permute": ((8, 4), lambda x: pypto.permute(x, [0, 1]), "lastDimBytes % BLOCK_SIZE"),
    "topk radix": (
        (8, 8), lambda x: pypto.topk(x, 4, algo=pypto.TopKAlgo.RADIX_SELECT), "whole axis"
    ),
    "gather of a cut axis": ((4, 16), lambda x: pypto.gather(x, 0, of(DT_INT32)), "at least 8 on axis 0"),
    "gather along a cut index": (
        (8, 16), lambda x: pypto.gather(x, 1, of(DT_INT32, [8, 24])), "at least 24 on axis 1"
    ),
    "scatter on a cut axis": ((8, 8), lambda x: pypto.scatter(x, 1, of(DT_INT32), 1.0), "at least 16 on axis 1"),
    "scatter in other blocks": (
        (4, 16), lambda x: pypto.scatter_(pypto.clone(x), 1, of(DT_INT32, [4, 16]), 1.0), "8 and 4 long"
    ),
    "add in UB on a cut axis": (
        (4, 16), lambda x: pypto.index_add_ub(x, 0, line(), x), "at least 8 on axis 0"
    ),
    "add in UB along a cut source": (
        (8, 16), lambda x: pypto.index_add__ub(pypto.clone(x), 0, line(12), of(DT_FP32, [12, 16])), "at least 12"
    ),
    "update of cut rows": (
        (4, 8), lambda x: pypto.scatter_update(x, -2, pypto.zeros(2, 4, dtype=DT_INT32), x), "at least 16 on axis 1"
    ),
    "argsort of many pieces": (
        (192, 32), lambda x: pypto.argsort(of(DT_FP32, [192, 4096]), -1, True), "fewer than 128 tiles"
    ),
    "gathermask odd": ((8, 7), lambda x: pypto.gathermask(x, 1), "a multiple of 2"),
    "unpack tile": ((6,), lambda x: pypto.unpack(of(DT_UINT8, [8]), DT_INT32), "a multiple of 4"),
    "scatter_update": (
        (3, 16), lambda x: pypto.scatter_update(x, -2, pypto.zeros(2, 4, dtype=DT_INT32), x), "a divisor of 4"
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", TILES)
def test_tile_that_does_not_suit(name):
    tile, call, words = TILES[name]

    def kernel(x: pypto.Tensor([8, 16], DT_FP32), out: pypto.Tensor([8, 16], DT_FP32)):
        pypto.set_vec_tile_shapes(*tile)
        call(x)
        out[:] = x + 1.0

    x = np.ones((8, 16), np.float32)
    with pytest.raises(PyptoError) as caught:
        pypto.jit(kernel)(x, np.zeros_like(x))
    assert caught.value.code == "PTO328", str(caught.value)
    assert words in " ".join(str(caught.value).replace("|", " ").split())
