"""Elements that nobody wrote (semantics 1 and 8, Undefined)."""

import numpy as np
from semantics_support import F32, I32, UNWRITTEN, T, blank, fails, jit, silent, warns, whole

import pypto


def test_read_of_a_tensor_that_no_write_has_reached():
    """A local that is certainly read before any write is a compile-time error that speaks of the missing write."""

    @jit
    def kernel(x: T([4, 8], F32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        t = pypto.tensor([4, 8], F32, "t")
        o[:] = x + t

    o = blank(4, 8)
    with fails(r"writ", line="o[:] = x + t"):
        kernel(whole(4, 8), o)
    assert (o == UNWRITTEN).all()


def test_the_write_that_comes_later_does_not_help():
    """The same when the first write comes after the read."""

    @jit
    def kernel(x: T([4, 8], F32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        t = pypto.tensor([4, 8], F32)
        o[:] = t * 2.0
        t[:] = x + 1.0

    with fails("writ", line="o[:] = t * 2.0"):
        kernel(whole(4, 8), blank(4, 8))


def test_write_in_the_first_iteration():
    """A write under is_loop_begin reaches the reads of the later iterations."""

    @jit
    def kernel(x: T([12, 8], F32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        t = pypto.tensor([4, 8], F32)
        for i in pypto.loop(3, name="blocks", idx_name="i"):
            block = pypto.view(x, [4, 8], [i * 4, 0])
            if pypto.is_loop_begin(i):
                t[:] = block * 1.0
            else:
                t[:] = t + block
        o[:] = t + 0.0

    x, o = whole(12, 8), blank(4, 8)
    with silent():
        kernel(x, o)
    assert np.array_equal(o, x.reshape(3, 4, 8).sum(0))


def test_write_that_no_iteration_reaches():
    """If the writing iteration never runs, the read after the loop stops."""

    @jit
    def kernel(x: T([4, 8], F32), n: T([1], I32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        t = pypto.tensor([4, 8], F32, "t")
        for i in pypto.loop(n[0], name="blocks", idx_name="i"):
            t[:] = x + 1.0
        o[:] = t + 0.0

    x, o = whole(4, 8), blank(4, 8)
    kernel(x, np.array([2], np.int32), o)
    assert np.array_equal(o, x + 1)
    with fails("writ|value|undefined", line="o[:] = t + 0.0"):
        kernel(x, np.array([0], np.int32), blank(4, 8))


def test_write_in_one_branch_only():
    """A branch that does not write leaves the tensor unwritten on that path."""

    @jit
    def kernel(x: T([4, 8], F32), n: T([1], I32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        t = pypto.tensor([4, 8], F32, "t")
        if n[0] > 0:
            t[:] = x + 1.0
        o[:] = t + 0.0

    x, o = whole(4, 8), blank(4, 8)
    kernel(x, np.array([1], np.int32), o)
    assert np.array_equal(o, x + 1)
    with fails("writ|value|undefined", line="o[:] = t + 0.0"):
        kernel(x, np.array([0], np.int32), blank(4, 8))


def test_partly_written_local_into_an_output():
    """A parameter that still holds an undefined element when the kernel ends stops the run."""

    @jit
    def kernel(x: T([2, 8], F32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        t = pypto.tensor([4, 8], F32, "t")
        t[0:2, :] = x + 1.0
        o[:] = t * 2.0

    with fails("undefined|never written|no write|unwritten"):
        kernel(whole(2, 8), blank(4, 8))


def test_undefined_rows_that_are_dropped():
    """Pointwise ops and data movement carry what is defined: storing only the defined rows is fine."""

    @jit
    def kernel(x: T([2, 8], F32), o: T([2, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        t = pypto.tensor([4, 8], F32, "t")
        t[0:2, :] = x + 1.0
        u = t * 2.0
        o[:] = u[0:2, :] + 0.0

    x, o = whole(2, 8), blank(2, 8)
    kernel(x, o)
    assert np.array_equal(o, (x + 1) * 2)


def test_undefined_elements_that_are_overwritten():
    """An output whose undefined elements are written before the kernel ends is fine."""

    @jit
    def kernel(x: T([2, 8], F32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        t = pypto.tensor([4, 8], F32, "t")
        t[0:2, :] = x + 1.0
        o[:] = t
        o[2:4, :] = x * 3.0

    x, o = whole(2, 8), blank(4, 8)
    kernel(x, o)
    assert np.array_equal(o, np.concatenate([x + 1, x * 3]))


def test_reduction_over_undefined_elements():
    """A reduction that touches an undefined element makes the rows it feeds undefined: only those."""

    @jit
    def kernel(x: T([4, 4], F32), o: T([2, 1], F32), p: T([4, 1], F32), all_rows):
        pypto.set_vec_tile_shapes(4, 8)
        t = pypto.tensor([4, 8], F32, "t")
        t[0:2, 0:4] = x[0:2, :] + 0.0
        t[0:2, 4:8] = x[2:4, :] + 0.0
        s = pypto.sum(t, 1, True)
        o[:] = s[0:2, :] * 1.0
        if all_rows:
            p[:] = s
        else:
            p[:] = pypto.full([4, 1], 0.0, F32)

    x, o, p = whole(4, 4), blank(2, 1), blank(4, 1)
    kernel(x, o, p, False)
    assert np.array_equal(o, (x[:2].sum(1) + x[2:].sum(1))[:, None])
    with fails("undefined|never written|no write|unwritten"):
        kernel(x, blank(2, 1), blank(4, 1), True)


def test_matmul_of_undefined_rows():
    """The same for matmul: rows of A that are undefined give undefined rows."""

    @jit
    def kernel(a: T([2, 8], F32), b: T([8, 4], F32), o: T([4, 4], F32), rows):
        pypto.set_vec_tile_shapes(4, 8)
        pypto.set_cube_tile_shapes([16, 16], [16, 16], [16, 16])
        t = pypto.tensor([4, 8], F32, "t")
        t[0:2, :] = a + 0.0
        c = pypto.matmul(t, b, F32)
        pypto.assemble(c[0:rows, :], [0, 0], o)

    a, b, o = whole(2, 8), whole(8, 4, seed=1), blank(4, 4)
    kernel(a, b, o, 2)
    assert np.array_equal(o[:2], a @ b)
    with fails("undefined|never written|no write|unwritten"):
        kernel(a, b, blank(4, 4), 3)


def test_undefined_element_as_a_scalar():
    """Reading an undefined element as a scalar stops the run."""

    @jit
    def kernel(x: T([4, 8], F32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        t = pypto.tensor([4], I32, "t")
        t[0] = 1
        n = t[2]
        o[:] = pypto.view(x, [4, 8], [0, 0], valid_shape=[n, 8]) + 0.0

    with fails("undefined|never written|no write|unwritten", line="n = t[2]"):
        kernel(whole(4, 8), blank(4, 8))


def test_widened_valid_region_is_undefined():
    """A reshape without valid_shape that cannot carry the cut makes everything valid and the padding undefined."""

    @jit
    def kernel(x: T([4, 8], F32), o: T([8, 4], F32), rows):
        pypto.set_vec_tile_shapes(8, 8)
        v = pypto.view(x, [4, 8], [0, 0], valid_shape=[4, 5])
        w = pypto.reshape(v, [8, 4])
        pypto.assemble(w[0:rows, :], [0, 0], o)

    x, o = whole(4, 8), blank(8, 4)
    with warns("valid", line="w = pypto.reshape(v, [8, 4])"):
        kernel(x, o, 1)
    assert np.array_equal(o[0], x[0, :4])
    with fails("undefined|never written|no write|unwritten"):
        kernel(x, blank(8, 4), 2)


def test_an_output_parameter_is_defined():
    """What the caller passes is defined, whatever it holds."""

    @jit
    def kernel(x: T([4, 8], F32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        pypto.assemble(o[0:2, :] + x[0:2, :], [2, 0], o)

    x, o = whole(4, 8), whole(4, 8, seed=1)
    before = o.copy()
    kernel(x, o)
    assert np.array_equal(o[2:], before[:2] + x[:2])
    assert np.array_equal(o[:2], before[:2])


def test_scratch_is_zero_and_warned_of():
    """Reading an undefined element elsewhere than into an output warns once per site; it counts as zero."""

    @jit
    def kernel(x: T([2, 8], F32), o: T([1, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        t = pypto.tensor([4, 8], F32, "t")
        t[0:2, :] = x + 0.0
        s = pypto.sum(t, 0, True)
        keep = pypto.sum(t[0:2, :], 0, True)
        o[:] = keep

    x, o = whole(2, 8), blank(1, 8)
    with warns("undefined|never written|no write|unwritten", line="s = pypto.sum(t, 0, True)"):
        kernel(x, o)
    assert np.array_equal(o[0], x.sum(0))
