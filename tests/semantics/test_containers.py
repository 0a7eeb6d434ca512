"""Lists, dicts and dataclasses in loops and branches; values that leave their region (semantics 4 and 8)."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from semantics_support import F32, I32, UNWRITTEN, D, T, blank, fails, jit, whole

import pypto


def test_list_leaf_is_carried():
    """A list slot that changes in a loop is carried."""

    @jit
    def kernel(x: T([D, 8], F32), o: T([2, 8], F32)):
        pypto.set_vec_tile_shapes(1, 8)
        state = [pypto.full([1, 8], 0.0, F32), pypto.full([1, 8], 1.0, F32)]
        for i in pypto.loop(x.shape[0], name="L", idx_name="i"):
            row = pypto.view(x, [1, 8], [i, 0])
            state[0] = state[0] + row
            state[1] = state[1] * 2.0
        o[0:1, :] = state[0] + 0.0
        o[1:2, :] = state[1] + 0.0

    x, o = whole(3, 8), blank(2, 8)
    kernel(x, o)
    assert np.array_equal(o, np.stack([x.sum(0), np.full(8, 8.0)]))


def test_dict_leaf_is_carried():
    """A dict value that changes in a loop is carried, scalars included."""

    @jit
    def kernel(x: T([D, 8], F32), o: T([1, 8], F32), n: T([1], I32)):
        pypto.set_vec_tile_shapes(1, 8)
        state = {"sum": pypto.full([1, 8], 0.0, F32), "count": 0}
        for i in pypto.loop(x.shape[0], name="L", idx_name="i"):
            state["sum"] = state["sum"] * 2.0 + pypto.view(x, [1, 8], [i, 0])
            state["count"] = state["count"] + 3
        o[:] = state["sum"]
        n[0] = state["count"]

    x, o, n = whole(4, 8), blank(1, 8), np.zeros(1, np.int32)
    kernel(x, o, n)
    total = np.zeros(8, np.float32)
    for row in x:
        total = total * 2 + row
    assert np.array_equal(o[0], total)
    assert n[0] == 12


@dataclass
class State:
    total: Any
    count: Any


def test_dataclass_leaf_is_carried():
    """A dataclass field that changes in a loop is carried."""

    @jit
    def kernel(x: T([D, 8], F32), o: T([1, 8], F32), n: T([1], I32)):
        pypto.set_vec_tile_shapes(1, 8)
        state = State(pypto.full([1, 8], 0.0, F32), 5)
        for i in pypto.loop(x.shape[0], name="L", idx_name="i"):
            state.total = state.total + pypto.view(x, [1, 8], [i, 0])
            state.count = state.count + i
        o[:] = state.total
        n[0] = state.count

    x, o, n = whole(4, 8), blank(1, 8), np.zeros(1, np.int32)
    kernel(x, o, n)
    assert np.array_equal(o[0], x.sum(0))
    assert n[0] == 11


def test_tuple_is_carried_leaf_by_leaf():
    """A rebound tuple is carried leaf by leaf."""

    @jit
    def kernel(x: T([D, 8], F32), o: T([2, 8], F32)):
        pypto.set_vec_tile_shapes(1, 8)
        pair = (pypto.full([1, 8], 1.0, F32), pypto.full([1, 8], 2.0, F32))
        for i in pypto.loop(x.shape[0], name="L", idx_name="i"):
            pair = (pair[1], pair[0] + pypto.view(x, [1, 8], [i, 0]))
        o[0:1, :] = pair[0] + 0.0
        o[1:2, :] = pair[1] + 0.0

    x, o = whole(3, 8), blank(2, 8)
    kernel(x, o)
    a, b = np.ones(8, np.float32), np.full(8, 2.0, np.float32)
    for row in x:
        a, b = b, a + row
    assert np.array_equal(o, np.stack([a, b]))


def test_appending_in_a_loop_changes_the_structure():
    """Appending to an outer list inside a pypto.loop is a changed structure: an error."""

    @jit
    def kernel(x: T([D, 8], F32), o: T([1, 8], F32)):
        pypto.set_vec_tile_shapes(1, 8)
        rows = []
        for i in pypto.loop(x.shape[0], name="L", idx_name="i"):
            rows.append(pypto.view(x, [1, 8], [i, 0]))
        o[:] = rows[0] + 0.0

    with fails("rows|structure|append"):
        kernel(whole(4, 8), blank(1, 8))


def test_new_dict_key_in_a_loop():
    """So is a new key of an outer dict."""

    @jit
    def kernel(x: T([D, 8], F32), o: T([1, 8], F32)):
        pypto.set_vec_tile_shapes(1, 8)
        found = {"a": x.shape[0]}
        for i in pypto.loop(x.shape[0], name="L", idx_name="i"):
            found["b"] = pypto.view(x, [1, 8], [i, 0])
        o[:] = found["b"] + 0.0

    with fails("found|structure|key"):
        kernel(whole(4, 8), blank(1, 8))


def test_list_made_inside_the_body():
    """A list that is made and used inside one iteration is ordinary Python."""

    @jit
    def kernel(x: T([6, 8], F32), o: T([3, 8], F32)):
        pypto.set_vec_tile_shapes(1, 8)
        for i in pypto.loop(3, name="L", idx_name="i"):
            rows = []
            for j in range(2):
                rows.append(pypto.view(x, [1, 8], [i * 2 + j, 0]))
            pypto.assemble(rows[0] + rows[1], [i, 0], o)

    x, o = whole(6, 8), blank(3, 8)
    kernel(x, o)
    assert np.array_equal(o, x[::2] + x[1::2])


def test_comprehension_of_views():
    """Comprehensions and generator expressions see the kernel's names."""

    @jit
    def kernel(x: T([4, 8], F32), o: T([1, 8], F32)):
        pypto.set_vec_tile_shapes(1, 8)
        scale = 2.0
        rows = [pypto.view(x, [1, 8], [i, 0]) * scale for i in range(4)]
        total = rows[0]
        for row in (r + scale for r in rows[1:]):
            total = total + row
        o[:] = total

    x, o = whole(4, 8), blank(1, 8)
    kernel(x, o)
    assert np.array_equal(o[0], (x * 2).sum(0) + 6)


class Box:
    """An object that no region looks into."""

    def __init__(self):
        self.value = None


def test_a_value_that_leaves_its_loop_by_an_attribute():
    """A traced value that leaves its region by another route is an error."""
    box = Box()

    @jit
    def kernel(x: T([D, 8], F32), o: T([1, 8], F32)):
        pypto.set_vec_tile_shapes(1, 8)
        for i in pypto.loop(x.shape[0], name="L", idx_name="i"):
            box.value = pypto.view(x, [1, 8], [i, 0]) * 2.0
        o[:] = box.value

    with fails(r"box\.value", line="o[:] = box.value"):
        kernel(whole(4, 8), blank(1, 8))


def test_a_scalar_that_leaves_its_loop_by_a_closure():
    """The same for a scalar kept by a helper's default or a list of the outer frame."""
    kept = Box()

    @jit
    def kernel(x: T([D, 8], F32), o: T([1], I32)):
        for i in pypto.loop(x.shape[0], name="L", idx_name="i"):
            kept.value = i * 2
            o[0] = i
        o[0] = kept.value + 1

    with fails(r"kept\.value", line="o[0] = kept.value + 1"):
        kernel(whole(4, 8), np.zeros(1, np.int32))


def test_a_tensor_of_another_trace():
    """A tensor kept from another trace is an error."""
    kept = Box()

    @jit
    def first(x: T([4, 8], F32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        kept.value = x + 1.0
        o[:] = kept.value

    @jit
    def second(x: T([4, 8], F32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        o[:] = x + kept.value

    first(whole(4, 8), blank(4, 8))
    with fails("trace|kernel|another", line="o[:] = x + kept.value"):
        second(whole(4, 8), blank(4, 8))


def test_caught_error_fails_the_trace_all_the_same():
    """An error raised while tracing fails the trace even if user code catches it."""

    @jit
    def kernel(x: T([4, 8], F32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        pytest.raises(Exception, pypto.view, x, [1], [0])  # noqa: RUF061 - a library function that swallows the error
        o[:] = x + 1.0

    o = blank(4, 8)
    with fails("size|dimension|rank", line="pytest.raises(Exception"):
        kernel(whole(4, 8), o)
    assert (o == UNWRITTEN).all()


def test_a_captured_array_in_an_op():
    """A captured numpy array used in an op is an error."""
    table = whole(4, 8)

    @jit
    def kernel(x: T([4, 8], F32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        o[:] = x + table

    with fails("table|array|ndarray", line="o[:] = x + table"):
        kernel(whole(4, 8), blank(4, 8))
