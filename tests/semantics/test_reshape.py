"""reshape and the shape ops (semantics 3 and 8, Reshape; core 7.4)."""

import numpy as np
import pytest
from semantics_support import F32, I32, UNWRITTEN, D, T, blank, fails, jit, silent, warns, whole

import pypto


def apply(build, shape, out, tile=(4, 8, 8, 8)):
    """`assemble(build(x), 0, o)`: input and output."""

    @jit
    def kernel(x: T(list(shape), F32), o: T(list(out), F32)):
        pypto.set_vec_tile_shapes(*tile)
        pypto.assemble(build(x), [0] * len(out), o)

    x, o = whole(*shape), blank(*out)
    kernel(x, o)
    return x, o


@pytest.mark.parametrize("target", [[32], [2, 16], [1, 4, 8], [4, 1, 8], [2, 2, 2, 4], [8, -1], [-1], [4, 8]], ids=str)
def test_row_major(target):
    """A reshape keeps the row-major order; one -1 is inferred."""
    want = np.empty((4, 8)).reshape(target)
    x, o = apply(lambda x: pypto.reshape(x, target) + 0.0, (4, 8), want.shape)
    assert np.array_equal(o, x.reshape(target))
    x, o = apply(lambda x: x.reshape(target) * 2.0, (4, 8), want.shape)
    assert np.array_equal(o, x.reshape(target) * 2)


@pytest.mark.parametrize(
    ("target", "match"),
    [
        ([-1, -1], "Only one dim can be inferred"),
        ([5, 8], "Shape size not match"),
        ([16], "Shape size not match"),
        ([-1, 5], "Shape size not match|inferred|divide"),
        ([4, 8.0], "int"),
        ([0, 8], "Shape size not match|0"),
    ],
    ids=str,
)
def test_wrong_targets(target, match):
    """The element count must match."""
    with fails(match):
        apply(lambda x: pypto.reshape(x, target), (4, 8), (4, 8))


def test_symbolic_target_needs_inplace():
    """A symbolic target is only for inplace=True."""

    @jit
    def kernel(x: T([4, 8], F32), n: T([1], I32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        o[:] = pypto.reshape(x, [n[0], 8])

    with fails("requires integer shape when using non-inplace reshape"):
        kernel(whole(4, 8), np.array([4], np.int32), blank(4, 8))


def test_inplace_of_a_dynamic_tensor():
    """inplace=True takes a symbolic target: a dynamic tensor seen with another rank."""

    @jit
    def kernel(x: T([D, 4, 8], F32), o: T([D, 32], F32)):
        pypto.set_vec_tile_shapes(1, 32)
        flat = pypto.reshape(x, [x.shape[0], 32], inplace=True)
        for i in pypto.loop(x.shape[0], name="L", idx_name="i"):
            pypto.assemble(pypto.view(flat, [1, 32], [i, 0]) + 1.0, [i, 0], o)

    for n in (1, 5):
        x, o = whole(n, 4, 8), blank(n, 32)
        kernel(x, o)
        assert np.array_equal(o, x.reshape(n, 32) + 1)


def test_inplace_of_an_output():
    """Writing through an in-place reshape of a parameter writes the parameter."""

    @jit
    def kernel(x: T([4, 8], F32), o: T([32], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        rows = pypto.reshape(o, [4, 8], inplace=True)
        rows[1:3, 0:8] = x[0:2, :] + 1.0

    x, o = whole(4, 8), blank(32)
    kernel(x, o)
    want = blank(4, 8)
    want[1:3] = x[:2] + 1
    assert np.array_equal(o, want.reshape(32))


def test_inplace_ignores_valid_shape():
    """valid_shape with inplace=True is ignored with a warning."""

    @jit
    def kernel(x: T([4, 8], F32), o: T([2, 16], F32)):
        pypto.set_vec_tile_shapes(4, 16)
        t = x * 1.0
        r = pypto.reshape(t, [2, 16], valid_shape=[1, 16], inplace=True)
        o[:] = r + 0.0

    x, o = whole(4, 8), blank(2, 16)
    with warns("valid_shape", line="r = pypto.reshape"):
        kernel(x, o)
    assert np.array_equal(o, x.reshape(2, 16))


def test_carried_cut():
    """Without valid_shape a cut of the outermost non-unit axis that survives is carried over exactly; warn."""

    @jit
    def kernel(x: T([4, 2, 8], F32), n: T([1], I32), o: T([4, 16], F32), m: T([1], I32)):
        pypto.set_vec_tile_shapes(4, 2, 8)
        v = pypto.view(x, [4, 2, 8], [0, 0, 0], valid_shape=[n[0], 2, 8])
        r = pypto.reshape(v, [4, 16])
        m[0] = r.valid_shape[0]
        pypto.assemble(r * 2.0, [0, 0], o)

    def call():
        for n in (1, 3, 4):
            x, o, m = whole(4, 2, 8), blank(4, 16), np.zeros(1, np.int32)
            kernel(x, np.array([n], np.int32), o, m)
            assert m[0] == n
            want = blank(4, 16)
            want[:n] = x[:n].reshape(n, 16) * 2
            assert np.array_equal(o, want)

    call()


def test_unit_axes_carry():
    """Leading unit axes do not count: [1, 4, 1, 8] cut at its second axis to [4, 8]."""

    @jit
    def kernel(x: T([1, 4, 1, 8], F32), n: T([1], I32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(1, 4, 1, 8)
        v = pypto.view(x, [1, 4, 1, 8], [0, 0, 0, 0], valid_shape=[1, n[0], 1, 8])
        pypto.assemble(pypto.reshape(v, [4, 8]) * 2.0, [0, 0], o)

    x, o = whole(1, 4, 1, 8), blank(4, 8)
    kernel(x, np.array([3], np.int32), o)
    assert np.array_equal(o[:3], x.reshape(4, 8)[:3] * 2)
    assert (o[3:] == UNWRITTEN).all()


def test_explicit_valid_shape_of_equal_count():
    """With a valid_shape of equal element count the k-th valid element becomes the k-th valid element."""

    @jit
    def kernel(x: T([4, 8], F32), o: T([8, 4], F32)):
        pypto.set_vec_tile_shapes(8, 8)
        v = pypto.view(x, [4, 8], [0, 0], valid_shape=[3, 4])
        pypto.assemble(pypto.reshape(v, [8, 4], valid_shape=[6, 2]) + 0.0, [0, 0], o)

    x, o = whole(4, 8), blank(8, 4)
    kernel(x, o)
    want = blank(8, 4)
    want[:6, :2] = x[:3, :4].reshape(6, 2)
    assert np.array_equal(o, want)


def test_explicit_valid_shape_of_a_full_source():
    """From a fully valid source a smaller valid_shape just cuts."""

    @jit
    def kernel(x: T([4, 8], F32), n: T([1], I32), o: T([2, 16], F32)):
        pypto.set_vec_tile_shapes(4, 16)
        pypto.assemble(pypto.reshape(x, [2, 16], valid_shape=[n[0], 16]) + 0.0, [0, 0], o)

    x, o = whole(4, 8), blank(2, 16)
    kernel(x, np.array([1], np.int32), o)
    assert np.array_equal(o[0], x.reshape(2, 16)[0])
    assert (o[1] == UNWRITTEN).all()


def test_chunk_to_rows_and_back():
    """The pattern of packed sequences: [L, 1, D] cut to live rows, to [L, D] and back."""

    @jit
    def kernel(x: T([D, 2, 8], F32), o: T([D, 2, 8], F32)):
        pypto.set_vec_tile_shapes(4, 1, 8)
        n = x.shape[0]
        for h in pypto.loop(2, name="H", idx_name="h"):
            for s in pypto.loop(0, n, 4, name="S", idx_name="s"):
                live = (n - s).min(4)
                v = pypto.view(x, [4, 1, 8], [s, h, 0], valid_shape=[live, 1, 8])
                rows = pypto.reshape(v, [4, 8], valid_shape=[live, 8])
                pypto.set_vec_tile_shapes(4, 8)
                if pypto.is_loop_end(s):
                    rows = pypto.fillpad(rows, "constant", 0.0)
                total = rows - pypto.sum(rows, 0, True)
                pypto.set_vec_tile_shapes(4, 1, 8)
                back = pypto.reshape(total, [4, 1, 8], valid_shape=[live, 1, 8])
                pypto.assemble(back, [s, h, 0], o)

    for n in (1, 4, 5, 11):
        x, o = whole(n, 2, 8), blank(n, 2, 8)
        kernel(x, o)
        want = np.concatenate([x[s : s + 4] - x[s : s + 4].sum(0) for s in range(0, n, 4)])
        assert np.array_equal(o, want)


def test_unsqueeze():
    """unsqueeze inserts an axis of extent 1; negative dims count from the end of the result."""
    for dim in (0, 1, 2, -1, -3):
        want = np.expand_dims(whole(4, 8), dim)
        x, o = apply(lambda x: pypto.unsqueeze(x, dim) + 0.0, (4, 8), want.shape)
        assert np.array_equal(o, want)
    for dim in (3, -4):
        with fails("range|dim|axis"):
            apply(lambda x: pypto.unsqueeze(x, dim), (4, 8), (4, 8, 1))


@pytest.mark.parametrize("pair", [(0, 1), (1, 0), (-1, -2), (0, -1), (0, 0)])
def test_transpose(pair):
    """transpose swaps two axes."""
    want = np.swapaxes(whole(4, 8), *pair)
    x, o = apply(lambda x: pypto.transpose(x, *pair) + 0.0, (4, 8), want.shape)
    assert np.array_equal(o, want)


@pytest.mark.parametrize("pair", [(0, 1), (0, 2), (1, 2), (-1, -3)])
def test_transpose_of_three_axes(pair):
    """Any pair of three axes."""
    want = np.swapaxes(whole(2, 3, 8), *pair)
    x, o = apply(lambda x: x.transpose(*pair) + 0.0, (2, 3, 8), want.shape, tile=(8, 8, 8))
    assert np.array_equal(o, want)


@pytest.mark.parametrize("order", [[0, 1, 2], [2, 1, 0], [1, 2, 0], [2, 0, 1]], ids=str)
def test_permute(order):
    """permute reorders all axes."""
    want = np.transpose(whole(2, 3, 8), order)
    x, o = apply(lambda x: pypto.permute(x, order) + 0.0, (2, 3, 8), want.shape, tile=(8, 8, 8))
    assert np.array_equal(o, want)


@pytest.mark.parametrize("order", [[0, 1], [0, 0, 1], [0, 1, 3], [-1, 0, 1]], ids=str)
def test_permute_that_is_none(order):
    """perm entries are non-negative, unique and as many as axes."""
    with fails("perm|dims|axis|axes"):
        apply(lambda x: pypto.permute(x, order), (2, 3, 8), (2, 3, 8), tile=(8, 8, 8))


@pytest.mark.parametrize(("shape", "target"), [((4, 1), [4, 8]), ((1, 8), [4, 8]), ((1, 1), [4, 8]), ((4, 8), [4, 8])])
def test_expand_clone(shape, target):
    """expand_clone repeats axes of extent 1."""
    x, o = apply(lambda x: pypto.expand_clone(x, target) + 0.0, shape, target)
    assert np.array_equal(o, np.broadcast_to(x, target))


def test_expand_clone_of_another_axis():
    """Other axes cannot be expanded."""
    with fails("shape|expand|dim"):
        apply(lambda x: pypto.expand_clone(x, [4, 8]), (2, 8), (4, 8))


@pytest.mark.parametrize("dim", [0, 1, -1, -2])
def test_concat(dim):
    """concat joins along any axis."""

    @jit
    def kernel(a: T([2, 8], F32), b: T([2, 8], F32), o: T([4, 8] if dim % 2 == 0 else [2, 16], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        o[:] = pypto.concat([a, b], dim)

    a, b = whole(2, 8), whole(2, 8, seed=1)
    want = np.concatenate([a, b], dim)
    o = blank(*want.shape)
    kernel(a, b, o)
    assert np.array_equal(o, want)


def test_concat_of_awkward_widths():
    """Pieces with unaligned widths do not shift their neighbours."""
    x, o = apply(lambda x: pypto.concat([x[:, 0:3], x[:, 3:8], x[:, 0:1]], 1), (4, 8), (4, 9))
    assert np.array_equal(o, np.concatenate([x, x[:, :1]], 1))


def test_fillpad_of_a_full_tensor():
    """fillpad of a fully valid tensor changes nothing."""
    x, o = apply(lambda x: pypto.fillpad(x, "constant", 5.0), (4, 8), (4, 8))
    assert np.array_equal(o, x)


def test_shape_ops_keep_silent():
    """Reshapes of full tensors warn of nothing."""
    with silent():
        apply(lambda x: pypto.reshape(pypto.unsqueeze(x, 0), [8, 4]) + 0.0, (4, 8), (8, 4))


def test_dynamic_reshape_must_be_inplace():
    """A reshape of a tensor with a dynamic dim without inplace is refused."""

    @jit
    def kernel(x: T([D, 8], F32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        o[:] = pypto.reshape(x, [4, 8])

    with fails("dynamic|inplace", line="pypto.reshape(x, [4, 8])"):
        kernel(whole(4, 8), blank(4, 8))


def test_portability_of_a_widened_reshape():
    """Warn where the toolchains would call everything valid."""

    @jit
    def kernel(x: T([4, 8], F32), o: T([8, 4], F32)):
        pypto.set_vec_tile_shapes(8, 8)
        v = pypto.view(x, [4, 8], [0, 0], valid_shape=[3, 8])
        r = pypto.reshape(v, [8, 4])
        pypto.assemble(r[0:6, :] + 0.0, [0, 0], o)

    x, o = whole(4, 8), blank(8, 4)
    with warns("valid", line="r = pypto.reshape(v, [8, 4])"):
        kernel(x, o)
    assert np.array_equal(o[:6], x[:3].reshape(6, 4))
