"""valid_shape: what ops read and what they produce (semantics 3)."""

import numpy as np
import pytest
from semantics_support import F32, I32, UNWRITTEN, D, T, blank, fails, jit, refused_by, warns, whole

import pypto


def cut(x, rows, cols):
    """The whole [4, 8] tile x with a smaller valid region."""
    return pypto.view(x, [4, 8], [0, 0], valid_shape=[rows, cols])


def extents(build, shape=(4, 8), out=(8, 8)):
    """Run `assemble(build(x), 0, o)`; the input, the output and the valid extents of the result."""

    @jit
    def kernel(x: T(list(shape), F32), o: T(list(out), F32), n: T([2], I32)):
        pypto.set_vec_tile_shapes(8, 8)
        result = build(x)
        n[0] = result.valid_shape[0]
        n[1] = result.valid_shape[1]
        pypto.assemble(result, [0, 0], o)

    x, o, n = whole(*shape), blank(*out), np.zeros(2, np.int32)
    kernel(x, o, n)
    rows, cols = n.tolist()
    assert (np.delete(o, np.s_[:rows], 0) == UNWRITTEN).all()
    assert (o[:, cols:] == UNWRITTEN).all()
    return x, o[:rows, :cols], (rows, cols)


def test_unary_copies_it():
    """Pointwise ops compute the valid region only."""
    x, o, valid = extents(lambda x: pypto.abs(cut(x, 3, 5)))
    assert valid == (3, 5)
    assert np.array_equal(o, np.abs(x[:3, :5]))


def test_binary_of_equal_regions():
    """Two operands with one valid region give it, without a warning."""
    x, o, valid = extents(lambda x: cut(x, 3, 5) + cut(x, 3, 5))
    assert valid == (3, 5)
    assert np.array_equal(o, x[:3, :5] * 2)


def test_binary_takes_the_minimum():
    """Where full-extent operands differ, the minimum counts; the device takes the first operand's (warn 0.2, 0.3)."""

    @jit
    def kernel(x: T([4, 8], F32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        a = pypto.view(x, [4, 8], [0, 0], valid_shape=[2, 8])
        b = pypto.view(x, [4, 8], [0, 0], valid_shape=[4, 5])
        c = a + b
        pypto.assemble(c, [0, 0], o)

    x = whole(4, 8)

    def call():
        o = blank(4, 8)
        kernel(x, o)
        want = blank(4, 8)
        want[:2, :5] = x[:2, :5] * 2
        assert np.array_equal(o, want)

    refused_by(("0.2", "0.3"), "valid", call, line="c = a + b")


def test_broadcast_operand_does_not_cut():
    """An operand with extent 1 on an axis does not decide the valid extent there."""
    x, o, valid = extents(lambda x: cut(x, 3, 5) + pypto.view(x, [1, 8], [0, 0], valid_shape=[1, 5]))
    assert valid == (3, 5)
    assert np.array_equal(o, x[:3, :5] + x[:1, :5])


@pytest.mark.parametrize(
    ("op", "golden"),
    [(pypto.sum, np.sum), (pypto.amax, np.max), (pypto.amin, np.min)],
    ids=["sum", "amax", "amin"],
)
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_reductions_run_over_valid_extents(op, golden, axis):
    """A reduction reads the valid region only; the other axis keeps its valid extent."""
    x, o, valid = extents(lambda x: op(cut(x, 3, 5) - 200.0, axis, True))
    assert valid == ((1, 5) if axis == 0 else (3, 1))
    assert np.array_equal(o, golden(x[:3, :5] - 200, axis=axis, keepdims=True))


def test_empty_reductions():
    """The empty sum is +0, amax -inf, amin +inf."""

    @jit
    def kernel(x: T([4, 8], F32), n: T([1], I32), o: T([3, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        v = pypto.view(x, [4, 8], [0, 0], valid_shape=[n[0], 8])
        o[0:1, :] = pypto.sum(v, 0, True)
        o[1:2, :] = pypto.amax(v, 0, True)
        o[2:3, :] = pypto.amin(v, 0, True)

    x, o = whole(4, 8), blank(3, 8)
    kernel(x, np.array([0], np.int32), o)
    assert np.array_equal(o, np.array([[0.0], [-np.inf], [np.inf]], np.float32).repeat(8, 1))
    assert not np.signbit(o[0]).any()
    kernel(x, np.array([2], np.int32), o)
    assert np.array_equal(o, np.stack([x[:2].sum(0), x[:2].max(0), x[:2].min(0)]))


def test_empty_integer_maximum():
    """amax of nothing is the integer minimum, amin the maximum."""

    @jit
    def kernel(x: T([4, 8], I32), n: T([1], I32), o: T([2, 8], I32)):
        pypto.set_vec_tile_shapes(4, 8)
        v = pypto.view(x, [4, 8], [0, 0], valid_shape=[n[0], 8])
        o[0:1, :] = pypto.amax(v, 0, True)
        o[1:2, :] = pypto.amin(v, 0, True)

    o = np.zeros((2, 8), np.int32)
    kernel(np.ones((4, 8), np.int32), np.array([0], np.int32), o)
    assert (o[0] == np.iinfo(np.int32).min).all()
    assert (o[1] == np.iinfo(np.int32).max).all()


def matmul_kernel(a_valid, b_valid):
    @jit
    def kernel(a: T([4, 8], F32), b: T([8, 6], F32), n: T([1], I32), o: T([4, 6], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        pypto.set_cube_tile_shapes([16, 16], [16, 16], [16, 16])
        va = pypto.view(a, [4, 8], [0, 0], valid_shape=a_valid(n[0]))
        vb = pypto.view(b, [8, 6], [0, 0], valid_shape=b_valid(n[0]))
        c = pypto.matmul(va, vb, F32)
        pypto.assemble(c, [0, 0], o)

    return kernel


def test_matmul_reads_the_valid_region():
    """M and N carry over, K runs over the valid extent."""
    kernel = matmul_kernel(lambda n: [3, n], lambda n: [n, 5])
    a, b = whole(4, 8), whole(8, 6, seed=1)
    for k in (1, 5, 8):
        o = blank(4, 6)
        kernel(a, b, np.array([k], np.int32), o)
        want = blank(4, 6)
        want[:3, :5] = a[:3, :k] @ b[:k, :5]
        assert np.array_equal(o, want)


def test_matmul_k_differs_provably():
    """K valid extents that provably differ are an error."""
    kernel = matmul_kernel(lambda n: [4, 5], lambda n: [6, 6])
    with fails("K-dimension valid shape mismatch", line="c = pypto.matmul(va, vb, F32)"):
        kernel(whole(4, 8), whole(8, 6), np.array([5], np.int32), blank(4, 6))


def test_matmul_k_differs_at_run_time():
    """Where they differ at run time the smaller counts, with a warning."""
    kernel = matmul_kernel(lambda n: [4, n], lambda n: [8, 6])
    a, b, o = whole(4, 8), whole(8, 6, seed=1), blank(4, 6)
    with warns("valid", line="c = pypto.matmul(va, vb, F32)"):
        kernel(a, b, np.array([5], np.int32), o)
    assert np.array_equal(o, a[:, :5] @ b[:5])
    o = blank(4, 6)
    kernel(a, b, np.array([8], np.int32), o)
    assert np.array_equal(o, a @ b)


def test_fillpad_makes_everything_valid():
    """fillpad fills the region outside valid_shape and makes the whole shape valid."""
    x, o, valid = extents(lambda x: pypto.fillpad(cut(x, 3, 5), "constant", -2.5))
    assert valid == (4, 8)
    want = np.full((4, 8), -2.5, np.float32)
    want[:3, :5] = x[:3, :5]
    assert np.array_equal(o, want)


def test_fillpad_with_infinity_before_a_maximum():
    """The fill value may be an infinity."""
    x, o, valid = extents(lambda x: pypto.amax(pypto.fillpad(cut(x, 3, 5), "constant", float("-inf")), 0, True))
    assert valid == (1, 8)
    assert np.array_equal(o[0, :5], x[:3, :5].max(0))
    assert np.isneginf(o[0, 5:]).all()


def test_fillpad_has_one_mode():
    """Constant mode only."""
    with fails("mode|constant"):
        extents(lambda x: pypto.fillpad(cut(x, 3, 5), "reflect", 0.0))


def test_transpose_and_expand_carry_per_axis():
    """transpose and expand_clone carry valid extents per axis."""
    x, o, valid = extents(lambda x: pypto.transpose(cut(x, 3, 5), 0, 1))
    assert valid == (5, 3)
    assert np.array_equal(o, x[:3, :5].T)
    x, o, valid = extents(lambda x: pypto.expand_clone(pypto.sum(cut(x, 3, 5), 1, True), [4, 6]))
    assert valid == (3, 6)
    assert np.array_equal(o, x[:3, :5].sum(1, keepdims=True).repeat(6, 1))


def test_concat_carries_the_other_axes():
    """concat carries the extents of the axes that are not joined."""
    x, o, valid = extents(lambda x: pypto.concat([cut(x, 3, 8), cut(x, 3, 8)], 1), out=(8, 16))
    assert valid == (3, 16)
    assert np.array_equal(o, np.concatenate([x[:3], x[:3]], 1))


def test_concat_along_a_cut_axis():
    """concat along a cut axis is an error."""
    with fails("valid", line="pypto.concat([cut(x, 3, 8), cut(x, 3, 8)], 0)"):
        extents(lambda x: pypto.concat([cut(x, 3, 8), cut(x, 3, 8)], 0))


def test_where_and_comparison_of_cut_operands():
    """Comparisons and where are pointwise too."""
    x, o, valid = extents(lambda x: pypto.where(pypto.gt(cut(x, 3, 5), 0.0), cut(x, 3, 5), cut(x, 3, 5) * 0.0))
    assert valid == (3, 5)
    assert np.array_equal(o, np.maximum(x[:3, :5], 0))


def test_full_with_valid_shape():
    """full takes a valid_shape."""
    _, o, valid = extents(lambda x: pypto.full([4, 8], 7.0, F32, valid_shape=[2, 6]))
    assert valid == (2, 6)
    assert (o == 7).all()


def test_softmax_over_a_cut_axis():
    """A composite op reads the valid region only."""
    x, o, valid = extents(lambda x: pypto.softmax(cut(x, 3, 5) * 0.05, -1))
    assert valid == (3, 5)
    wide = np.exp(x[:3, :5].astype(np.float64) * 0.05)
    np.testing.assert_allclose(o, wide / wide.sum(1, keepdims=True), rtol=1e-5)


def test_minus_one_is_refused():
    """-1 is no valid extent."""

    @jit
    def kernel(x: T([4, 8], F32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        pypto.assemble(pypto.view(x, [4, 8], [0, 0], valid_shape=[-1, 8]), [0, 0], o)

    with fails("-1|negative"):
        kernel(whole(4, 8), blank(4, 8))


def test_valid_shape_larger_than_the_shape():
    """A valid extent larger than the shape is an error."""

    @jit
    def kernel(x: T([8, 8], F32), o: T([8, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        pypto.assemble(pypto.view(x, [4, 8], [0, 0], valid_shape=[5, 8]), [0, 0], o)

    with fails("valid"):
        kernel(whole(8, 8), blank(8, 8))


def test_valid_shape_of_a_whole_tensor():
    """A parameter and an op result are valid as a whole."""

    @jit
    def kernel(x: T([D, 8], F32), n: T([2], I32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        n[0] = x.valid_shape[0]
        t = pypto.full([4, 8], 1.0, F32)
        n[1] = t.valid_shape[0]
        o[:] = t

    n = np.zeros(2, np.int32)
    kernel(whole(11, 8), n, blank(4, 8))
    assert n.tolist() == [11, 4]


def test_expand_clone_with_valid_shape():
    """expand_clone takes a valid_shape."""
    x, o, valid = extents(lambda x: pypto.expand_clone(pypto.view(x, [1, 8], [1, 0]), [4, 8], valid_shape=[3, 8]))
    assert valid == (3, 8)
    assert np.array_equal(o, x[1:2].repeat(3, 0))
