"""What a loop hands from one iteration to the next (semantics 4 and 8, Carries)."""

import numpy as np
from semantics_support import F32, I32, UNWRITTEN, D, T, blank, fails, jit, refused_by, silent, whole

import pypto


def test_in_place_accumulator():
    """A tensor that is written in place carries; no toolchain refuses it."""

    @jit
    def kernel(x: T([D, 8], F32), o: T([1, 8], F32)):
        pypto.set_vec_tile_shapes(1, 8)
        acc = pypto.full([1, 8], 0.0, F32)
        for i in pypto.loop(x.shape[0], name="rows", idx_name="i"):
            acc[:] = acc * 2.0 + pypto.view(x, [1, 8], [i, 0])
        o[:] = acc + 0.0

    for rows in (1, 4):
        x, o = whole(rows, 8), blank(1, 8)
        with silent():
            kernel(x, o)
        acc = np.zeros(8, np.float32)
        for i in range(rows):
            acc = acc * 2 + x[i]
        assert np.array_equal(o[0], acc)


def test_tensor_carried_by_rebinding():
    """`acc = acc + row` is carried too; warn 0.2."""

    @jit
    def kernel(x: T([D, 8], F32), o: T([1, 8], F32)):
        pypto.set_vec_tile_shapes(1, 8)
        acc = pypto.full([1, 8], 0.0, F32)
        for i in pypto.loop(x.shape[0], name="rows", idx_name="i"):
            acc = acc * 2.0 + pypto.view(x, [1, 8], [i, 0])
        o[:] = acc + 0.0

    def call():
        x, o = whole(5, 8), blank(1, 8)
        kernel(x, o)
        acc = np.zeros(8, np.float32)
        for i in range(5):
            acc = acc * 2 + x[i]
        assert np.array_equal(o[0], acc)

    refused_by(("0.2",), r"\bacc\b", call)


def test_scalar_counter():
    """A counter becomes an int64 scalar; warn 0.2."""

    @jit
    def kernel(n: T([1], I32), o: T([8], I32)):
        count = 3
        for i in pypto.loop(n[0], name="L", idx_name="i"):
            count = count * 2 + i
            o[i] = count
        o[7] = count

    def call():
        for n in (4, 0):
            o = np.full(8, -1, np.int32)
            kernel(np.array([n], np.int32), o)
            want, count = [-1] * 8, 3
            for i in range(n):
                count = count * 2 + i
                want[i] = count
            want[7] = count
            assert o.tolist() == want

    refused_by(("0.2",), r"\bcount\b", call)


def test_bool_carry():
    """A carried bool is an int64 scalar."""

    @jit
    def kernel(x: T([D], I32), o: T([1], I32)):
        found = False
        for i in pypto.loop(x.shape[0], name="L", idx_name="i"):
            if x[i] == 5:
                found = True
        o[0] = found

    for data, want in (([1, 5, 2], 1), ([1, 2, 3], 0)):
        o = np.full(1, -1, np.int32)
        kernel(np.array(data, np.int32), o)
        assert o[0] == want


def test_float_carry_is_an_error():
    """A carried float is an error."""

    @jit
    def kernel(x: T([4, 8], F32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(1, 8)
        scale = 1.0
        for i in pypto.loop(4, name="L", idx_name="i"):
            pypto.assemble(pypto.view(x, [1, 8], [i, 0]) * scale, [i, 0], o)
            scale = scale * 2.0

    with fails(r"\bscale\b.*float|float.*\bscale\b"):
        kernel(whole(4, 8), blank(4, 8))


def test_zero_iterations_keep_the_value_from_before():
    """After zero iterations a name has its value from before."""

    @jit
    def kernel(x: T([4, 8], F32), n: T([1], I32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        t = x * 1.0
        for i in pypto.loop(n[0], name="L", idx_name="i"):
            t = t + 10.0
        o[:] = t

    for n in (0, 1, 3):
        x, o = whole(4, 8), blank(4, 8)
        kernel(x, np.array([n], np.int32), o)
        assert np.array_equal(o, x + 10 * n)


def test_a_name_without_a_value_before():
    """After zero iterations a name that had no value is an error at its use."""

    @jit
    def kernel(x: T([4, 8], F32), n: T([1], I32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        for i in pypto.loop(n[0], name="L", idx_name="i"):
            t = x + 1.0
        o[:] = t * 2.0

    x, o = whole(4, 8), blank(4, 8)
    kernel(x, np.array([2], np.int32), o)
    assert np.array_equal(o, (x + 1) * 2)
    with fails(r"\bt\b", line="o[:] = t * 2.0"):
        kernel(x, np.array([0], np.int32), blank(4, 8))


def test_a_temporary_is_not_carried():
    """Liveness decides: a name that is set before it is used in every iteration is not carried, whatever its type."""

    @jit
    def kernel(x: T([4, 8], F32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(1, 8)
        t = "text"
        for i in pypto.loop(4, name="L", idx_name="i"):
            t = pypto.view(x, [1, 8], [i, 0])
            factor = 2.0
            pypto.assemble(t * factor, [i, 0], o)

    x, o = whole(4, 8), blank(4, 8)
    with silent():
        kernel(x, o)
    assert np.array_equal(o, x * 2)


def test_shape_that_changes_once_peels_an_iteration():
    """If the first iteration changes the shape of a carried name, that iteration is peeled."""

    @jit
    def kernel(x: T([D, 8], F32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        acc = pypto.full([1, 8], 1.0, F32)
        for i in pypto.loop(x.shape[0] // 4, name="L", idx_name="i"):
            acc = acc + pypto.view(x, [4, 8], [i * 4, 0])
        o[:] = acc * 1.0

    x, o = whole(12, 8), blank(4, 8)
    kernel(x, o)
    assert np.array_equal(o, x.reshape(3, 4, 8).sum(0) + 1)


def test_shape_that_keeps_changing():
    """A shape that changes in every iteration is an error."""

    @jit
    def kernel(x: T([8, 8], F32), n: T([1], I32), o: T([8, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        t = x[0:1, :]
        for i in pypto.loop(n[0], name="L", idx_name="i"):
            t = pypto.concat([t, t], 0)
        o[:] = x + 1.0
        pypto.assemble(t, [0, 0], o)

    with fails(r"\bt\b.*shape|shape.*\bt\b"):
        kernel(whole(8, 8), np.array([2], np.int32), blank(8, 8))


def test_dtype_that_changes():
    """A dtype that flips with every iteration is an error."""

    @jit
    def kernel(x: T([4, 8], F32), n: T([1], I32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        t = x * 1.0
        u = pypto.cast(x, I32)
        for i in pypto.loop(n[0], name="L", idx_name="i"):
            t, u = u, t
        o[:] = pypto.cast(t, F32)

    with fails("dtype|DT_INT32"):
        kernel(whole(4, 8), np.array([3], np.int32), blank(4, 8))


def test_swap():
    """Two names that swap in every iteration."""

    @jit
    def kernel(x: T([2, 8], F32), n: T([1], I32), o: T([2, 8], F32)):
        pypto.set_vec_tile_shapes(2, 8)
        a, b = x[0:1, :], x[1:2, :]
        for i in pypto.loop(n[0], name="L", idx_name="i"):
            a, b = b, a + b
        o[0:1, :] = a + 0.0
        o[1:2, :] = b + 0.0

    for n in (0, 1, 5):
        x, o = whole(2, 8), blank(2, 8)
        kernel(x, np.array([n], np.int32), o)
        a, b = x
        for _ in range(n):
            a, b = b, a + b
        assert np.array_equal(o, np.stack([a, b]))


def test_valid_shape_is_carried():
    """A carried tensor carries its valid_shape."""

    @jit
    def kernel(x: T([4, 8], F32), n: T([1], I32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        t = pypto.view(x, [4, 8], [0, 0], valid_shape=[4, 8])
        for i in pypto.loop(n[0], name="L", idx_name="i"):
            t = pypto.view(t, [4, 8], [0, 0], valid_shape=[3 - i, 8])
        pypto.assemble(t + 1.0, [0, 0], o)

    x = whole(4, 8)
    for n, rows in ((0, 4), (1, 3), (2, 2), (3, 1)):
        o = blank(4, 8)
        kernel(x, np.array([n], np.int32), o)
        assert np.array_equal(o[:rows], x[:rows] + 1)
        assert (o[rows:] == UNWRITTEN).all()


def test_nested_carry():
    """Carries pass through inner loops."""

    @jit
    def kernel(x: T([3, 4, 8], F32), o: T([3, 8], F32)):
        pypto.set_vec_tile_shapes(1, 1, 8)
        total = pypto.full([1, 1, 8], 0.0, F32)
        count = 0
        for i in pypto.loop(3, name="A", idx_name="i"):
            for j in pypto.loop(4, name="B", idx_name="j"):
                total = total * 2.0 + pypto.view(x, [1, 1, 8], [i, count % 4, 0])
                count = count + 1
            pypto.assemble(pypto.reshape(total, [1, 8]), [i, 0], o)

    x, o = whole(3, 4, 8), blank(3, 8)
    kernel(x, o)
    total = np.zeros(8, np.float32)
    for i in range(3):
        for j in range(4):
            total = total * 2 + x[i, j]
        assert np.array_equal(o[i], total)


def test_concrete_count_of_one_is_straight_line_code():
    """A loop with concrete count 1 is straight-line code: any carry is fine, nothing warns."""

    @jit
    def kernel(x: T([4, 8], F32), o: T([8, 4], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        scale = 1.0
        for _ in pypto.loop(1, name="once", idx_name="i"):
            scale = scale + 1.5
            t = pypto.reshape(x * scale, [8, 4])
        o[:] = t + scale

    x, o = whole(4, 8), blank(8, 4)
    with silent():
        kernel(x, o)
    assert np.array_equal(o, x.reshape(8, 4) * 2.5 + 2.5)


def test_del_ends_the_life_of_a_name():
    """`del x` ends liveness: the name is not carried."""

    @jit
    def kernel(x: T([4, 8], F32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(1, 8)
        kind = 0.5
        for i in pypto.loop(4, name="L", idx_name="i"):
            kind = 2.0
            pypto.assemble(pypto.view(x, [1, 8], [i, 0]) * kind, [i, 0], o)
            del kind

    x, o = whole(4, 8), blank(4, 8)
    kernel(x, o)
    assert np.array_equal(o, x * 2)


def test_walrus_and_comprehension_names():
    """Names bound by a walrus are carried like others."""

    @jit
    def kernel(n: T([1], I32), o: T([2], I32)):
        total = 0
        for i in pypto.loop(n[0], name="L", idx_name="i"):
            o[0] = (total := total + i)
        o[1] = total

    o = np.zeros(2, np.int32)
    kernel(np.array([5], np.int32), o)
    assert o.tolist() == [10, 10]


def test_state_written_in_a_helper():
    """A state updated in a helper survives to the next iteration, two calls deep."""

    def bump(state, row):
        state[:] = state * 2.0 + row

    def outer(buf, src, dst):
        for c in pypto.loop(4, name="chunk", idx_name="c"):
            bump(buf, pypto.view(src, [1, 8], [c, 0]))
            pypto.assemble(buf * 1.0, [c, 0], dst)

    @jit
    def kernel(x: T([4, 8], F32), last: T([1, 8], F32), steps: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(1, 8)
        s = pypto.full([1, 8], 1.0, F32)
        outer(s, x, steps)
        last[:] = s + 0.0

    x, last, steps = whole(4, 8), blank(1, 8), blank(4, 8)
    kernel(x, last, steps)
    s = np.ones(8, np.float32)
    for c in range(4):
        s = s * 2 + x[c]
        assert np.array_equal(steps[c], s)
    assert np.array_equal(last[0], s)
