"""Who shares what: names, containers, helpers, views, reshape in place, arguments (semantics 1 and 8)."""

import numpy as np
from semantics_support import F32, I32, UNWRITTEN, D, T, blank, fails, jit, whole

import pypto


def test_two_names_of_one_object():
    """All names that hold a tensor see its changes."""

    @jit
    def kernel(x: T([4, 8], F32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        a = x * 1.0
        b = a
        a[:] = x + 5.0
        o[:] = b * 2.0

    x, o = whole(4, 8), blank(4, 8)
    kernel(x, o)
    assert np.array_equal(o, (x + 5) * 2)


def test_container_slots_hold_the_object():
    """A list slot and a dict slot that hold a tensor see its changes."""

    @jit
    def kernel(x: T([4, 8], F32), o: T([4, 8], F32), p: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        a = x * 1.0
        kept = [a, x]
        named = {"a": a}
        a[:] = x + 5.0
        o[:] = kept[0] * 2.0
        p[:] = named["a"] * 3.0

    x, o, p = whole(4, 8), blank(4, 8), blank(4, 8)
    kernel(x, o, p)
    assert np.array_equal(o, (x + 5) * 2)
    assert np.array_equal(p, (x + 5) * 3)


def test_a_helper_writes_its_callers_tensor():
    """A write in a helper is seen through the caller's name."""

    def bump(tensor, amount):
        tensor[:] = tensor + amount

    @jit
    def kernel(x: T([4, 8], F32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        t = x * 1.0
        bump(t, 1.0)
        bump(amount=10.0, tensor=t)
        o[:] = t * 2.0

    x, o = whole(4, 8), blank(4, 8)
    kernel(x, o)
    assert np.array_equal(o, (x + 11) * 2)


def test_writing_a_view_leaves_its_source():
    """`S = states[b]; S[:] = ...` changes S only, never the tensor it was read from."""

    @jit
    def kernel(states: T([2, 4, 8], F32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        state = states[1]
        state[:] = state + 1.0
        o[:] = state * 2.0

    states, o = whole(2, 4, 8), blank(4, 8)
    before = states.copy()
    kernel(states, o)
    assert np.array_equal(o, (before[1] + 1) * 2)
    assert np.array_equal(states, before)


def test_assemble_into_a_view_leaves_its_source():
    """Assembling into a view writes the view's own data."""

    @jit
    def kernel(x: T([4, 8], F32), o: T([4, 8], F32), p: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        a = x * 1.0
        v = pypto.view(a, [2, 8], [0, 0])
        pypto.assemble(pypto.full([1, 8], 7.0, F32), [1, 0], v)
        o[0:2, :] = v
        o[2:4, :] = a[2:4, :]
        p[:] = a

    x, o, p = whole(4, 8), blank(4, 8), blank(4, 8)
    kernel(x, o, p)
    want = x.copy()
    want[1] = 7
    assert np.array_equal(o, want)
    assert np.array_equal(p, x)


def test_write_into_a_view_that_nobody_reads():
    """An in-place write into a view that nothing reads afterwards: writes the copy."""

    @jit
    def kernel(x: T([4, 8], F32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        o[:] = x + 1.0
        v = o[0:2, :]
        v[:] = x[2:4, :] * 2.0

    with fails("copy", line="v[:] = x[2:4, :] * 2.0"):
        kernel(whole(4, 8), blank(4, 8))


def test_chained_subscripts_write_the_copy():
    """`o[1][:] = v` writes an object that is thrown away."""

    @jit
    def kernel(x: T([4, 8], F32), o: T([2, 4, 8], F32)):
        pypto.set_vec_tile_shapes(2, 4, 8)
        o[:] = pypto.full([2, 4, 8], 0.0, F32)
        o[1][:] = x * 2.0

    with fails("copy", line="o[1][:] = x * 2.0"):
        kernel(whole(4, 8), blank(2, 4, 8))


def test_a_view_reads_at_that_point():
    """Later writes to the source do not change a view that was taken."""

    @jit
    def kernel(x: T([4, 8], F32), o: T([2, 8], F32), p: T([2, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        a = x * 1.0
        early = a[0:2, :]
        a[:] = x + 100.0
        late = pypto.view(a, [2, 8], [0, 0])
        o[:] = early + 0.0
        p[:] = late + 0.0

    x, o, p = whole(4, 8), blank(2, 8), blank(2, 8)
    kernel(x, o, p)
    assert np.array_equal(o, x[:2])
    assert np.array_equal(p, x[:2] + 100)


def test_a_view_of_a_parameter_reads_at_that_point():
    """The same for a view of a parameter that the kernel overwrites."""

    @jit
    def kernel(x: T([4, 8], F32), y: T([4, 8], F32), o: T([2, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        early = pypto.view(y, [2, 8], [1, 0])
        y[:] = x + 1.0
        o[:] = early * 1.0

    x, y, o = whole(4, 8), whole(4, 8, seed=3), blank(2, 8)
    before = y.copy()
    kernel(x, y, o)
    assert np.array_equal(o, before[1:3])
    assert np.array_equal(y, x + 1)


def test_an_early_read_sees_the_last_iteration():
    """Reads early in a loop body see a write late in the body of the iteration before."""

    @jit
    def kernel(x: T([4, 8], F32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(1, 8)
        buf = pypto.full([1, 8], 1.0, F32)
        for i in pypto.loop(4, name="rows", idx_name="i"):
            o[i : i + 1, :] = buf * 1.0
            buf[:] = buf * 2.0 + pypto.view(x, [1, 8], [i, 0])

    x, o = whole(4, 8), blank(4, 8)
    kernel(x, o)
    buf = np.ones((1, 8), np.float32)
    for i in range(4):
        assert np.array_equal(o[i : i + 1], buf)
        buf = buf * 2 + x[i : i + 1]


def test_clone_is_another_object():
    """`clone` copies: later writes to the original do not show."""

    @jit
    def kernel(x: T([4, 8], F32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        a = x * 1.0
        b = a.clone()
        a[:] = x + 9.0
        o[:] = b + a

    x, o = whole(4, 8), blank(4, 8)
    kernel(x, o)
    assert np.array_equal(o, x + x + 9)


def test_view_moved_by_its_own_op():
    """`v = view(x); v.move(op(v))` is legal."""

    @jit
    def kernel(x: T([4, 8], F32), o: T([2, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        v = pypto.view(x, [2, 8], [2, 0])
        v.move(pypto.exp(v * 0.0) + v)
        o[:] = v

    x, o = whole(4, 8), blank(2, 8)
    kernel(x, o)
    assert np.array_equal(o, x[2:] + 1)


def test_reshape_in_place_shares_both_ways():
    """`reshape(inplace=True)` is another name for the same memory, in both directions."""

    @jit
    def kernel(x: T([4, 8], F32), o: T([4, 8], F32), p: T([2, 16], F32)):
        pypto.set_vec_tile_shapes(4, 16)
        a = x * 1.0
        flat = pypto.reshape(a, [2, 16], inplace=True)
        a[0:1, :] = x[3:4, :] + 0.0
        p[:] = flat + 0.0
        flat[1:2, :] = pypto.full([1, 16], 7.0, F32)
        o[:] = a + 0.0

    x, o, p = whole(4, 8), blank(4, 8), blank(2, 16)
    kernel(x, o, p)
    want = x.copy()
    want[0] = x[3]
    assert np.array_equal(p, want.reshape(2, 16))
    want.reshape(2, 16)[1] = 7
    assert np.array_equal(o, want)


def test_reshape_without_inplace_is_a_copy():
    """Without `inplace` the result is a new object."""

    @jit
    def kernel(x: T([4, 8], F32), o: T([2, 16], F32)):
        pypto.set_vec_tile_shapes(4, 16)
        a = x * 1.0
        flat = pypto.reshape(a, [2, 16])
        a[:] = x + 100.0
        o[:] = flat + 0.0

    x, o = whole(4, 8), blank(2, 16)
    kernel(x, o)
    assert np.array_equal(o, x.reshape(2, 16))


def test_one_array_for_two_parameters():
    """Two arguments that are the same memory are one tensor."""

    @jit
    def kernel(x: T([4, 8], F32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        o[:] = x + 1.0
        o[:] = x * 2.0

    x = whole(4, 8)
    want = (x + 1) * 2
    kernel(x, x)
    assert np.array_equal(x, want)
    y, o = whole(4, 8), blank(4, 8)
    kernel(y, o)
    assert np.array_equal(o, y * 2)


def test_one_memory_seen_twice_is_one_tensor():
    """The same with two array objects over one memory."""

    @jit
    def kernel(x: T([D, 8], F32), o: T([D, 8], F32)):
        pypto.set_vec_tile_shapes(1, 8)
        for i in pypto.loop(x.shape[0] - 1, name="rows", idx_name="i"):
            pypto.assemble(pypto.view(x, [1, 8], [i, 0]) + 1.0, [i + 1, 0], o)

    x = whole(4, 8)
    first = x[0].copy()
    kernel(x, x[:])
    assert np.array_equal(x, np.stack([first + i for i in range(4)]))


def test_partly_overlapping_arguments():
    """Partly overlapping arguments: an error before anything runs."""

    @jit
    def kernel(x: T([4, 8], F32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        o[:] = x + 1.0

    memory = whole(5, 8)
    before = memory.copy()
    with fails("overlap|share memory"):
        kernel(memory[:4], memory[1:])
    assert np.array_equal(memory, before)


def test_repeated_elements():
    """An argument with stride 0 is an error."""

    @jit
    def kernel(x: T([4, 8], F32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        o[:] = x + 1.0

    o = blank(4, 8)
    with fails("contiguous|stride|repeat"):
        kernel(np.broadcast_to(whole(1, 8), (4, 8)), o)
    assert (o == UNWRITTEN).all()


def test_not_contiguous():
    """A non-contiguous argument is an error, for inputs and outputs."""

    @jit
    def kernel(x: T([4, 8], F32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        o[:] = x + 1.0

    with fails("contiguous"):
        kernel(whole(8, 4).T, blank(4, 8))
    memory = blank(4, 16)
    with fails("contiguous"):
        kernel(whole(4, 8), memory[:, ::2])
    assert (memory == UNWRITTEN).all()


def test_read_only_output():
    """A read-only output is an error; a read-only input is not."""

    @jit
    def kernel(x: T([4, 8], F32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        o[:] = x + 1.0

    x, o = whole(4, 8), blank(4, 8)
    x.setflags(write=False)
    kernel(x, o)
    assert np.array_equal(o, x + 1)
    o.setflags(write=False)
    with fails("read-only|read only|writ"):
        kernel(x, o)


def test_scalar_store_is_seen_by_later_reads():
    """A scalar store changes the object; reads see it from that point on."""

    @jit
    def kernel(x: T([4, 8], F32), at: T([2], I32), o: T([1, 8], F32), p: T([1, 8], F32)):
        pypto.set_vec_tile_shapes(1, 8)
        before = at[0]
        at[0] = before + 2
        o[:] = pypto.view(x, [1, 8], [before, 0]) + 0.0
        p[:] = pypto.view(x, [1, 8], [at[0], 0]) + 0.0

    x, at, o, p = whole(4, 8), np.array([1, 0], np.int32), blank(1, 8), blank(1, 8)
    kernel(x, at, o, p)
    assert np.array_equal(o, x[1:2])
    assert np.array_equal(p, x[3:4])
    assert at.tolist() == [3, 0]
