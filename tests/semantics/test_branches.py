"""Symbolic `if` (semantics 4)."""

import numpy as np
from semantics_support import F32, I32, D, T, blank, fails, jit, silent, whole

import pypto


def test_the_taken_branch_runs():
    """if, elif, else on a symbol: exactly one branch runs."""

    @jit
    def kernel(n: T([D], I32), o: T([D], I32)):
        for i in pypto.loop(n.shape[0], name="L", idx_name="i"):
            v = n[i]
            if v < 0:
                o[i] = -1
            elif v == 0:
                o[i] = 100
            elif v > 10:
                o[i] = 11
            else:
                o[i] = v * 2

    n = np.array([-5, 0, 3, 10, 11, 99], np.int32)
    o = np.full(6, -777, np.int32)
    kernel(n, o)
    assert o.tolist() == [-1, 100, 6, 20, 11, 11]


def test_no_else():
    """Without else nothing happens when the condition is false."""

    @jit
    def kernel(x: T([6, 8], F32), o: T([6, 8], F32)):
        pypto.set_vec_tile_shapes(1, 8)
        for i in pypto.loop(6, name="L", idx_name="i"):
            if i % 2 == 0:
                pypto.assemble(pypto.view(x, [1, 8], [i, 0]) + 1.0, [i, 0], o)

    x, o = whole(6, 8), blank(6, 8)
    kernel(x, o)
    want = blank(6, 8)
    want[::2] = x[::2] + 1
    assert np.array_equal(o, want)


def test_tensors_merge():
    """A name bound in both branches merges if both are tensors of one shape and dtype."""

    @jit
    def kernel(x: T([6, 8], F32), o: T([6, 8], F32)):
        pypto.set_vec_tile_shapes(1, 8)
        for i in pypto.loop(6, name="L", idx_name="i"):
            row = pypto.view(x, [1, 8], [i, 0])
            if i < 2:
                t = row * 2.0
            else:
                t = row - 1.0
            pypto.assemble(t + 0.5, [i, 0], o)

    x, o = whole(6, 8), blank(6, 8)
    kernel(x, o)
    assert np.array_equal(o, np.concatenate([x[:2] * 2, x[2:] - 1]) + 0.5)


def test_rebinding_in_one_branch():
    """A name from before that one branch rebinds merges with its old value."""

    @jit
    def kernel(x: T([4, 8], F32), n: T([1], I32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        t = x + 1.0
        if n[0] > 0:
            t = t * 10.0
        o[:] = t

    for n in (0, 1):
        x, o = whole(4, 8), blank(4, 8)
        kernel(x, np.array([n], np.int32), o)
        assert np.array_equal(o, (x + 1) * (10 if n else 1))


def test_in_place_write_in_one_branch():
    """An in-place write in one branch shows after the if, through every alias."""

    @jit
    def kernel(x: T([4, 8], F32), n: T([1], I32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        t = x + 1.0
        alias = t
        if n[0] > 0:
            t[:] = x * 3.0
        o[:] = alias

    for n in (0, 1):
        x, o = whole(4, 8), blank(4, 8)
        kernel(x, np.array([n], np.int32), o)
        assert np.array_equal(o, x * 3 if n else x + 1)


def test_scalars_merge():
    """Scalars merge, ints and symbols alike."""

    @jit
    def kernel(n: T([D], I32), o: T([D], I32)):
        for i in pypto.loop(n.shape[0], name="L", idx_name="i"):
            v = n[i]
            if v > 5:
                k = v * 2
            else:
                k = 7
            o[i] = k + 1

    n, o = np.array([1, 5, 6, 9], np.int32), np.zeros(4, np.int32)
    kernel(n, o)
    assert o.tolist() == [8, 8, 13, 19]


def test_equal_python_objects_merge():
    """Equal Python objects merge."""

    @jit
    def kernel(x: T([4, 8], F32), n: T([1], I32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        if n[0] > 0:
            mode, scale = "add", 2.5
        else:
            mode, scale = "add", 2.5
        if mode == "add":
            o[:] = x + scale
        else:
            o[:] = x - scale

    x, o = whole(4, 8), blank(4, 8)
    kernel(x, np.array([1], np.int32), o)
    assert np.array_equal(o, x + 2.5)


def test_different_objects_poison_the_name():
    """Otherwise the name is poisoned and a later use is an error that shows both lines."""

    @jit
    def kernel(x: T([4, 8], F32), n: T([1], I32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        if n[0] > 0:
            scale = 2.5
        else:
            scale = 0.5
        o[:] = x * scale

    with fails(r"\bscale\b", line="o[:] = x * scale") as caught:
        kernel(whole(4, 8), np.array([1], np.int32), blank(4, 8))
    text = str(caught.value)
    first = kernel.function.__code__.co_firstlineno
    assert str(first + 4) in text, text
    assert str(first + 6) in text, text


def test_different_shapes_poison_the_name():
    """Tensors of different shapes do not merge; without a later use nothing is refused."""

    @jit
    def used(x: T([4, 8], F32), n: T([1], I32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        if n[0] > 0:
            t = x[0:2, :]
        else:
            t = x[0:1, :]
        pypto.assemble(t + 1.0, [0, 0], o)

    with fails(r"\bt\b", line="pypto.assemble(t + 1.0, [0, 0], o)"):
        used(whole(4, 8), np.array([1], np.int32), blank(4, 8))

    @jit
    def unused(x: T([4, 8], F32), n: T([1], I32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        if n[0] > 0:
            t = x[0:2, :]
            pypto.assemble(t + 1.0, [0, 0], o)
        else:
            t = x[0:1, :]
            pypto.assemble(t + 2.0, [0, 0], o)

    for n, rows, add in ((1, 2, 1), (0, 1, 2)):
        x, o = whole(4, 8), blank(4, 8)
        unused(x, np.array([n], np.int32), o)
        want = blank(4, 8)
        want[:rows] = x[:rows] + add
        assert np.array_equal(o, want)


def test_a_name_of_one_branch_only():
    """A name bound in one branch only and used later: an error where it has no value."""

    @jit
    def kernel(x: T([4, 8], F32), n: T([1], I32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        if n[0] > 0:
            t = x + 1.0
        o[:] = t

    with fails(r"\bt\b", line="o[:] = t"):
        kernel(whole(4, 8), np.array([0], np.int32), blank(4, 8))


def test_poison_is_cured_by_a_new_value():
    """A poisoned name that is bound again is fine."""

    @jit
    def kernel(x: T([4, 8], F32), n: T([1], I32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        if n[0] > 0:
            t = x[0:2, :]
        else:
            t = "nothing"
        t = x + 1.0
        o[:] = t

    x, o = whole(4, 8), blank(4, 8)
    kernel(x, np.array([0], np.int32), o)
    assert np.array_equal(o, x + 1)


def test_concrete_conditions_are_ordinary_python():
    """A concrete condition picks its branch at trace time: int, None, list, str."""

    @jit
    def kernel(x: T([4, 8], F32), o: T([4, 8], F32), mode, extra=None):
        pypto.set_vec_tile_shapes(4, 8)
        t = x + 1.0
        if mode == "double":
            t = t * 2.0
        if extra:
            t = t + extra[0]
        if not extra and mode:
            undefined_name_is_not_reached = 1
        elif extra is None:
            raise AssertionError("not reached")
        o[:] = t

    x, o = whole(4, 8), blank(4, 8)
    kernel(x, o, "double", [3.0])
    assert np.array_equal(o, (x + 1) * 2 + 3)
    kernel(x, o, "other")
    assert np.array_equal(o, x + 1)


def test_an_if_with_concrete_break():
    """An `if` that contains break stays a Python `if` with a concrete test."""

    @jit
    def kernel(x: T([4, 8], F32), o: T([4, 8], F32), limit):
        pypto.set_vec_tile_shapes(4, 8)
        t = x * 1.0
        for k in range(10):
            if k == limit:
                break
            t = t + 1.0
        o[:] = t

    x, o = whole(4, 8), blank(4, 8)
    kernel(x, o, 3)
    assert np.array_equal(o, x + 3)


def test_break_under_a_symbol():
    """break under a symbolic condition is an error with the alternative."""

    @jit
    def kernel(x: T([4, 8], F32), n: T([1], I32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        t = x * 1.0
        for k in range(4):
            if n[0] == k:
                break
            t = t + 1.0
        o[:] = t

    with fails("break|concrete", line="if n[0] == k:"):
        kernel(whole(4, 8), np.array([2], np.int32), blank(4, 8))


def test_cond_is_the_condition():
    """`if pypto.cond(expr):` is `if expr:`."""

    @jit
    def kernel(n: T([1], I32), o: T([1], I32)):
        if pypto.cond(n[0] > 3):
            o[0] = 1
        else:
            o[0] = 2

    for n, want in ((4, 1), (3, 2)):
        o = np.zeros(1, np.int32)
        kernel(np.array([n], np.int32), o)
        assert o[0] == want


def test_a_tensor_as_condition():
    """A tensor is no condition."""

    @jit
    def kernel(x: T([4, 8], F32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        if x > 0.0:
            o[:] = x

    with fails("Test condition must be a symbolic scalar or boolean", line="if x > 0.0:"):
        kernel(whole(4, 8), blank(4, 8))


def test_an_int_symbol_as_condition():
    """A symbol counts as true when it is not zero."""

    @jit
    def kernel(n: T([D], I32), o: T([D], I32)):
        for i in pypto.loop(n.shape[0], name="L", idx_name="i"):
            if n[i]:
                o[i] = 1
            else:
                o[i] = 2

    o = np.zeros(3, np.int32)
    kernel(np.array([5, 0, -1], np.int32), o)
    assert o.tolist() == [1, 2, 1]


def test_nested_branches_and_loops():
    """Branches in loops in branches, merged all the way out."""

    @jit
    def kernel(n: T([2], I32), x: T([4, 8], F32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        t = x * 1.0
        if n[0] > 0:
            for i in pypto.loop(n[1], name="L", idx_name="i"):
                if i % 2 == 0:
                    t = t + 1.0
                else:
                    t = t * 2.0
        else:
            t = t - 5.0
        o[:] = t

    for a, b in ((1, 0), (1, 3), (1, 4), (0, 4)):
        x, o = whole(4, 8), blank(4, 8)
        kernel(np.array([a, b], np.int32), x, o)
        want = x.copy()
        if a > 0:
            for i in range(b):
                want = want + 1 if i % 2 == 0 else want * 2
        else:
            want = want - 5
        assert np.array_equal(o, want)


def test_valid_shape_merges():
    """Branches that leave different valid regions: the one of the taken branch counts."""

    @jit
    def kernel(x: T([4, 8], F32), n: T([1], I32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        if n[0] > 0:
            t = pypto.view(x, [4, 8], [0, 0], valid_shape=[n[0], 8])
        else:
            t = x + 1.0
        pypto.assemble(t * 2.0, [0, 0], o)

    x = whole(4, 8)
    for n in (0, 1, 3):
        o = blank(4, 8)
        kernel(x, np.array([n], np.int32), o)
        want = blank(4, 8)
        want[: n or 4] = (x[:n] if n else x + 1) * 2
        assert np.array_equal(o, want)


def test_branches_do_not_evaluate_each_other():
    """Reads and checks of the branch not taken do not happen."""

    @jit
    def kernel(n: T([1], I32), data: T([4], I32), o: T([1], I32)):
        at = n[0]
        if at < 4:
            o[0] = data[at]
        else:
            o[0] = -1

    for at, want in ((2, 30), (4, -1), (1000, -1)):
        o = np.zeros(1, np.int32)
        kernel(np.array([at], np.int32), np.array([10, 20, 30, 40], np.int32), o)
        assert o[0] == want


def test_tiles_set_in_a_branch():
    """A branch opens a scope of its own: a tile set in it is gone after it."""

    @jit
    def kernel(x: T([4, 8], F32), n: T([1], I32), o: T([4, 8], F32)):
        if n[0] > 0:
            pypto.set_vec_tile_shapes(4, 8)
        o[:] = x + 1.0

    with fails("tile shape not set", line="o[:] = x + 1.0"):
        kernel(whole(4, 8), np.array([1], np.int32), blank(4, 8))


def test_list_append_in_a_branch():
    """A structure that only one branch changes is refused where it is used."""

    @jit
    def kernel(x: T([4, 8], F32), n: T([1], I32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        parts = [x * 1.0]
        if n[0] > 0:
            parts.append(x + 1.0)
        o[:] = parts[-1]

    with fails("parts|structure|list"):
        kernel(whole(4, 8), np.array([1], np.int32), blank(4, 8))


def test_list_slot_in_a_branch():
    """A list slot that one branch rebinds merges like a name."""

    @jit
    def kernel(x: T([4, 8], F32), n: T([1], I32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        parts = [x * 1.0, x * 2.0]
        if n[0] > 0:
            parts[1] = x + 1.0
        o[:] = parts[0] + parts[1]

    for n in (0, 1):
        x, o = whole(4, 8), blank(4, 8)
        kernel(x, np.array([n], np.int32), o)
        assert np.array_equal(o, x + (x + 1 if n else x * 2))


def test_many_branches():
    """Twelve branches in a body are twelve branches, not 2^12 traces."""

    @jit
    def kernel(n: T([1], I32), o: T([1], I32)):
        v = n[0]
        total = 0
        for bit in range(12):
            if v // 2**bit % 2 == 1:
                total = total + 3**bit
        o[0] = total

    for v in (0, 1, 0b101010101010, 4095):
        o = np.zeros(1, np.int32)
        kernel(np.array([v], np.int32), o)
        assert o[0] == sum(3**b for b in range(12) if v >> b & 1)


def test_warning_free_standard_form():
    """The plain form of a symbolic if warns of nothing."""

    @jit
    def kernel(x: T([4, 8], F32), n: T([1], I32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        if n[0] > 0:
            o[:] = x + 1.0
        else:
            o[:] = x - 1.0

    x, o = whole(4, 8), blank(4, 8)
    with silent():
        kernel(x, np.array([0], np.int32), o)
    assert np.array_equal(o, x - 1)
