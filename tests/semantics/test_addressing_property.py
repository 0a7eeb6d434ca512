"""Property tests: view, assemble and slices against numpy, with random ranks, offsets and valid shapes."""

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from semantics_support import F32, I32, D, T, blank, jit

import pypto

EXAMPLES = settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])


def numbers(shape):
    """Every element another number."""
    return np.arange(1, int(np.prod(shape)) + 1, dtype=np.float32).reshape(shape)


@st.composite
def windows(draw, rank=None):
    """A tensor shape and a window on it: shape, window, offsets (some outside), inferred valid extents."""
    rank = rank or draw(st.integers(1, 4))
    shape = draw(st.lists(st.integers(1, 6), min_size=rank, max_size=rank))
    window = draw(st.lists(st.integers(1, 7), min_size=rank, max_size=rank))
    offsets = [draw(st.integers(0, extent + 1)) for extent in shape]
    valid = [min(max(extent - offset, 0), size) for extent, offset, size in zip(shape, offsets, window)]
    return shape, window, offsets, valid


def region(offsets, extents):
    return tuple(slice(offset, offset + extent) for offset, extent in zip(offsets, extents))


@EXAMPLES
@given(windows(), st.data())
def test_view_then_assemble(case, data):
    """A window with constant or run-time offsets, assembled elsewhere: exactly the valid region moves."""
    shape, window, offsets, valid = case
    rank = len(shape)
    symbolic = data.draw(st.booleans())
    dynamic = data.draw(st.booleans())
    target_offsets = [data.draw(st.integers(0, 3)) for _ in range(rank)]
    out_shape = [at + extent + data.draw(st.integers(0, 2)) for at, extent in zip(target_offsets, valid)]
    out_shape = [max(extent, 1) for extent in out_shape]

    @jit
    def kernel(x: T([D] * rank if dynamic else shape, F32), at: T([2 * rank], I32), o: T(out_shape, F32)):
        pypto.set_vec_tile_shapes(*[8] * rank)
        source = [at[k] for k in range(rank)] if symbolic else offsets
        target = [at[rank + k] for k in range(rank)] if symbolic else target_offsets
        v = pypto.view(x, window, source)
        assert list(v.shape) == window
        pypto.assemble(v, target, o)

    x, o = numbers(shape), blank(*out_shape)
    kernel(x, np.array(offsets + target_offsets, np.int32), o)
    want = blank(*out_shape)
    want[region(target_offsets, valid)] = x[region(offsets, valid)]
    assert np.array_equal(o, want)


@EXAMPLES
@given(windows(), st.data())
def test_explicit_valid_shape(case, data):
    """An explicit valid_shape inside the inferred one: that part moves, through an op."""
    shape, window, offsets, valid = case
    chosen = [data.draw(st.integers(0, extent)) for extent in valid]
    symbolic = data.draw(st.booleans())
    rank = len(shape)

    @jit
    def kernel(x: T(shape, F32), n: T([rank], I32), o: T(window, F32)):
        pypto.set_vec_tile_shapes(*[8] * rank)
        extents = [n[k] for k in range(rank)] if symbolic else chosen
        v = pypto.view(x, window, offsets, valid_shape=extents)
        pypto.assemble(v * 2.0, [0] * rank, o)

    x, o = numbers(shape), blank(*window)
    kernel(x, np.array(chosen, np.int32), o)
    want = blank(*window)
    want[region([0] * rank, chosen)] = x[region(offsets, chosen)] * 2
    assert np.array_equal(o, want)


@EXAMPLES
@given(windows(rank=2), st.data())
def test_views_of_views(case, data):
    """Two windows on top of each other: offsets add up, valid extents shrink."""
    shape, window, offsets, valid = case
    inner = [data.draw(st.integers(1, 7)) for _ in window]
    shift = [data.draw(st.integers(0, size)) for size in window]
    left = [min(max(extent - by, 0), size) for extent, by, size in zip(valid, shift, inner)]

    @jit
    def kernel(x: T(shape, F32), at: T([4], I32), o: T(inner, F32)):
        pypto.set_vec_tile_shapes(8, 8)
        v = pypto.view(x, window, [at[0], offsets[1]])
        w = pypto.view(v, inner, [shift[0], at[3]])
        pypto.assemble(w, [0, 0], o)

    x, o = numbers(shape), blank(*inner)
    kernel(x, np.array(offsets + shift, np.int32), o)
    want = blank(*inner)
    start = [a + b for a, b in zip(offsets, shift)]
    want[region([0, 0], left)] = x[region(start, left)]
    assert np.array_equal(o, want)


@st.composite
def keys(draw, shape):
    """A subscript with ints, slices, negative bounds, open ends and perhaps an ellipsis; never empty slices only."""
    parts = []
    for extent in shape:
        kind = draw(st.sampled_from(["int", "slice", "slice", "open", "all"]))
        if kind == "int":
            parts.append(draw(st.integers(-extent, extent - 1)))
        elif kind == "slice":
            low = draw(st.integers(0, extent - 1))
            high = draw(st.integers(low + 1, extent))
            negative = draw(st.booleans()) and high < extent
            parts.append(slice(low - extent if negative else low, high - extent if negative else high))
        elif kind == "open":
            parts.append(slice(draw(st.integers(0, extent - 1)), None))
        else:
            parts.append(slice(None))
    while len(parts) > 1 and parts[-1] == slice(None) and draw(st.booleans()):
        parts.pop()
    if draw(st.booleans()):
        at = draw(st.integers(0, len(parts)))
        parts = [*parts[:at], Ellipsis, *parts[at:]] if len(parts) < len(shape) and at == len(parts) else parts
    return tuple(parts)


@EXAMPLES
@given(st.data())
def test_slice_reads(data):
    """`x[key]` is numpy's for every key that keeps an axis."""
    rank = data.draw(st.integers(1, 4))
    shape = data.draw(st.lists(st.integers(1, 5), min_size=rank, max_size=rank))
    x = numbers(shape)
    key = data.draw(keys(shape).filter(lambda key: x[key].ndim > 0))
    want = x[key]

    @jit
    def kernel(x: T(shape, F32), o: T(list(want.shape), F32)):
        pypto.set_vec_tile_shapes(8, 8, 8, 8)
        o[:] = x[key] + 0.5

    o = blank(*want.shape)
    kernel(x, o)
    assert np.array_equal(o, want + 0.5)


@EXAMPLES
@given(st.data())
def test_slice_stores(data):
    """`o[key] = v` is numpy's for every key that keeps an axis and starts where it says."""
    rank = data.draw(st.integers(1, 4))
    shape = data.draw(st.lists(st.integers(1, 5), min_size=rank, max_size=rank))
    start = blank(*shape)
    key = data.draw(keys(shape).filter(lambda key: start[key].ndim > 0))
    inner = list(start[key].shape)

    @jit
    def kernel(v: T(inner, F32), o: T(shape, F32)):
        pypto.set_vec_tile_shapes(8, 8, 8, 8)
        o[key] = v + 0.5

    v, o = numbers(inner), start.copy()
    kernel(v, o)
    want = start.copy()
    want[key] = v + 0.5
    assert np.array_equal(o, want)


@EXAMPLES
@given(st.integers(0, 12), st.integers(1, 5), st.lists(st.integers(0, 7), min_size=1, max_size=4), st.integers(1, 3))
def test_ragged_blocks(gap, block, lengths, width):
    """Packed sequences walked in blocks: every row of every sequence exactly once, nothing else."""
    starts = np.cumsum([0, *lengths]).astype(np.int32)
    total = int(starts[-1])

    @jit
    def kernel(x: T([D, width], F32), ends: T([D], I32), o: T([D, width], F32)):
        pypto.set_vec_tile_shapes(block, 8)
        for b in pypto.loop(ends.shape[0] - 1, name="B", idx_name="b"):
            first = ends[b]
            n = ends[b + 1] - first
            for s in pypto.loop(0, n, block, name="S", idx_name="s"):
                live = (n - s).min(block)
                v = pypto.view(x, [block, width], [first + s, 0], valid_shape=[live, width])
                pypto.assemble(v * 2.0, [gap + first + s, 0], o)

    x, o = numbers((total, width)) if total else np.zeros((0, width), np.float32), blank(total + gap, width)
    kernel(x, starts, o)
    want = blank(total + gap, width)
    want[gap:] = x * 2
    assert np.array_equal(o, want)


@EXAMPLES
@given(windows(rank=2), st.sampled_from(["sum", "amax", "amin"]), st.integers(0, 1))
def test_reductions_of_windows(case, name, axis):
    """Reductions of a cut window read its valid region only."""
    shape, window, offsets, valid = case
    if 0 in valid:
        return
    golden = {"sum": np.sum, "amax": np.max, "amin": np.min}[name]

    @jit
    def kernel(x: T(shape, F32), at: T([2], I32), o: T(window, F32)):
        pypto.set_vec_tile_shapes(8, 8)
        v = pypto.view(x, window, [at[0], at[1]])
        pypto.assemble(getattr(pypto, name)(v, axis, True), [0, 0], o)

    x, o = numbers(shape) * -1, blank(*window)
    kernel(x, np.array(offsets, np.int32), o)
    part = golden(x[region(offsets, valid)], axis=axis, keepdims=True)
    want = blank(*window)
    want[: part.shape[0], : part.shape[1]] = part
    assert np.array_equal(o, want)
