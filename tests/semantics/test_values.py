"""Tensors are variables: moving, rebinding, parameters, outputs (semantics 1 and 8, Writing and Parameters)."""

import numpy as np
from semantics_support import F32, I32, UNWRITTEN, D, S, T, blank, fails, jit, refused_by, silent, warns, whole

import pypto


def test_ops_return_new_objects():
    """Ops, views and slices return a new object; their operands keep their values."""

    @jit
    def kernel(x: T([4, 8], F32), o: T([4, 8], F32), p: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        t = x + 1.0
        u = t * 2.0
        o[:] = u
        p[:] = t - 3.0

    x, o, p = whole(4, 8), blank(4, 8), blank(4, 8)
    with silent():
        kernel(x, o, p)
    assert np.array_equal(o, (x + 1) * 2)
    assert np.array_equal(p, x - 2)
    assert np.array_equal(x, whole(4, 8))


def test_move_copies_and_the_source_stays_readable():
    """`o[:] = t` copies; the toolchains empty t, so that a later read warns (0.2, 0.3)."""

    @jit
    def kernel(x: T([4, 8], F32), o: T([4, 8], F32), p: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        t = x + 1.0
        o[:] = t
        p[:] = t * 2.0

    x = whole(4, 8)

    def call():
        o, p = blank(4, 8), blank(4, 8)
        kernel(x, o, p)
        assert np.array_equal(o, x + 1)
        assert np.array_equal(p, (x + 1) * 2)

    refused_by(("0.2", "0.3"), r"\bt\b|moved|empty", call, line="p[:] = t * 2.0")


def test_move_method_is_the_same():
    """`o.move(x)` is `o[:] = x`."""

    @jit
    def kernel(x: T([4, 8], F32), o: T([4, 8], F32), p: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        o.move(x + 1.0)
        t = pypto.tensor([4, 8], F32)
        t.move(x * 2.0)
        p.move(t - x)

    x, o, p = whole(4, 8), blank(4, 8), blank(4, 8)
    kernel(x, o, p)
    assert np.array_equal(o, x + 1)
    assert np.array_equal(p, x)


def test_move_of_another_dtype_is_an_error():
    """`o[:] = x`: the dtype must match."""

    @jit
    def kernel(x: T([4, 8], F32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        o[:] = pypto.cast(x, I32)

    with fails("dtype|DT_INT32", line="o[:] = pypto.cast"):
        kernel(whole(4, 8), blank(4, 8))


def test_move_of_equal_element_count_is_row_major():
    """`o[:] = x` with another shape of the same number of elements: row-major order, with a warning."""

    @jit
    def kernel(x: T([4, 6], F32), o: T([3, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        o[:] = x + 1.0

    x, o = whole(4, 6), blank(3, 8)
    with warns(r"shape|elements", line="o[:] = x + 1.0"):
        kernel(x, o)
    assert np.array_equal(o, (x + 1).reshape(3, 8))


def test_move_of_another_element_count_is_an_error():
    """`o[:] = x`: the number of elements must match."""

    @jit
    def kernel(x: T([4, 6], F32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        o[:] = x + 1.0

    o = blank(4, 8)
    with fails(r"shape|elements", line="o[:] = x + 1.0"):
        kernel(whole(4, 6), o)
    assert (o == UNWRITTEN).all()


def test_a_number_cannot_be_moved_elsewhere_than_into_a_fill():
    """Moving what is no tensor (a string) is an error."""

    @jit
    def kernel(x: T([4, 8], F32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        o[:] = "text"

    with fails("cannot be moved to Tensor", line='o[:] = "text"'):
        kernel(whole(4, 8), blank(4, 8))


def test_move_sets_the_valid_shape():
    """`o[:] = x` copies x's valid region and sets o's valid_shape."""

    @jit
    def kernel(x: T([4, 8], F32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        t = pypto.full([4, 8], 9.0, F32)
        t[:] = pypto.view(x, [4, 8], [0, 0], valid_shape=[3, 8])
        pypto.assemble(t, [0, 0], o)

    x, o = whole(4, 8), blank(4, 8)
    kernel(x, o)
    assert np.array_equal(o[:3], x[:3])
    assert (o[3:] == UNWRITTEN).all()


def test_move_into_a_local_replaces_shape_and_dtype():
    """On an object that is not a parameter, `[:] =` replaces shape, dtype and data, also of an empty `tensor()`."""

    @jit
    def kernel(x: T([4, 8], F32), o: T([4, 8], F32), i: T([2, 16], I32)):
        pypto.set_vec_tile_shapes(4, 16)
        t = pypto.tensor()
        t[:] = x + 1.0
        o[:] = t * 1.0
        t[:] = pypto.cast(pypto.reshape(x, [2, 16]), I32)
        i[:] = t + 1

    x, o, i = whole(4, 8), blank(4, 8), blank(2, 16, dtype=np.int32)
    kernel(x, o, i)
    assert np.array_equal(o, x + 1)
    assert np.array_equal(i, x.reshape(2, 16).astype(np.int32) + 1)


def test_move_onto_itself_is_no_op():
    """`o[:] = o` changes nothing and warns of nothing that the toolchains would refuse."""

    @jit
    def kernel(x: T([4, 8], F32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        o[:] = x + 1.0
        o[:] = o

    x, o = whole(4, 8), blank(4, 8)
    kernel(x, o)
    assert np.array_equal(o, x + 1)


def test_rebinding_a_name_writes_nothing():
    """`o = x + 1` only rebinds: a kernel that never writes the parameter is refused on that line."""

    @jit
    def kernel(x: T([4, 8], F32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        o = x + 1.0

    o = blank(4, 8)
    with fails(r"\bo\b", line="o = x + 1.0"):
        kernel(whole(4, 8), o)
    assert (o == UNWRITTEN).all()


def test_rebinding_beside_a_written_parameter():
    """Rebinding an unread, never written parameter is an error even if the kernel writes another one."""

    @jit
    def kernel(x: T([4, 8], F32), o: T([4, 8], F32), p: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        p[:] = x + 2.0
        o = x + 1.0

    with fails(r"\bo\b", line="o = x + 1.0"):
        kernel(whole(4, 8), blank(4, 8), blank(4, 8))


def test_rebinding_an_input_that_was_read_is_fine():
    """A parameter that was read may be rebound."""

    @jit
    def kernel(x: T([4, 8], F32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        x = x + 1.0
        x = x * 2.0
        o[:] = x

    x, o = whole(4, 8), blank(4, 8)
    kernel(x, o)
    assert np.array_equal(o, (x + 1) * 2)


def test_kernel_that_writes_nothing():
    """A kernel that writes no parameter is an error."""

    @jit
    def kernel(x: T([4, 8], F32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        t = x + o

    with fails(r"writ"):
        kernel(whole(4, 8), blank(4, 8))


def test_unused_parameter_warns():
    """A parameter that is simply not used is a warning."""

    @jit
    def kernel(x: T([4, 8], F32), spare: T([4, 8], F32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        o[:] = x + 1.0

    x, o = whole(4, 8), blank(4, 8)
    with warns("spare"):
        kernel(x, whole(4, 8), o)
    assert np.array_equal(o, x + 1)


def test_output_keeps_what_is_not_written():
    """An output keeps its former contents wherever the kernel did not write."""

    @jit
    def kernel(x: T([4, 8], F32), o: T([8, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        pypto.assemble(x + 1.0, [2, 0], o)

    x, o = whole(4, 8), blank(8, 8)
    kernel(x, o)
    assert np.array_equal(o[2:6], x + 1)
    assert (o[:2] == UNWRITTEN).all()
    assert (o[6:] == UNWRITTEN).all()


def test_output_can_be_read_before_it_is_written():
    """A parameter holds the caller's contents; reading it, then writing it, is ordinary."""

    @jit
    def kernel(x: T([4, 8], F32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        o[:] = o + x

    x, o = whole(4, 8), whole(4, 8, seed=1)
    want = o + x
    kernel(x, o)
    assert np.array_equal(o, want)


def test_local_with_a_symbolic_shape():
    """Locals may have symbolic shapes."""

    @jit
    def kernel(x: T([D, 8], F32), o: T([D, 8], F32)):
        n = x.shape[0]
        pypto.set_vec_tile_shapes(1, 8)
        t = pypto.tensor([n, 8], F32, "t")
        for i in pypto.loop(n, name="fill", idx_name="i"):
            pypto.assemble(pypto.view(x, [1, 8], [i, 0]) * 2.0, [i, 0], t)
        for i in pypto.loop(n, name="flip", idx_name="j"):
            pypto.assemble(pypto.view(t, [1, 8], [n - 1 - i, 0]) + 0.0, [i, 0], o)

    for rows in (1, 3, 7):
        x, o = whole(rows, 8), blank(rows, 8)
        kernel(x, o)
        assert np.array_equal(o, x[::-1] * 2)


def test_read_a_part_and_write_a_part():
    """`y[0:2, :] = y[0:2, :] + 1` runs; both toolchains refuse it as a cycle."""

    @jit
    def kernel(x: T([4, 8], F32), y: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        y[:] = x * 1.0
        y[0:2, :] = y[0:2, :] + 1.0

    x = whole(4, 8)

    def call():
        y = blank(4, 8)
        kernel(x, y)
        assert np.array_equal(y[:2], x[:2] + 1)
        assert np.array_equal(y[2:], x[2:])

    refused_by(("0.2", "0.3"), r"\by\b", call, line="y[0:2, :] = y[0:2, :] + 1.0")


def test_write_a_part_then_read_a_part_does_not_warn():
    """The warning applies only if a part is read before a part is written, with data flowing from one to the other."""

    @jit
    def kernel(x: T([4, 8], F32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        t = pypto.tensor([4, 8], F32)
        t[0:2, :] = x[2:4, :] + 0.0
        t[2:4, :] = x[0:2, :] + 0.0
        o[0:2, :] = t[0:2, :] * 2.0
        o[2:4, :] = t[2:4, :] * 3.0

    x, o = whole(4, 8), blank(4, 8)
    with silent():
        kernel(x, o)
    assert np.array_equal(o[:2], x[2:] * 2)
    assert np.array_equal(o[2:], x[:2] * 3)


def test_augmented_assignment_rebinds():
    """`a += b` makes a new tensor and rebinds the name (core 7.1)."""

    @jit
    def kernel(x: T([4, 8], F32), o: T([4, 8], F32), p: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        t = x * 1.0
        u = t
        t += 5.0
        o[:] = t
        p[:] = u

    x, o, p = whole(4, 8), blank(4, 8), blank(4, 8)
    kernel(x, o, p)
    assert np.array_equal(o, x + 5)
    assert np.array_equal(p, x)


def test_marks_only_annotation_takes_the_actual_rank():
    """`[STATIC, STATIC]` does not fix the rank: the actual one wins, with a warning."""

    @jit
    def kernel(x: T([S, S], F32), o: T([S, S], F32)):
        pypto.set_vec_tile_shapes(2, 4, 8)
        o[:] = x + 1.0

    x, o = whole(2, 4, 8), blank(2, 4, 8)
    with warns("rank|dims|axes"):
        kernel(x, o)
    assert np.array_equal(o, x + 1)


def test_capacity_of_an_operand_may_not_be_dynamic():
    """A DYNAMIC tensor used directly as an operand, without a view, is an error in every profile (semantics 2)."""

    @jit
    def kernel(x: T([D, 8], F32), o: T([D, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        o[:] = x + 1.0

    with fails("dynamic", line="o[:] = x + 1.0"):
        kernel(whole(4, 8), blank(4, 8))
