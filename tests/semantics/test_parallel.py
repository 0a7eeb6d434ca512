"""`parallel=True`: overlaps between iterations are errors (semantics 2)."""

import numpy as np
from semantics_support import F32, I32, D, T, blank, fails, jit, silent, whole

import pypto


def test_disjoint_boxes():
    """Iterations that write disjoint boxes run, and give the sequential result."""

    @jit
    def kernel(x: T([D, 8], F32), o: T([D, 8], F32)):
        pypto.set_vec_tile_shapes(2, 8)
        for i in pypto.loop(0, x.shape[0], 2, name="P", idx_name="i", parallel=True):
            pypto.assemble(pypto.view(x, [2, 8], [i, 0]) * 2.0, [i, 0], o)

    for rows in (1, 4, 7):
        x, o = whole(rows, 8), blank(rows, 8)
        with silent():
            kernel(x, o)
        assert np.array_equal(o, x * 2)


def test_writes_that_overlap():
    """A box written by one iteration overlaps a box written by another: a race."""

    @jit
    def kernel(x: T([D, 8], F32), o: T([D, 8], F32)):
        pypto.set_vec_tile_shapes(2, 8)
        for i in pypto.loop(x.shape[0] - 1, name="P", idx_name="i", parallel=True):
            pypto.assemble(pypto.view(x, [2, 8], [i, 0]) * 2.0, [i, 0], o)

    with fails("parallel|race|overlap"):
        kernel(whole(6, 8), blank(6, 8))


def test_one_iteration_cannot_overlap():
    """With one iteration there is no other: no race."""

    @jit
    def kernel(x: T([D, 8], F32), o: T([D, 8], F32)):
        pypto.set_vec_tile_shapes(2, 8)
        for i in pypto.loop(x.shape[0] - 1, name="P", idx_name="i", parallel=True):
            pypto.assemble(pypto.view(x, [2, 8], [i, 0]) * 2.0, [i, 0], o)

    x, o = whole(2, 8), blank(2, 8)
    kernel(x, o)
    assert np.array_equal(o, x * 2)


def test_a_read_that_meets_a_write():
    """A box written by one iteration overlaps a box read by another: a race."""

    @jit
    def kernel(o: T([D, 8], F32)):
        pypto.set_vec_tile_shapes(1, 8)
        for i in pypto.loop(o.shape[0] - 1, name="P", idx_name="i", parallel=True):
            pypto.assemble(pypto.view(o, [1, 8], [i, 0]) * 2.0, [i + 1, 0], o)

    with fails("parallel|race|overlap"):
        kernel(whole(5, 8))


def test_an_accumulator_is_a_race():
    """A tensor from outside that every iteration rewrites."""

    @jit
    def kernel(x: T([D, 8], F32), o: T([1, 8], F32)):
        pypto.set_vec_tile_shapes(1, 8)
        acc = pypto.full([1, 8], 0.0, F32)
        for i in pypto.loop(x.shape[0], name="P", idx_name="i", parallel=True):
            acc[:] = acc + pypto.view(x, [1, 8], [i, 0])
        o[:] = acc

    with fails("parallel|race|overlap"):
        kernel(whole(5, 8), blank(1, 8))


def test_offsets_from_a_tensor():
    """Boxes whose place is read from a tensor: judged on the actual values."""

    @jit
    def kernel(x: T([4, 8], F32), at: T([4], I32), o: T([8, 8], F32)):
        pypto.set_vec_tile_shapes(1, 8)
        for i in pypto.loop(4, name="P", idx_name="i", parallel=True):
            pypto.assemble(pypto.view(x, [1, 8], [i, 0]) + 1.0, [at[i], 0], o)

    x, o = whole(4, 8), blank(8, 8)
    kernel(x, np.array([6, 0, 3, 1], np.int32), o)
    assert np.array_equal(o[[6, 0, 3, 1]], x + 1)
    with fails("parallel|race|overlap"):
        kernel(x, np.array([6, 0, 3, 6], np.int32), blank(8, 8))


def test_private_locals():
    """Locals made inside an iteration are its own."""

    @jit
    def kernel(x: T([4, 2, 8], F32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(1, 1, 8)
        for i in pypto.loop(4, name="P", idx_name="i", parallel=True):
            acc = pypto.full([1, 8], 0.0, F32)
            for j in pypto.loop(2, name="S", idx_name="j"):
                acc[:] = acc * 2.0 + pypto.reshape(pypto.view(x, [1, 1, 8], [i, j, 0]), [1, 8])
            pypto.assemble(acc * 1.0, [i, 0], o)

    x, o = whole(4, 2, 8), blank(4, 8)
    kernel(x, o)
    assert np.array_equal(o, x[:, 0] * 2 + x[:, 1])


def test_parallel_loops_do_not_nest():
    """Nested parallel loops: an error."""

    @jit
    def kernel(x: T([4, 8], F32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(1, 8)
        for i in pypto.loop(2, name="P", idx_name="i", parallel=True):
            for j in pypto.loop(2, name="Q", idx_name="j", parallel=True):
                pypto.assemble(pypto.view(x, [1, 8], [i * 2 + j, 0]) + 1.0, [i * 2 + j, 0], o)

    with fails("parallel attribute value does not allow nesting"):
        kernel(whole(4, 8), blank(4, 8))


def test_different_parts_of_one_tensor():
    """Reading one half and writing the other is no race."""

    @jit
    def kernel(o: T([8, 8], F32)):
        pypto.set_vec_tile_shapes(1, 8)
        for i in pypto.loop(4, name="P", idx_name="i", parallel=True):
            pypto.assemble(pypto.view(o, [1, 8], [i, 0]) + 1.0, [i + 4, 0], o)

    o = whole(8, 8)
    before = o.copy()
    kernel(o)
    assert np.array_equal(o[:4], before[:4])
    assert np.array_equal(o[4:], before[:4] + 1)


def test_the_same_element_for_scalars():
    """Scalar stores count as boxes of one element."""

    @jit
    def kernel(o: T([4], I32), apart):
        for i in pypto.loop(4, name="P", idx_name="i", parallel=True):
            o[i * apart] = i

    o = np.full(4, -1, np.int32)
    kernel(o, 1)
    assert o.tolist() == [0, 1, 2, 3]
    with fails("parallel|race|overlap"):
        kernel(o, 0)


def test_valid_regions_decide():
    """Overlap is judged on what is written: shapes overlap, valid regions do not."""

    @jit
    def kernel(x: T([8, 8], F32), o: T([8, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        for i in pypto.loop(0, 8, 2, name="P", idx_name="i", parallel=True):
            v = pypto.view(x, [4, 8], [i, 0], valid_shape=[2, 8])
            pypto.assemble(v * 2.0, [i, 0], o)

    x, o = whole(8, 8), blank(8, 8)
    kernel(x, o)
    assert np.array_equal(o, x * 2)
