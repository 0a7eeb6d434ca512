"""What the documentation forbids about axes, extents, layouts and windows: code, words and the author's line."""

import numpy as np
import pytest

import pypto
from pypto import (
    DT_BF16,
    DT_BOOL,
    DT_FP16,
    DT_FP32,
    DT_INT8,
    DT_INT16,
    DT_INT32,
    DT_INT64,
    DT_UINT8,
    DT_UINT32,
    Element,
    PyptoError,
)

RANK_5 = [1, 1, 1, 8, 16]


def of(dtype, shape=(8, 16)):
    """A tensor of this dtype inside a kernel."""
    return pypto.full(list(shape), 1, dtype)


def zeros(dtype, shape=(8, 16)):
    """The same for the types that `full` does not make."""
    return pypto.zeros(list(shape), dtype=dtype)


def nz(dtype=DT_FP32, shape=(8, 16)):
    """A tensor in the fractal layout."""
    return pypto.tensor(list(shape), dtype, "nz", format=pypto.TileOpFormat.TILEOP_NZ)


def half(shape):
    """An operand of a product."""
    return of(DT_FP16, shape)


# name: (call on x FP32 [8, 16] and out of the same type, code, words of the message)
REFUSED = {
    # element by element: ranks, layouts, operands that do not broadcast
    **{
        f"{name} of rank 5": (
            lambda x, o, name=name: getattr(pypto, name)(pypto.reshape(x, RANK_5)), "PTO232", "5"
        )
        for name in "abs exp neg relu sqrt sigmoid rms_norm isnan logical_not sign".split()
    },
    **{
        f"{name} of NZ": (lambda x, o, name=name: getattr(pypto, name)(nz()), "PTO264", "Only support TILEOP_ND")
        for name in "abs cbrt log2 log10 ceil round rsqrt tan tanh sigmoid isfinite signbit".split()
    },
    **{
        f"{name} of [8, 16] and [8, 8]": (
            lambda x, o, name=name: getattr(pypto, name)(x, x[:, 0:8]), "PTO229", "[8, 16] and [8, 8]"
        )
        for name in "add sub mul div fmod remainder maximum minimum pow atan2 hypot eq ge expand_exp_dif".split()
    },
    **{
        f"{name} of different types": (
            lambda x, o, name=name: getattr(pypto, name)(x, of(DT_BF16)), "PTO228", "DT_BF16"
        )
        for name in "add sub mul div fmod remainder maximum minimum atan2 hypot copysign ne le".split()
    },
    "copysign with a number": (lambda x, o: pypto.copysign(x, 1.0), "PTO223", "copysign"),
    "expand_exp_dif with a number": (lambda x, o: pypto.expand_exp_dif(x, 1.0), "PTO223", "expand_exp_dif"),
    "bitwise_or with a float tensor": (lambda x, o: pypto.bitwise_or(of(DT_INT8), x), "PTO228", "DT_FP32"),
    "shift of two types": (
        lambda x, o: pypto.bitwise_left_shift(of(DT_INT16), of(DT_INT32)), "PTO228", "DT_INT32"
    ),
    "where of two types": (lambda x, o: pypto.where(x > 0.0, x, of(DT_FP16)), "PTO266", "DT_FP16"),
    "where of INT64": (
        lambda x, o: pypto.where(x > 0.0, zeros(DT_INT64), zeros(DT_INT64)), "PTO231", "INT64"
    ),
    "where of UINT32": (
        lambda x, o: pypto.where(x > 0.0, Element(DT_UINT32, 1), Element(DT_UINT32, 2)), "PTO231", "UINT32"
    ),
    "clip bounds of ranks": (lambda x, o: pypto.clip(x[0:1, 0:1], x), "PTO229", "[1, 1] and [8, 16]"),
    # reductions and scans
    **{
        f"{name} out of range": (
            lambda x, o, name=name: getattr(pypto, name)(x, 2), "PTO233", "Axis is not in the reasonable range!"
        )
        for name in "sum amax amin argmax cumsum cumprod softmax argsort".split()
    },
    **{
        f"{name} of rank 5": (
            lambda x, o, name=name: getattr(pypto, name)(pypto.reshape(x, RANK_5), 0), "PTO232", "5"
        )
        for name in "sum amax amin prod argmax argmin cumsum softmax var argsort topk".split()
    },
    "sum without axis": (lambda x, o: pypto.sum(x), "PTO222", "dim"),
    "amin of BOOL": (lambda x, o: pypto.amin(x > 0.0, 0), "PTO231", "BOOL"),
    # shapes, axes, copies
    "view of another rank": (lambda x, o: pypto.view(x, [128], [0]), "PTO236", "1"),
    "view with one offset": (lambda x, o: pypto.view(x, [8, 16], [0]), "PTO236", "offsets"),
    "view with a valid_shape by position": (lambda x, o: pypto.view(x, [8, 16], [0, 0], [4, 16]), "PTO222", "view"),
    "view with a longer valid_shape": (
        lambda x, o: pypto.view(x, [4, 16], [0, 0], valid_shape=[5, 16]), "PTO237", "newValidShapes 5"
    ),
    "view with valid_shape -1": (
        lambda x, o: pypto.view(x, [4, 16], [0, 0], valid_shape=[-1, 16]), "PTO237", "validShape contains -1"
    ),
    "view as wider elements": (lambda x, o: pypto.view(x[:, 0:3], dtype=DT_INT64), "PTO253", "3 x 4 bytes"),
    "reshape to other counts": (lambda x, o: pypto.reshape(x, [8, 15]), "PTO253", "[8, 15]"),
    "reshape by two -1": (lambda x, o: pypto.reshape(x, [-1, -1]), "PTO254", "[-1, -1]"),
    "unsqueeze out of range": (lambda x, o: pypto.unsqueeze(x, 3), "PTO233", "reasonable range"),
    "assemble types": (lambda x, o: pypto.assemble(of(DT_FP16), [0, 0], o), "PTO247", "DT_FP16"),
    "assemble ranks": (lambda x, o: pypto.assemble(of(DT_FP32, [16]), [0], o), "PTO248", "[16]"),
    "assemble offsets": (lambda x, o: pypto.assemble(x, [0], o), "PTO249", "offset"),
    "assemble formats": (lambda x, o: pypto.assemble(nz(), [0, 0], o), "PTO250", "TILEOP_NZ"),
    "atomic_add ranks": (lambda x, o: pypto.atomic_add(of(DT_FP32, [16]), [0], o), "PTO248", "[16]"),
    "atomic_add of UINT8": (
        lambda x, o: pypto.atomic_add(of(DT_UINT8), [0, 0], of(DT_UINT8)), "PTO231", "UINT8"
    ),
    "atomic_add formats": (lambda x, o: pypto.atomic_add(nz(), [0, 0], o), "PTO250", "TILEOP_NZ"),
    "concat of 129": (lambda x, o: pypto.concat([x] * 129), "PTO263", "129"),
    "concat extents": (lambda x, o: pypto.concat([x, x[:, 0:8]], 0), "PTO229", "along axis 0"),
    "concat ranks": (lambda x, o: pypto.concat([x, of(DT_FP32, [16])]), "PTO229", "[16]"),
    "concat axis": (lambda x, o: pypto.concat([x, x], 2), "PTO233", "reasonable range"),
    "concat of a cut tensor": (
        lambda x, o: pypto.concat([pypto.view(x, [8, 16], [0, 0], valid_shape=[8, 9]), x], 1), "PTO263", "up to 9"
    ),
    "concat of BOOL": (lambda x, o: pypto.concat([x > 0.0, x > 0.0]), "PTO231", "BOOL"),
    "concat of a tensor": (lambda x, o: pypto.concat(x), "PTO222", "must be a list"),
    "expand_clone extents": (lambda x, o: pypto.expand_clone(x, [16, 16]), "PTO229", "[8, 16] to [16, 16]"),
    "expand_clone ranks": (lambda x, o: pypto.expand_clone(x, [1, 8, 16]), "PTO229", "[1, 8, 16]"),
    "transpose axis": (lambda x, o: pypto.transpose(x, 0, 2), "PTO233", "reasonable range"),
    "transpose (0, 3) of rank 4": (
        lambda x, o: pypto.transpose(of(DT_FP32, [2, 2, 8, 16]), 0, 3), "PTO263", "use permute"
    ),
    "transpose (2, 3) of rank 5": (
        lambda x, o: pypto.transpose(pypto.reshape(of(DT_FP32, [2, 2, 8, 16]), [1, 2, 2, 8, 16]), 2, 3), "PTO263",
        "a 5-D tensor",
    ),
    "transpose of BOOL": (lambda x, o: pypto.transpose(x > 0.0, 0, 1), "PTO231", "BOOL"),
    "permute length": (lambda x, o: pypto.permute(x, [0]), "PTO263", "each of the 2 axes"),
    "permute of rank 6": (lambda x, o: pypto.permute(pypto.reshape(x, [1, *RANK_5]), [0] * 6), "PTO232", "6"),
    "pad of rank 5": (lambda x, o: pypto.pad(pypto.reshape(x, RANK_5), [0, 1, 0, 0]), "PTO232", "5"),
    "fillpad mode": (lambda x, o: pypto.fillpad(x, "edge"), "PTO268", "constant"),
    "fillpad ints by floats": (lambda x, o: pypto.fillpad(of(DT_INT32), value=0.5), "PTO227", "float scalar"),
    "tril of rank 6": (lambda x, o: pypto.tril(pypto.reshape(x, [1, *RANK_5])), "PTO232", "6"),
    "full with a longer valid_shape": (
        lambda x, o: pypto.full([8, 16], 1, DT_FP32, valid_shape=[9, 16]), "PTO237", "9"
    ),
    "zeros of a negative extent": (lambda x, o: pypto.zeros(8, -1), "PTO235", "-1"),
    # indices
    "gather extents": (lambda x, o: pypto.gather(x[0:4, :], 1, of(DT_INT32)), "PTO263", "extent 8 on axis 0"),
    "gather axis": (lambda x, o: pypto.gather(x, 2, of(DT_INT32)), "PTO233", "reasonable range"),
    "index_select of rank 5": (
        lambda x, o: pypto.index_select(pypto.reshape(x, RANK_5), 0, of(DT_INT32, [8])), "PTO232", "5"
    ),
    "scatter extents": (
        lambda x, o: pypto.scatter(x[:, 0:8], 0, of(DT_INT32), 1.0), "PTO263", "extent 16 on axis 1"
    ),
    "scatter beyond src": (
        lambda x, o: pypto.scatter(x, 0, of(DT_INT32), x[0:4, :]), "PTO263", "reaches beyond src [4, 16]"
    ),
    "scatter by INT8": (lambda x, o: pypto.scatter(x, 0, of(DT_INT8), 1.0), "PTO262", "int32 or int64"),
    "scatter types": (lambda x, o: pypto.scatter(x, 0, of(DT_INT32), of(DT_FP16)), "PTO228", "DT_FP16"),
    "index_add ranks": (
        lambda x, o: pypto.index_add(x, 0, of(DT_INT32, [8]), of(DT_FP32, [8])), "PTO230", "2 and 1"
    ),
    "index_add alpha": (
        lambda x, o: pypto.index_add(of(DT_INT8), 0, of(DT_INT32, [8]), of(DT_INT8), alpha=128), "PTO268", "alpha 128"
    ),
    "index_put_ of BOOL": (
        lambda x, o: pypto.index_put_(zeros(DT_BOOL), (of(DT_INT32, [8]),), zeros(DT_BOOL)), "PTO231", "BOOL"
    ),
    "scatter_update by UINT8": (
        lambda x, o: pypto.scatter_update(x, -2, of(DT_UINT8, [2, 4]), x), "PTO262", "UINT8"
    ),
    # products
    "matmul ranks": (
        lambda x, o: pypto.matmul(half((1, 32, 32)), half((32, 32)), DT_FP16), "PTO270", "both in [2, 3, 4]"
    ),
    "matmul of vectors": (lambda x, o: pypto.matmul(half((32,)), half((32,)), DT_FP16), "PTO270", "1 and 1"),
    "matmul K": (
        lambda x, o: pypto.matmul(half((32, 32)), half((16, 32)), DT_FP16), "PTO274", "K-dimension valid shape"
    ),
    "matmul batches": (
        lambda x, o: pypto.matmul(half((2, 32, 32)), half((3, 32, 32)), DT_FP16), "PTO278", "batchSize invalid"
    ),
    "matmul to NZ": (
        lambda x, o: pypto.matmul(half((32, 32)), half((32, 32)), DT_FP16, c_matrix_nz=True), "PTO276", "NZ"
    ),
    "matmul without out_dtype": (lambda x, o: pypto.matmul(half((32, 32)), half((32, 32))), "PTO222", "out_dtype"),
    "matmul key": (
        lambda x, o: pypto.matmul(half((32, 32)), half((32, 32)), DT_FP16, extend_params={"bias": x}), "PTO275",
        "no key 'bias'",
    ),
    "matmul list of extras": (
        lambda x, o: pypto.matmul(half((32, 32)), half((32, 32)), DT_FP16, extend_params=[x]), "PTO222",
        "must be a dict",
    ),
    "matmul bias rank": (
        lambda x, o: pypto.matmul(
            half((1, 1, 32, 32)), half((1, 1, 32, 32)), DT_FP16, extend_params={"bias_tensor": half((1, 1, 32))}
        ),
        "PTO275", "dimension mismatch for 4D",
    ),
    "matmul bias shape": (
        lambda x, o: pypto.matmul(
            half((32, 32)), half((32, 32)), DT_FP16, extend_params={"bias_tensor": half((1, 16))}
        ),
        "PTO275", "[1, 32]",
    ),
    "@ of INT32": (lambda x, o: of(DT_INT32, (32, 32)) @ of(DT_INT32, (32, 32)), "PTO277", "unsupported dtype"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.filterwarnings("ignore::pypto.PyptoWarning")
def test_refused(name):
    call, code, words = REFUSED[name]

    def kernel(x: pypto.Tensor([8, 16], DT_FP32), out: pypto.Tensor([8, 16], DT_FP32)):
        pypto.set_vec_tile_shapes(8, 32, 16, 16)
        pypto.set_cube_tile_shapes([32, 32], [32, 32], [32, 32])
        call(x, out)
        out[:] = x + 1.0

    x = np.ones((8, 16), np.float32)
    with pytest.raises(PyptoError) as caught:
        pypto.jit(kernel)(x, np.zeros_like(x))
    assert caught.value.code == code, str(caught.value)
    assert words in " ".join(str(caught.value).replace("|", " ").split())
    assert caught.value.site.span.file == __file__
