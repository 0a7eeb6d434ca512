"""Reading by subscript (semantics 2, core 7.2)."""

import numpy as np
import pytest
from semantics_support import F32, I32, I64, UNWRITTEN, D, T, blank, fails, jit, whole

import pypto


def read_into(shape_in, shape_out, key, tile=None):
    """Run `o[:] = x[key] + 0` for a Python key, and return input and output."""

    @jit
    def kernel(x: T(list(shape_in), F32), o: T(list(shape_out), F32)):
        pypto.set_vec_tile_shapes(*(tile or (4,) * (len(shape_in) - 1) + (16,)))
        o[:] = x[key] + 0.0

    x, o = whole(*shape_in), blank(*shape_out)
    kernel(x, o)
    return x, o


@pytest.mark.parametrize(
    ("key", "numpy_key"),
    [
        (slice(1, 3), np.s_[1:3]),
        ((slice(1, 3), slice(2, 6)), np.s_[1:3, 2:6]),
        ((slice(None), slice(0, 5)), np.s_[:, 0:5]),
        ((slice(None, 3), slice(2, None)), np.s_[:3, 2:]),
        ((slice(-3, -1), slice(None, -2)), np.s_[-3:-1, :-2]),
        ((2, slice(None)), np.s_[2, :]),
        ((-1,), np.s_[-1]),
        (3, np.s_[3]),
        ((slice(None), -2), np.s_[:, -2]),
        ((Ellipsis, slice(4, 8)), np.s_[..., 4:8]),
        ((slice(1, 2), Ellipsis), np.s_[1:2, ...]),
        (Ellipsis, np.s_[...]),
        ((), np.s_[()]),
        ((slice(0, 4, 1), slice(0, 8, None)), np.s_[0:4, 0:8]),
        (True, np.s_[1]),
    ],
    ids=str,
)
def test_two_axes(key, numpy_key):
    """Slices, ints (which drop the axis), negative bounds from a static end, `...`, missing keys, bool as int."""
    shape = np.empty((4, 8))[numpy_key].shape
    x, o = read_into((4, 8), shape, key)
    assert np.array_equal(o, x[numpy_key])


@pytest.mark.parametrize(
    "key",
    [
        np.s_[1],
        np.s_[1, 2],
        np.s_[:, 2],
        np.s_[:, :, 3],
        np.s_[1, :, 3],
        np.s_[0:2, 1, 2:5],
        np.s_[..., 1],
        np.s_[1, ...],
        np.s_[0, ..., 2:4],
        np.s_[-2:, 1:-1, -3],
    ],
    ids=str,
)
def test_three_axes(key):
    """The same on three axes."""
    shape = np.empty((3, 4, 8))[key].shape
    x, o = read_into((3, 4, 8), shape, key, tile=(4, 4, 16))
    assert np.array_equal(o, x[key])


def test_nothing_but_empty_slices_is_the_object_itself():
    """`t[:]`, `t[:, :]`, `t[()]` are the same object; `t[...]` is a full view."""

    @jit
    def kernel(x: T([4, 8], F32), o: T([4, 8], F32), p: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        a = x * 1.0
        assert a[:] is a
        assert a[:, :] is a
        assert a[()] is a
        same, view = a[:], a[...]
        a[:] = x + 7.0
        o[:] = same + 0.0
        p[:] = view + 0.0

    x, o, p = whole(4, 8), blank(4, 8), blank(4, 8)
    kernel(x, o, p)
    assert np.array_equal(o, x + 7)
    assert np.array_equal(p, x)


def test_symbolic_bounds_with_a_fixed_extent():
    """Bounds may be symbolic if their difference folds to an int."""

    @jit
    def kernel(x: T([D, 8], F32), o: T([D, 8], F32), p: T([D, 8], F32)):
        pypto.set_vec_tile_shapes(2, 8)
        for i in pypto.loop(x.shape[0] // 2, name="pairs", idx_name="i"):
            o[i * 2 : i * 2 + 2, 0:8] = x[i * 2 : (i + 1) * 2, :] + 1.0
            p[2 * i : 2 * i + 2, 0:8] = x[i + i : 2 + i + i, 0:8] * 2.0

    for rows in (2, 6):
        x, o, p = whole(rows, 8), blank(rows, 8), blank(rows, 8)
        kernel(x, o, p)
        assert np.array_equal(o, x + 1)
        assert np.array_equal(p, x * 2)


def test_symbolic_index_drops_the_axis():
    """A symbolic int index is a view with extent 1 and a reshape."""

    @jit
    def kernel(x: T([D, 3, 8], F32), o: T([D, 3, 8], F32)):
        pypto.set_vec_tile_shapes(3, 8)
        n = x.shape[0]
        for i in pypto.loop(n, name="blocks", idx_name="i"):
            block = x[n - 1 - i]
            assert block.shape == [3, 8]
            o[i] = block + 1.0

    x, o = whole(5, 3, 8), blank(5, 3, 8)
    kernel(x, o)
    assert np.array_equal(o, x[::-1] + 1)


def test_extent_past_the_end_is_cut():
    """An extent past the end gives the asked shape and a cut valid_shape."""

    @jit
    def kernel(x: T([6, 8], F32), o: T([8, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        part = x[4:8, :]
        assert part.shape == [4, 8]
        assert [int(v) for v in part.valid_shape] == [2, 8]
        pypto.assemble(part + 1.0, [0, 0], o)

    x, o = whole(6, 8), blank(8, 8)
    kernel(x, o)
    assert np.array_equal(o[:2], x[4:] + 1)
    assert (o[2:] == UNWRITTEN).all()


def test_tail_of_a_dynamic_axis_is_cut():
    """The same at run time: the last block of a dynamic axis."""

    @jit
    def kernel(x: T([D, 8], F32), o: T([D, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        n = x.shape[0]
        for i in pypto.loop(0, n, 4, name="blocks", idx_name="i"):
            pypto.assemble(x[i : i + 4, :] + 1.0, [i, 0], o)

    for rows in (1, 4, 5, 11):
        x, o = whole(rows, 8), blank(rows, 8)
        kernel(x, o)
        assert np.array_equal(o, x + 1)


@pytest.mark.parametrize(
    ("body", "match"),
    [
        (lambda x, n: x[0:n, :], "Not concrete value|Cannot convert symbols to int"),
        (lambda x, n: x[n:, :], "Not concrete value|Cannot convert symbols to int"),
        (lambda x, n: x[0:8:2, :], "step must be 1 or None"),
        (lambda x, n: x[1, 2, 3], "rank not match|Too many indices"),
        (lambda x, n: x[0:1, 0:1, 0:1], "rank not match|Too many indices"),
        (lambda x, n: x[..., ...], r"Only one \.\.\. is supported"),
        (lambda x, n: x[None], "Invalid key type|None"),
        (lambda x, n: x[[0, 1]], "Invalid key type|list"),
        (lambda x, n: x["a"], "Invalid key type|str"),
        (lambda x, n: x[1.5], "Invalid key type|float"),
        (lambda x, n: x[3:1, :], "shape|revers|extent"),
        (lambda x, n: x[x], "Invalid key type|Tensor"),
    ],
    ids=[
        "symbolic-stop",
        "symbolic-start-open",
        "step",
        "too-many-ints",
        "too-many-slices",
        "two-ellipses",
        "none",
        "list",
        "str",
        "float",
        "reversed",
        "tensor",
    ],
)
def test_refused_keys(body, match):
    """Keys that have no meaning are refused with the documented phrase."""

    @jit
    def kernel(x: T([8, 8], F32), o: T([8, 8], F32), ns: T([2], I32)):
        pypto.set_vec_tile_shapes(4, 8)
        n = ns[0]
        o[:] = body(x, n)

    with fails(match):
        kernel(whole(8, 8), blank(8, 8), np.array([4, 0], np.int32))


def test_open_slice_on_a_dynamic_axis():
    """`:` on a DYNAMIC dim together with other keys has no static extent."""

    @jit
    def kernel(x: T([D, 8], F32), o: T([8, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        o[:] = x[:, 0:8]

    with fails("Not concrete value|Cannot convert symbols to int", line="o[:] = x[:, 0:8]"):
        kernel(whole(8, 8), blank(8, 8))


def test_index_out_of_range():
    """A constant int index outside a static axis is an error; numpy's rule for negative ones."""

    @jit
    def kernel(x: T([4, 8], F32), o: T([8], F32), row):
        pypto.set_vec_tile_shapes(16)
        o[:] = x[row] + 0.0

    x, o = whole(4, 8), blank(8)
    kernel(x, o, -4)
    assert np.array_equal(o, x[0])
    for row in (4, -5):
        with fails("range|outside|beyond|bounds"):
            kernel(x, o, row)


def test_scalar_read_by_all_ints():
    """All ints or symbols read one element as a scalar."""

    @jit
    def kernel(at: T([2, 3], I32), x: T([8, 8], F32), o: T([2, 8], F32)):
        pypto.set_vec_tile_shapes(1, 8)
        for i in pypto.loop(2, name="rows", idx_name="i"):
            row = at[i, 2]
            pypto.assemble(pypto.view(x, [1, 8], [row, 0]) + 0.0, [i, 0], o)

    at = np.array([[0, 1, 7], [2, 3, 5]], np.int32)
    x, o = whole(8, 8), blank(2, 8)
    kernel(at, x, o)
    assert np.array_equal(o, x[[7, 5]])


def test_scalar_read_of_int64_and_negative_index():
    """Any integer dtype of a kernel input can be read; a negative int counts from the static end."""

    @jit
    def kernel(at: T([3], I64), x: T([8, 8], F32), o: T([1, 8], F32)):
        pypto.set_vec_tile_shapes(1, 8)
        pypto.assemble(pypto.view(x, [1, 8], [at[-1], 0]) + 0.0, [0, 0], o)

    x, o = whole(8, 8), blank(1, 8)
    kernel(np.array([1, 2, 6], np.int64), x, o)
    assert np.array_equal(o[0], x[6])


def test_scalar_read_of_a_float_tensor():
    """A float tensor has no scalar read."""

    @jit
    def kernel(x: T([4, 8], F32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        n = x[0, 0]
        o[:] = pypto.view(x, [4, 8], [n, 0])

    with fails("dtype must be DT_INT32|integer", line="n = x[0, 0]"):
        kernel(whole(4, 8), blank(4, 8))


def test_scalar_read_out_of_range_at_run_time():
    """A symbolic index outside the tensor stops with the line and the numbers."""

    @jit
    def kernel(at: T([4], I32), x: T([8, 8], F32), o: T([8, 8], F32)):
        pypto.set_vec_tile_shapes(1, 8)
        for i in pypto.loop(5, name="rows", idx_name="i"):
            row = at[i]
            pypto.assemble(pypto.view(x, [1, 8], [row, 0]) + 0.0, [row, 0], o)

    with fails(r"\b4\b.*", line="row = at[i]") as caught:
        kernel(np.arange(4, dtype=np.int32), whole(8, 8), blank(8, 8))
    assert [frame.value for frame in caught.value.site.loops] == [4]


def test_gather_by_slice():
    """`t[dim:index]` gathers along dim."""

    @jit
    def kernel(x: T([4, 8], F32), index: T([2, 8], I32), o: T([2, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        o[:] = x[0:index] + 0.0

    x, o = whole(4, 8), blank(2, 8)
    index = np.random.default_rng(5).integers(0, 4, (2, 8)).astype(np.int32)
    kernel(x, index, o)
    assert np.array_equal(o, np.take_along_axis(x, index, 0))


def test_gather_dim_must_be_int():
    """The dim of a gather by slice is an int."""

    @jit
    def kernel(x: T([4, 8], F32), index: T([2, 8], I32), o: T([2, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        o[:] = x["a":index]

    with fails("gather key.start must be int", line='x["a":index]'):
        kernel(whole(4, 8), np.zeros((2, 8), np.int32), blank(2, 8))


@pytest.mark.parametrize(
    ("use", "match"),
    [
        (lambda t: list(t), "iterable"),
        (lambda t: len(t), "len"),
        (lambda t: bool(t), "bool|condition|truth"),
        (lambda t: float(t), "float"),
        (lambda t: hash(t), "hash"),
    ],
    ids=["iterate", "len", "bool", "float", "hash"],
)
def test_what_a_tensor_is_not(use, match):
    """No iteration, len, bool, float, hash of a tensor (core 7.1)."""

    @jit
    def kernel(x: T([4, 8], F32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        use(x)
        o[:] = x + 1.0

    with pytest.raises(TypeError, match=rf"(?i){match}"):
        kernel(whole(4, 8), blank(4, 8))


def test_unpacking_a_tensor():
    """`a, b = t`: Tensor is not iterable."""

    @jit
    def kernel(x: T([2, 8], F32), o: T([2, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        _p, _q = x
        o[:] = x + 1.0

    with fails("not iterable", line="_p, _q = x"):
        kernel(whole(2, 8), blank(2, 8))


def test_scalar_reads_of_every_rank():
    """Scalars are read from tensors of one to four axes."""

    @jit
    def kernel(a: T([3], I32), b: T([2, 3], I32), c: T([2, 2, 3], I32), d: T([2, 1, 2, 3], I32), o: T([4], I32)):
        for i in pypto.loop(2, 3, name="L", idx_name="i"):
            o[0] = a[i]
            o[1] = b[i - 1, i]
            o[2] = c[1, i - 2, i]
            o[3] = d[i - 1, 0, 1, -1]

    a, b, c, d = (
        np.arange(n, dtype=np.int32).reshape(s) for n, s in ((3, 3), (6, (2, 3)), (12, (2, 2, 3)), (12, (2, 1, 2, 3)))
    )
    o = np.zeros(4, np.int32)
    kernel(a, b, c, d, o)
    assert o.tolist() == [a[2], b[1, 2], c[1, 0, 2], d[1, 0, 1, 2]]
