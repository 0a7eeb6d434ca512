"""Writing by subscript (semantics 2 and 8, Stores; core 7.3)."""

import numpy as np
import pytest
from semantics_support import BOOL, F32, I32, UNWRITTEN, D, T, blank, fails, jit, refused_by, silent, warns, whole

import pypto


@pytest.mark.parametrize(
    "key",
    [
        np.s_[1:3, 2:6],
        np.s_[0:2, :],
        np.s_[:, 3:5],
        np.s_[1:3],
        np.s_[-2:, :],
        np.s_[-3:-1, 1:-1],
        np.s_[2, :],
        np.s_[2],
        np.s_[-1],
        np.s_[:, 5],
        np.s_[:, -1],
        np.s_[..., 2:4],
        np.s_[1:2, ...],
        np.s_[1:, 4:],
    ],
    ids=str,
)
def test_two_axes(key):
    """A value is written where numpy would write it; the rest of the output stays."""
    target = np.empty((4, 8))[key]

    @jit
    def kernel(v: T(list(target.shape), F32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        o[key] = v + 1.0

    v, o = whole(*target.shape), blank(4, 8)
    kernel(v, o)
    want = blank(4, 8)
    want[key] = v + 1
    assert np.array_equal(o, want)


@pytest.mark.parametrize("key", [np.s_[1], np.s_[1, 2], np.s_[:, 2], np.s_[0:2, 1, 2:5], np.s_[1, :, 3]], ids=str)
def test_three_axes(key):
    """Ints drop their axis on the left side too; missing trailing keys mean `:`."""
    target = np.empty((3, 4, 8))[key]

    @jit
    def kernel(v: T(list(target.shape), F32), o: T([3, 4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 4, 8)
        o[key] = v + 1.0

    v, o = whole(*target.shape), blank(3, 4, 8)
    kernel(v, o)
    want = blank(3, 4, 8)
    want[key] = v + 1
    assert np.array_equal(o, want)


def test_ellipsis_writes_at_the_origin():
    """`o[...] = v` writes v at 0, it does not replace o."""

    @jit
    def kernel(v: T([2, 8], F32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        t = pypto.full([4, 8], 5.0, F32)
        t[...] = v + 1.0
        o[:] = t

    v, o = whole(2, 8), blank(4, 8)
    kernel(v, o)
    assert np.array_equal(o[:2], v + 1)
    assert (o[2:] == 5).all()


def test_symbolic_starts():
    """Starts and stops may be symbolic."""

    @jit
    def kernel(x: T([D, 8], F32), o: T([D, 8], F32)):
        pypto.set_vec_tile_shapes(2, 8)
        n = x.shape[0]
        for i in pypto.loop(0, n, 2, name="pairs", idx_name="i"):
            o[n - 2 - i : n - i, 0:8] = x[i : i + 2, :] + 1.0

    x, o = whole(6, 8), blank(6, 8)
    kernel(x, o)
    want = np.concatenate([x[4:6], x[2:4], x[0:2]]) + 1
    assert np.array_equal(o, want)


def test_only_the_valid_region_is_written():
    """v's valid region is written at the starts."""

    @jit
    def kernel(x: T([4, 8], F32), o: T([8, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        v = pypto.view(x, [4, 8], [0, 0], valid_shape=[3, 5])
        o[2:6, 0:8] = v + 1.0

    x, o = whole(4, 8), blank(8, 8)
    kernel(x, o)
    want = blank(8, 8)
    want[2:5, :5] = x[:3, :5] + 1
    assert np.array_equal(o, want)


def test_stop_may_give_the_valid_extent():
    """A stop that equals v's valid extent is right as well as one that equals its shape."""

    @jit
    def kernel(x: T([4, 8], F32), n: T([1], I32), o: T([8, 8], F32), p: T([8, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        live = n[0]
        v = pypto.view(x, [4, 8], [0, 0], valid_shape=[live, 8])
        o[2 : 2 + live, 0:8] = v + 1.0
        p[2:6, 0:8] = v + 1.0

    for live in (1, 3, 4):
        x, o, p = whole(4, 8), blank(8, 8), blank(8, 8)
        kernel(x, np.array([live], np.int32), o, p)
        want = blank(8, 8)
        want[2 : 2 + live] = x[:live] + 1
        assert np.array_equal(o, want)
        assert np.array_equal(p, want)


def test_stop_that_fits_neither():
    """A constant mismatch of stop and value is an error, not ignored."""

    @jit
    def kernel(x: T([4, 8], F32), o: T([8, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        o[0:3, :] = x + 1.0

    o = blank(8, 8)
    with fails(r"3.*4|4.*3", line="o[0:3, :] = x + 1.0"):
        kernel(whole(4, 8), o)
    assert (o == UNWRITTEN).all()


def test_stop_that_fits_neither_at_run_time():
    """A symbolic mismatch is checked at run time."""

    @jit
    def kernel(x: T([4, 8], F32), n: T([1], I32), o: T([8, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        o[0 : n[0], 0:8] = x + 1.0

    o = blank(8, 8)
    kernel(whole(4, 8), np.array([4], np.int32), o)
    assert np.array_equal(o[:4], whole(4, 8) + 1)
    with fails(r"3.*4|4.*3", line="o[0 : n[0], 0:8] = x + 1.0"):
        kernel(whole(4, 8), np.array([3], np.int32), blank(8, 8))


def test_open_start_is_a_trap():
    """`o[:n] = v` starts at n - dim in the toolchains: an error unless n is the full extent."""

    @jit
    def kernel(x: T([4, 8], F32), o: T([8, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        o[:4] = x + 1.0

    with fails(r"o\[0:|0:4|start", line="o[:4] = x + 1.0"):
        kernel(whole(4, 8), blank(8, 8))


def test_open_start_with_the_full_extent():
    """`o[:n] = v` with n the full extent is the whole axis."""

    @jit
    def kernel(x: T([4, 8], F32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        o[:4, :8] = x + 1.0

    x, o = whole(4, 8), blank(4, 8)
    kernel(x, o)
    assert np.array_equal(o, x + 1)


def test_open_stop_takes_the_extent_from_the_value():
    """`o[a:] = v` and `:` take the extent from v."""

    @jit
    def kernel(x: T([2, 8], F32), o: T([D, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        o[3:, :] = x + 1.0

    x, o = whole(2, 8), blank(9, 8)
    kernel(x, o)
    want = blank(9, 8)
    want[3:5] = x + 1
    assert np.array_equal(o, want)


def test_number_fills():
    """`o[0:4, :] = 0.0` and `o[:] = 0.0` fill; refused by 0.2 and 0.3."""

    @jit
    def part(x: T([4, 8], F32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        o[:] = x + 1.0
        o[1:3, 0:8] = 2.5

    @jit
    def everything(x: T([4, 8], F32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        t = x + 0.0
        t[:] = 0.0
        o[:] = x + t

    x = whole(4, 8)

    def call_part():
        o = blank(4, 8)
        part(x, o)
        want = x + 1
        want[1:3] = 2.5
        assert np.array_equal(o, want)

    def call_everything():
        o = blank(4, 8)
        everything(x, o)
        assert np.array_equal(o, x)

    refused_by(("0.2", "0.3"), "fill|number|float", call_part, line="o[1:3, 0:8] = 2.5")
    refused_by(("0.2", "0.3"), "cannot be moved to Tensor|fill|number", call_everything, line="t[:] = 0.0")


def test_number_of_slices_must_match():
    """The number of slices in the key must equal the value's rank."""

    @jit
    def kernel(x: T([1, 8], F32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        o[3] = x + 1.0

    with fails("number of slice in key", line="o[3] = x + 1.0"):
        kernel(whole(1, 8), blank(4, 8))


@pytest.mark.parametrize(
    ("key", "match"),
    [
        (np.s_[0:8:2, :], "step must be 1 or None"),
        (np.s_[0:2, 0:2, 0:2], "rank not match|Too many indices"),
        ("a", "Invalid key type|str"),
        (None, "Invalid key type|None"),
        ([0, 1], "Invalid key type|list"),
        (1.5, "Invalid key type|float"),
        (np.s_[..., ...], r"Only one \.\.\. is supported"),
    ],
    ids=["step", "rank", "str", "none", "list", "float", "ellipses"],
)
def test_refused_keys(key, match):
    """Keys that have no meaning."""

    @jit
    def kernel(x: T([4, 8], F32), o: T([8, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        o[key] = x + 1.0

    with fails(match, line="o[key] = x + 1.0"):
        kernel(whole(4, 8), blank(8, 8))


def test_dtype_must_match():
    """A value of another dtype is refused."""

    @jit
    def kernel(x: T([4, 8], F32), o: T([8, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        o[0:4, :] = pypto.cast(x, I32)

    with fails("dtype", line="o[0:4, :] = pypto.cast(x, I32)"):
        kernel(whole(4, 8), blank(8, 8))


def test_past_the_end():
    """A store whose valid region passes the end stops, at run time with the loop index."""

    @jit
    def kernel(x: T([D, 8], F32), o: T([D, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        for i in pypto.loop(x.shape[0] // 4, name="blocks", idx_name="i"):
            o[i * 4 + 1 : i * 4 + 5, :] = x[i * 4 : i * 4 + 4, :] + 1.0

    with fails(r"\b8\b", line="o[i * 4 + 1 : i * 4 + 5, :]") as caught:
        kernel(whole(8, 8), blank(8, 8))
    assert [(f.index_name, f.value) for f in caught.value.site.loops] == [("i", 1)]


def test_scalar_store():
    """All ints store a scalar into an INT32 tensor: ints and symbols."""

    @jit
    def kernel(n: T([D], I32), o: T([2, 4], I32)):
        o[0, 1] = 5
        o[1, -1] = n[0] * 2 + 1
        for i in pypto.loop(2, name="rows", idx_name="i"):
            o[i, 0] = i * 10

    o = np.full((2, 4), -1, np.int32)
    kernel(np.array([20], np.int32), o)
    assert o.tolist() == [[0, 5, -1, -1], [10, -1, -1, 41]]


def test_scalar_store_out_of_the_dtype():
    """A value that INT32 cannot hold is not wrapped silently."""

    @jit
    def kernel(n: T([1], I32), o: T([2], I32)):
        o[0] = n[0] * 3

    o = np.zeros(2, np.int32)
    with fails("overflow|range|fit|hold"):
        kernel(np.array([2**30], np.int32), o)


def test_scalar_store_out_of_range():
    """A scalar store outside the tensor stops."""

    @jit
    def kernel(n: T([1], I32), o: T([4], I32)):
        o[n[0]] = 1

    for at in (4, -1):
        with fails(r"\b4\b|range|outside|negative", line="o[n[0]] = 1"):
            kernel(np.array([at], np.int32), np.zeros(4, np.int32))


def test_scalar_store_into_a_float_tensor():
    """Only INT32 tensors take scalar stores."""

    @jit
    def kernel(x: T([4, 8], F32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        o[:] = x + 1.0
        o[0, 0] = 3

    with fails("DT_INT32|integer", line="o[0, 0] = 3"):
        kernel(whole(4, 8), blank(4, 8))


def test_scatter_by_slice():
    """`o[dim:index] = src` scatters along dim, in place."""

    @jit
    def kernel(x: T([4, 8], F32), index: T([2, 8], I32), src: T([2, 8], F32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        t = x * 1.0
        t[0:index] = src
        o[:] = t

    x, src, o = whole(4, 8), whole(2, 8, seed=1), blank(4, 8)
    index = np.argsort(np.random.default_rng(3).random((4, 8)), axis=0)[:2].astype(np.int32)
    kernel(x, index, src, o)
    want = x.copy()
    np.put_along_axis(want, index, src, 0)
    assert np.array_equal(o, want)


def test_bool_output():
    """Stores work for BOOL tensors."""

    @jit
    def kernel(x: T([4, 8], F32), o: T([8, 8], BOOL)):
        pypto.set_vec_tile_shapes(4, 8)
        o[2:6, 0:8] = pypto.gt(x, 0.0)

    x, o = whole(4, 8), np.zeros((8, 8), np.bool_)
    kernel(x, o)
    assert np.array_equal(o[2:6], x > 0)
    assert not o[:2].any()
    assert not o[6:].any()


def test_overlapping_stores_follow_program_order():
    """The later of two overlapping stores stays."""

    @jit
    def kernel(x: T([4, 8], F32), o: T([8, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        for i in pypto.loop(5, name="rows", idx_name="i"):
            o[i : i + 4, 0:8] = x + pypto.full([4, 8], 0.0, F32)

    x, o = whole(4, 8), blank(8, 8)
    with silent():
        kernel(x, o)
    want = blank(8, 8)
    for i in range(5):
        want[i : i + 4] = x
    assert np.array_equal(o, want)


def test_augmented_store():
    """`o[0:2, :] += v` reads, adds and stores (refused by both as a cycle)."""

    @jit
    def kernel(x: T([4, 8], F32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        o[:] = x + 0.0
        o[0:2, :] += x[2:4, :]

    x, o = whole(4, 8), blank(4, 8)
    with warns(r"\bo\b", line="o[0:2, :] += x[2:4, :]"):
        kernel(x, o)
    want = x.copy()
    want[:2] += x[2:]
    assert np.array_equal(o, want)
