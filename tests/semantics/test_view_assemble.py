"""view and assemble (semantics 2, core 7.4)."""

import numpy as np
import pytest
from semantics_support import F32, I32, UNWRITTEN, D, T, blank, fails, jit, whole

import pypto


def test_window_at_offsets():
    """A view is the window of its shape at its offsets, function and method alike."""

    @jit
    def kernel(x: T([8, 16], F32), o: T([3, 5], F32), p: T([3, 5], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        o[:] = pypto.view(x, [3, 5], [2, 7]) + 0.0
        p[:] = x.view([3, 5], [5, 11]) + 0.0

    x, o, p = whole(8, 16), blank(3, 5), blank(3, 5)
    kernel(x, o, p)
    assert np.array_equal(o, x[2:5, 7:12])
    assert np.array_equal(p, x[5:8, 11:16])


def test_views_of_views():
    """Offsets of nested views add up, symbolic and constant parts alike."""

    @jit
    def kernel(x: T([16, 16], F32), at: T([2], I32), o: T([2, 4], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        a = pypto.view(x, [10, 12], [at[0], 2])
        b = pypto.view(a, [6, 8], [1, at[1]])
        c = pypto.view(b, [2, 4], [3, 1])
        o[:] = c + 0.0

    x, o = whole(16, 16), blank(2, 4)
    kernel(x, np.array([4, 3], np.int32), o)
    assert np.array_equal(o, x[8:10, 6:10])


def test_inferred_valid_shape():
    """Inferred valid per axis: min(max(valid - offset, 0), shape)."""

    @jit
    def kernel(x: T([D, 8], F32), at: T([1], I32), o: T([16, 8], F32), n: T([2], I32)):
        pypto.set_vec_tile_shapes(4, 8)
        v = pypto.view(x, [4, 8], [at[0], 3])
        n[0] = v.valid_shape[0]
        n[1] = v.valid_shape[1]
        pypto.assemble(v + 1.0, [0, 0], o)

    for offset, rows in ((0, 4), (5, 4), (6, 4), (7, 3), (9, 1), (10, 0), (12, 0)):
        x, o, n = whole(10, 8), blank(16, 8), np.zeros(2, np.int32)
        kernel(x, np.array([offset], np.int32), o, n)
        assert n.tolist() == [rows, 5], offset
        want = blank(16, 8)
        want[:rows, :5] = x[offset : offset + rows, 3:] + 1
        assert np.array_equal(o, want)


def test_shape_may_exceed_the_tensor():
    """A view larger than its tensor is cut by valid_shape."""

    @jit
    def kernel(x: T([3, 5], F32), o: T([8, 8], F32)):
        pypto.set_vec_tile_shapes(8, 8)
        v = pypto.view(x, [8, 8], [0, 0])
        assert v.shape == [8, 8]
        assert [int(e) for e in v.valid_shape] == [3, 5]
        pypto.assemble(v + 1.0, [0, 0], o)

    x, o = whole(3, 5), blank(8, 8)
    kernel(x, o)
    want = blank(8, 8)
    want[:3, :5] = x + 1
    assert np.array_equal(o, want)


def test_explicit_valid_shape():
    """An explicit valid_shape counts, ints and symbols."""

    @jit
    def kernel(x: T([8, 8], F32), n: T([1], I32), o: T([8, 8], F32)):
        pypto.set_vec_tile_shapes(8, 8)
        v = pypto.view(x, [4, 8], [2, 0], valid_shape=[n[0], 6])
        pypto.assemble(v * 2.0, [1, 0], o)

    x, o = whole(8, 8), blank(8, 8)
    kernel(x, np.array([3], np.int32), o)
    want = blank(8, 8)
    want[1:4, :6] = x[2:5, :6] * 2
    assert np.array_equal(o, want)


def test_explicit_valid_shape_past_the_source():
    """A valid_shape that reaches past the source's valid region stops with numbers and loop indices."""

    @jit
    def kernel(x: T([D, 8], F32), o: T([D, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        for i in pypto.loop(0, x.shape[0], 4, name="LOOP_ROWS", idx_name="i"):
            v = pypto.view(x, [4, 8], [i, 0], valid_shape=[4, 8])
            pypto.assemble(v + 1.0, [i, 0], o)

    o = blank(8, 8)
    kernel(whole(8, 8), o)
    assert np.array_equal(o, whole(8, 8) + 1)
    with fails(r"LOOP_ROWS", line="v = pypto.view(x, [4, 8], [i, 0], valid_shape=[4, 8])") as caught:
        kernel(whole(10, 8), blank(10, 8))
    frames = caught.value.site.loops
    assert [(f.name, f.index_name, f.value) for f in frames] == [("LOOP_ROWS", "i", 8)]


def test_negative_offset_at_run_time():
    """A negative offset stops."""

    @jit
    def kernel(x: T([8, 8], F32), at: T([1], I32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        o[:] = pypto.view(x, [4, 8], [at[0] - 3, 0]) + 0.0

    x, o = whole(8, 8), blank(4, 8)
    kernel(x, np.array([3], np.int32), o)
    assert np.array_equal(o, x[:4])
    with fails(r"-1", line="pypto.view(x, [4, 8], [at[0] - 3, 0])"):
        kernel(x, np.array([2], np.int32), blank(4, 8))


def test_negative_constant_offset():
    """A constant negative offset stops as well."""

    @jit
    def kernel(x: T([8, 8], F32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        o[:] = pypto.view(x, [4, 8], [-1, 0]) + 0.0

    with fails(r"-1", line="[-1, 0]"):
        kernel(whole(8, 8), blank(4, 8))


@pytest.mark.parametrize(
    ("build", "match"),
    [
        (lambda x, n: pypto.view(x, [4, 4], [0]), "Their size actually are|same dimension|rank"),
        (lambda x, n: pypto.view(x, [4], [0, 0]), "Their size actually are|same dimension|rank"),
        (lambda x, n: pypto.view(x, [4], [0]), "Their size actually are|same dimension|rank"),
        (lambda x, n: pypto.view(x, [1, 4, 4], [0, 0, 0]), "Their size actually are|same dimension|rank"),
        (lambda x, n: pypto.view(x, [4, 4], [0, 0], valid_shape=[4]), "Their size actually are|same dimension|rank"),
        (lambda x, n: pypto.view(x, [n, 4], [0, 0]), "Not concrete value|int"),
        (lambda x, n: pypto.view(x, [4, 4]), "offsets"),
        (lambda x, n: pypto.view(x, [4, 4], [0, 0], [4, 4]), "positional"),
        (lambda x, n: pypto.view(x, [4.0, 4], [0, 0]), "int|float|value type"),
    ],
    ids=["offsets", "shape", "both", "higher", "valid", "symbolic", "no-offsets", "positional", "float"],
)
def test_view_that_does_not_fit(build, match):
    """len(shape) = len(offsets) = rank, shape of ints, valid_shape by keyword only."""

    @jit
    def kernel(x: T([8, 8], F32), n: T([1], I32), o: T([4, 4], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        o[:] = build(x, n[0])

    with fails(match):
        kernel(whole(8, 8), np.ones(1, np.int32), blank(4, 4))


def test_assemble_forms():
    """The function, the method and the list form write the same."""

    @jit
    def kernel(x: T([2, 8], F32), o: T([8, 8], F32), p: T([8, 8], F32), q: T([8, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        pypto.assemble(x + 1.0, [1, 0], o)
        pypto.assemble(x + 2.0, [5, 0], o)
        p.assemble(x + 1.0, [1, 0])
        p.assemble(x + 2.0, [5, 0])
        pypto.assemble([(x + 1.0, [1, 0]), (x + 2.0, [5, 0])], q)
        pypto.assemble([], q)

    x, o, p, q = whole(2, 8), blank(8, 8), blank(8, 8), blank(8, 8)
    kernel(x, o, p, q)
    want = blank(8, 8)
    want[1:3], want[5:7] = x + 1, x + 2
    for got in (o, p, q):
        assert np.array_equal(got, want)


def test_assemble_writes_the_valid_region():
    """Only the valid region of the source is written."""

    @jit
    def kernel(x: T([4, 8], F32), o: T([5, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        pypto.assemble(pypto.view(x, [4, 8], [0, 0], valid_shape=[2, 3]) + 1.0, [3, 5], o)

    x, o = whole(4, 8), blank(5, 8)
    kernel(x, o)
    want = blank(5, 8)
    want[3:5, 5:8] = x[:2, :3] + 1
    assert np.array_equal(o, want)


def test_assemble_past_the_end():
    """Past the end of the destination, judged on the valid region written: an error with the numbers."""

    @jit
    def kernel(x: T([4, 8], F32), at: T([1], I32), o: T([8, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        pypto.assemble(pypto.view(x, [4, 8], [0, 0], valid_shape=[2, 8]) + 1.0, [at[0], 0], o)

    x, o = whole(4, 8), blank(8, 8)
    kernel(x, np.array([6], np.int32), o)
    assert np.array_equal(o[6:], x[:2] + 1)
    with fails(r"\b7\b.*\b8\b|\b9\b.*\b8\b|\b8\b", line="pypto.assemble("):
        kernel(x, np.array([7], np.int32), blank(8, 8))
    with fails(r"-1", line="pypto.assemble("):
        kernel(x, np.array([-1], np.int32), blank(8, 8))


def test_assemble_past_the_end_constant():
    """The same with constants."""

    @jit
    def kernel(x: T([4, 8], F32), o: T([8, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        pypto.assemble(x + 1.0, [5, 0], o)

    with fails(r"\b8\b", line="pypto.assemble(x + 1.0, [5, 0], o)"):
        kernel(whole(4, 8), blank(8, 8))


def test_overlapping_assembles_follow_program_order():
    """The later assemble stays, across iterations too."""

    @jit
    def kernel(x: T([D, 8], F32), o: T([D, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        n = x.shape[0]
        for i in pypto.loop(n - 3, name="rows", idx_name="i"):
            pypto.assemble(pypto.view(x, [4, 8], [n - 4 - i, 0]) + 0.0, [i, 0], o)

    x, o = whole(9, 8), blank(9, 8)
    kernel(x, o)
    want = blank(9, 8)
    for i in range(6):
        want[i : i + 4] = x[5 - i : 9 - i]
    assert np.array_equal(o, want)


@pytest.mark.parametrize(
    ("write", "match"),
    [
        (lambda x, o: pypto.assemble(x, [0], o), "requires same shape|offset|rank"),
        (lambda x, o: pypto.assemble(pypto.reshape(x, [1, 4, 8]), [0, 0, 0], o), "requires same shape|rank"),
        (lambda x, o: pypto.assemble(pypto.cast(x, I32), [0, 0], o), "dtype"),
        (lambda x, o: pypto.assemble(x, [0, 0]), "missing|out|dst|argument"),
        (lambda x, o: pypto.assemble(1.0, [0, 0], o), "Tensor|float"),
    ],
    ids=["offsets", "rank", "dtype", "no-destination", "number"],
)
def test_assemble_that_does_not_fit(write, match):
    """Source rank, dtype and the number of offsets equal the destination's."""

    @jit
    def kernel(x: T([4, 8], F32), o: T([8, 8], F32)):
        pypto.set_vec_tile_shapes(4, 4, 8)
        write(x + 1.0, o)
        o[0:4, :] = x

    with fails(match):
        kernel(whole(4, 8), blank(8, 8))


def test_assemble_of_a_dynamic_source():
    """The dims of the source are static."""

    @jit
    def kernel(x: T([D, 8], F32), o: T([D, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        pypto.assemble(x, [0, 0], o)

    with fails("dynamic|integer|static", line="pypto.assemble(x, [0, 0], o)"):
        kernel(whole(4, 8), blank(4, 8))


def test_pieces_fill_a_buffer_that_is_then_read_whole():
    """Four stores, then one read of the whole buffer."""

    @jit
    def kernel(x: T([8, 8], F32), o: T([8, 8], F32)):
        pypto.set_vec_tile_shapes(2, 8)
        buf = pypto.tensor([8, 8], F32, "buf")
        for target, source in ((0, 6), (2, 0), (4, 4), (6, 2)):
            buf[target : target + 2, :] = x[source : source + 2, :] * 2.0
        o[:] = buf + 1.0

    x, o = whole(8, 8), blank(8, 8)
    kernel(x, o)
    order = [6, 7, 0, 1, 4, 5, 2, 3]
    assert np.array_equal(o, x[order] * 2 + 1)


def test_int32_and_bool_windows():
    """Data movement is the same for other dtypes."""

    @jit
    def kernel(x: T([8, 8], I32), o: T([8, 8], I32)):
        pypto.set_vec_tile_shapes(4, 8)
        pypto.assemble(pypto.view(x, [2, 8], [6, 0]), [0, 0], o)
        pypto.assemble(pypto.view(x, [2, 8], [0, 0]), [6, 0], o)

    x = np.arange(64, dtype=np.int32).reshape(8, 8) + 2**24 + 1
    o = np.zeros((8, 8), np.int32)
    kernel(x, o)
    assert np.array_equal(o[:2], x[6:])
    assert np.array_equal(o[6:], x[:2])
    assert not o[2:6].any()


def test_rank_four_window():
    """Views pad with ones and reshape after, up to four axes."""

    @jit
    def kernel(x: T([2, D, 3, 8], F32), o: T([2, D, 3, 8], F32)):
        pypto.set_vec_tile_shapes(1, 4, 1, 8)
        n = x.shape[1]
        for b in pypto.loop(2, name="b", idx_name="b"):
            for h in pypto.loop(3, name="h", idx_name="h"):
                for s in pypto.loop(0, n, 4, name="s", idx_name="s"):
                    live = (n - s).min(4)
                    v = pypto.view(x, [1, 4, 1, 8], [b, s, h, 0], valid_shape=[1, live, 1, 8])
                    flat = pypto.reshape(v, [4, 8], valid_shape=[live, 8])
                    back = pypto.reshape(flat * 2.0, [1, 4, 1, 8], valid_shape=[1, live, 1, 8])
                    pypto.assemble(back, [b, s, h, 0], o)

    for n in (1, 4, 6):
        x, o = whole(2, n, 3, 8), blank(2, n, 3, 8)
        kernel(x, o)
        assert np.array_equal(o, x * 2)


def test_outside_is_never_read():
    """What lies outside the view's valid region does not show, NaN neighbours included."""

    @jit
    def kernel(x: T([8, 8], F32), o: T([8, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        v = pypto.view(x, [4, 8], [0, 0], valid_shape=[2, 8])
        pypto.assemble(pypto.sum(v, 0, True), [0, 0], o)

    x, o = whole(8, 8), blank(8, 8)
    x[2:] = np.nan
    kernel(x, o)
    assert np.array_equal(o[0], x[:2].sum(0))
    assert (o[1:] == UNWRITTEN).all()
