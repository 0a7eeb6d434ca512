"""Operations that copy elements: the same bits in every element type of their tables, several ranks and axes."""

import numpy as np
import pytest

import pypto
from openpto.ir.dtypes import DataType, numpy_dtype
from openpto.ops import OPS

# name: (operation, the call on x [2, 8, 16] and i, an index into axis 1 or 0 or an INT32 tensor, what numpy does)
COPIES = {
    "view": ("view", lambda x, i: pypto.view(x, [2, 4, 8], [0, 3, 5]), lambda x, i: x[:, 3:7, 5:13]),
    "slice": ("view", lambda x, i: x[1:2, :, 2:10], lambda x, i: x[1:2, :, 2:10]),
    "clone": ("clone", lambda x, i: pypto.clone(x), lambda x, i: x),
    "reshape": ("reshape", lambda x, i: pypto.reshape(x, [16, 16]), lambda x, i: x.reshape(16, 16)),
    "unsqueeze": ("unsqueeze", lambda x, i: pypto.unsqueeze(x, -2), lambda x, i: x[:, :, None, :]),
    "transpose": ("transpose", lambda x, i: pypto.transpose(x, 0, -1), lambda x, i: x.swapaxes(0, 2)),
    "permute": ("permute", lambda x, i: pypto.permute(x, [1, 2, 0]), lambda x, i: x.transpose(1, 2, 0)),
    "concat 0": ("concat", lambda x, i: pypto.concat([x, x]), lambda x, i: np.concatenate([x, x])),
    "concat -1": (
        "concat", lambda x, i: pypto.concat([x, x[:, :, 0:5]], -1), lambda x, i: np.concatenate([x, x[..., :5]], -1)
    ),
    "expand_clone": (
        "expand_clone",
        lambda x, i: pypto.expand_clone(x[0:1, :, 3:4], [3, 8, 6]),
        lambda x, i: np.broadcast_to(x[:1, :, 3:4], (3, 8, 6)),
    ),
    "pad": ("pad", lambda x, i: pypto.pad(x, [0, 3, 0, 1]), lambda x, i: np.pad(x, ((0, 0), (0, 1), (0, 3)))),
    "tril": ("tril", lambda x, i: pypto.tril(x, 1), lambda x, i: np.where(np.tri(8, 16, 1, bool), x, x.dtype.type(0))),
    "triu": ("triu", lambda x, i: pypto.triu(x, 2), lambda x, i: np.where(np.tri(8, 16, 1, bool), x.dtype.type(0), x)),
    "gather": (
        "gather",
        lambda x, i: pypto.gather(x, 1, pypto.reshape(i, [2, 4, 1])),
        lambda x, i: np.take_along_axis(x[..., :1], i.reshape(2, 4, 1), 1),
    ),
    "index_select": ("index_select", lambda x, i: pypto.index_select(x, 1, i), lambda x, i: x[:, i]),
    "gathermask": ("gathermask", lambda x, i: pypto.gathermask(x, 4), lambda x, i: x[..., 1::4]),
    "deinterleave": ("deinterleave", lambda x, i: pypto.deinterleave(x)[1], lambda x, i: x[..., 1::2]),
    "deinterleave 2": (
        "deinterleave",
        lambda x, i: pypto.deinterleave(x, x)[0],
        lambda x, i: np.concatenate([x, x], -1)[..., ::2],
    ),
    "interleave": (
        "interleave",
        lambda x, i: pypto.interleave(x, x)[1],
        lambda x, i: np.repeat(x, 2, -1)[..., 16:],
    ),
    "scatter": (
        "scatter",
        lambda x, i: pypto.scatter(x, 1, pypto.reshape(i, [2, 4, 1]), x),
        lambda x, i: scattered(x, i.reshape(2, 4)),
    ),
    "zeros": (
        "zeros",
        lambda x, i: pypto.concat([x, pypto.zeros(2, 8, 16, dtype=x.dtype)]),
        lambda x, i: np.concatenate([x, np.zeros_like(x)]),
    ),
    "ones": (
        "ones",
        lambda x, i: pypto.concat([x, pypto.ones(2, 8, 16, dtype=x.dtype)]),
        lambda x, i: np.concatenate([x, np.ones_like(x)]),
    ),
}  # fmt: skip
JOINED = OPS["concat"].dtypes.union


def scattered(x, index):
    found = x.copy()
    for a in range(2):
        for b in range(4):
            found[a, index[a, b], 0] = x[a, b, 0]
    return found


def element_types(name):
    """The types of an operation's table that a host array can hold."""
    if name in ("zeros", "ones"):
        return JOINED
    declared = OPS[name].dtypes
    found = set(DataType) if declared is None else declared.union
    for dtype in sorted(found):
        try:
            numpy_dtype(dtype)
        except KeyError:
            found = found - {dtype}
    return found


CASES = [(name, dtype) for name, (op, _, _) in COPIES.items() for dtype in sorted(element_types(op))]


def raw(array):
    return array.view(f"u{array.dtype.itemsize}")


@pytest.mark.parametrize(("name", "dtype"), CASES, ids=lambda v: str(v).removeprefix("DataType."))
@pytest.mark.filterwarnings("ignore::pypto.PyptoWarning")
def test_bits_are_copied(name, dtype):
    _, call, golden = COPIES[name]
    host = numpy_dtype(dtype)
    rng = np.random.default_rng(1)
    x = rng.integers(0, 2, (2, 8, 16)).astype(bool)
    if host != np.bool_:
        bits = rng.integers(0, 2 ** min(8 * host.itemsize, 62), (2, 8, 16), np.int64)
        x = bits.astype(f"u{host.itemsize}").view(host)
        if host.itemsize == 1 and host.kind == "V":
            x = raw(x) & np.uint8(0x77)  # neither NaN nor infinities: all patterns that are left differ
            x = x.view(host)
    i = np.array([3, 0, 7, 1, 2, 2, 6, 5], np.int32)
    want = golden(x, i)
    out = np.zeros(want.shape, host)

    def kernel(x, i, out):
        pypto.set_vec_tile_shapes(4, 8, 16, 4)
        out[:] = call(x, i)

    kernel.__annotations__.update(
        x=pypto.Tensor([2, 8, 16], dtype),
        i=pypto.Tensor([8], pypto.DT_INT32),
        out=pypto.Tensor(list(want.shape), dtype),
    )
    pypto.jit(kernel)(x, i, out)
    np.testing.assert_array_equal(raw(out), raw(np.ascontiguousarray(want)))
