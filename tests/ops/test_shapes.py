"""Valid extents computed with symbols agree with counting elements, for every value of the symbols."""

from __future__ import annotations

from functools import cache
from math import prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openpto.diagnostics import NOWHERE
from openpto.ir import expr as ex
from openpto.ir.dtypes import DataType
from openpto.ir.nodes import Imm
from openpto.ir.trace import Trace
from openpto.ops import recording, shapes

N, M = ex.named("n"), ex.named("m")


def value(dim, **env):
    return ex.evaluate(dim, {ex.named(k): v for k, v in env.items()})


@given(st.integers(0, 12), st.integers(0, 20), st.integers(1, 8))
def test_window(valid, offset, extent):
    """What a window sees of a valid extent, counted; folded, half symbolic and fully symbolic."""
    seen = sum(offset <= k < offset + extent for k in range(valid))
    assert shapes.window_valid(valid, offset, extent, {}) == seen
    assert value(shapes.window_valid(N, offset, extent, {}), n=valid) == seen
    assert value(shapes.window_valid(N, M, extent, {}), n=valid, m=offset) == seen


def test_window_inside_a_loop_is_full():
    """The bounds of a loop's index prove that a window lies inside."""
    trace = Trace("t", NOWHERE)
    loop = trace.begin_loop(0, 4, 1, idx_name="i", attrs={}, site=NOWHERE)
    known = shapes.index_bounds(trace)
    assert known == {loop.index: (0, 3)}
    assert shapes.window_valid(32, ex.binary("mul", loop.index, 8), 8, known) == 8
    assert not isinstance(shapes.window_valid(31, ex.binary("mul", loop.index, 8), 8, known), int)


@pytest.mark.parametrize(("start", "stop", "step", "bounds"), [(9, 1, -2, (2, 9)), (2, 8, 3, (2, 7)), (0, 0, 1, None)])
def test_index_bounds(start, stop, step, bounds):
    trace = Trace("t", NOWHERE)
    loop = trace.begin_loop(start, stop, step, idx_name="i", attrs={}, site=NOWHERE)
    assert shapes.index_bounds(trace) == ({} if bounds is None else {loop.index: bounds})


@given(st.lists(st.lists(st.integers(1, 3), min_size=1, max_size=3), min_size=1, max_size=3))
def test_broadcast_is_numpy(operands):
    try:
        want = np.broadcast_shapes(*[tuple(s) for s in operands])
    except ValueError:
        want = None
    assert shapes.broadcast(operands) == want


@cache
def factorisations(count, rank):
    """Every shape of at most `rank` axes with `count` elements."""
    if rank == 0:
        return [()] if count == 1 else []
    rest = [(d, *t) for d in range(1, count + 1) if count % d == 0 for t in factorisations(count // d, rank - 1) if t]
    return [(count,), *rest]


@settings(max_examples=200)
@given(st.lists(st.sampled_from([1, 2, 3, 4]), min_size=1, max_size=4), st.data())
def test_carried_valid_region_is_a_box(shape, data):
    """Whatever is carried through a reshape is exactly the box that holds the moved elements."""
    valid = tuple(data.draw(st.integers(0, n)) for n in shape)
    target = data.draw(st.sampled_from(factorisations(prod(shape), 4)))
    carried = shapes.carried_valid(shape, valid, target)
    if carried is None:
        return
    mask = np.zeros(shape, bool)
    mask[tuple(slice(v) for v in valid)] = True
    box = np.zeros(target, bool)
    box[tuple(slice(v) for v in carried)] = True
    assert np.array_equal(mask.reshape(target), box)


def test_carried_symbol():
    assert value(shapes.carried_valid((16, 4, 8), (N, 4, 8), (64, 8))[0], n=5) == 20
    assert shapes.carried_valid((16, 4, 8), (16, N, 8), (64, 8)) is None
    assert shapes.carried_valid((16, 4, 8), (N, 4, 8), (2, 256)) is None


def test_least_of_the_full_operands():
    """A broadcast operand does not count; where two full ones provably differ the axis is named."""
    valid, differing = shapes.broadcast_valid([((8, 16), (5, 16)), ((1, 16), (1, 9)), ((16,), (16,))], (8, 16))
    assert valid == (5, 9)
    assert [axis for axis, _, _ in differing] == [1]
    valid, differing = shapes.broadcast_valid([((8, 16), (N, 16)), ((8, 16), (8, 16))], (8, 16))
    assert valid == (N, 16)
    assert differing == []


@pytest.mark.parametrize(
    ("number", "dtype", "want"),
    [
        (0.1, DataType.DT_FP32, float(np.float32(0.1))),
        (2**60 + 2**36 + 1, DataType.DT_FP32, float(2**60 + 2**37)),
        (1e40, DataType.DT_FP32, float("inf")),
        (-1e40, DataType.DT_FP32, float("-inf")),
        (1e-46, DataType.DT_FP32, 0.0),
        (300, DataType.DT_INT8, 44),
        (-129, DataType.DT_INT8, 127),
        (2**31, DataType.DT_INT32, -(2**31)),
        (2.9, DataType.DT_INT32, 2),
        (-2.9, DataType.DT_INT32, -2),
        (True, DataType.DT_INT64, 1),
        (0.5, DataType.DT_BOOL, True),
    ],
)
def test_scalars_are_rounded_once(number, dtype, want):
    assert recording.rounded(number, dtype) == Imm(want, dtype)
