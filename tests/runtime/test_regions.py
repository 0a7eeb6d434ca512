"""Defined regions: every operation on boxes and masks does what it does on plain masks."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from openpto.runtime.reference import regions

extents = st.integers(1, 3).flatmap(lambda rank: st.tuples(*[st.integers(0, 5)] * rank))


@st.composite
def region_of(draw, valid):
    kind = draw(st.sampled_from(["full", "nothing", "box", "mask"]))
    if kind == "full":
        return regions.FULL
    if kind == "nothing":
        return regions.nothing(len(valid)) if regions.count(valid) else regions.FULL
    if kind == "box":
        low = [draw(st.integers(0, n)) for n in valid]
        high = [draw(st.integers(a, n)) for a, n in zip(low, valid)]
        return regions.box(low, high, valid)
    bits = draw(st.lists(st.booleans(), min_size=regions.count(valid), max_size=regions.count(valid)))
    return regions.from_mask(np.array(bits, np.bool_).reshape(valid))


def same(region, mask):
    np.testing.assert_array_equal(regions.to_mask(region, mask.shape), mask)


@given(st.data())
def test_window(data):
    valid = data.draw(extents)
    region = data.draw(region_of(valid))
    offsets = tuple(data.draw(st.integers(0, n)) for n in valid)
    inner = tuple(data.draw(st.integers(0, n - o)) for n, o in zip(valid, offsets))
    index = tuple(slice(o, o + n) for o, n in zip(offsets, inner))
    same(regions.window(region, offsets, inner), regions.to_mask(region, valid)[index])


@given(st.data())
def test_a_series_of_stores(data):
    valid = data.draw(extents)
    region = data.draw(region_of(valid))
    want = regions.to_mask(region, valid).copy()
    for _ in range(data.draw(st.integers(1, 5))):
        low = tuple(data.draw(st.integers(0, n)) for n in valid)
        size = tuple(data.draw(st.integers(0, n - a)) for n, a in zip(valid, low))
        source = data.draw(region_of(size))
        before = region.copy() if isinstance(region, np.ndarray) else region
        new = regions.paint(region, valid, low, source, size, owned=False)
        if isinstance(before, np.ndarray):
            np.testing.assert_array_equal(region, before)
        want[tuple(slice(a, a + n) for a, n in zip(low, size))] = regions.to_mask(source, size)
        same(new, want)
        region = new


@given(st.data())
def test_intersection_permutation_and_axes(data):
    valid = data.draw(extents)
    a, b = data.draw(region_of(valid)), data.draw(region_of(valid))
    masks = regions.to_mask(a, valid), regions.to_mask(b, valid)
    same(regions.intersect(a, b, valid), masks[0] & masks[1])
    perm = data.draw(st.permutations(range(len(valid))))
    same(regions.permuted(a, perm), masks[0].transpose(perm))
    axis = data.draw(st.integers(0, len(valid)))
    wider = regions.with_axis(a, axis)
    same(wider, np.expand_dims(masks[0], axis))
    same(regions.without_axes(wider, (axis,)), masks[0])


@given(st.data())
def test_broadcasting(data):
    target = data.draw(st.integers(1, 3).flatmap(lambda rank: st.tuples(*[st.integers(1, 4)] * rank)))
    valid = tuple(data.draw(st.sampled_from([1, n])) for n in target)[data.draw(st.integers(0, len(target) - 1)) :]
    region = data.draw(region_of(valid))
    same(regions.spread(region, valid, target), np.broadcast_to(regions.to_mask(region, valid), target))


@given(st.data())
def test_reduction_and_coverage(data):
    valid = data.draw(extents)
    region = data.draw(region_of(valid))
    mask = regions.to_mask(region, valid)
    axes = tuple(data.draw(st.sets(st.integers(0, len(valid) - 1), min_size=1)))
    same(regions.reduced(region, valid, axes), mask.all(axis=axes, keepdims=True))
    low = tuple(data.draw(st.integers(0, n)) for n in valid)
    high = tuple(data.draw(st.integers(a, n)) for a, n in zip(low, valid))
    assert regions.covers(region, low, high) == mask[tuple(map(slice, low, high))].all()
    hole = regions.first_hole(region, valid)
    holes = [tuple(i) for i in np.argwhere(~mask).tolist()]
    assert hole == (holes[0] if holes else None)


@pytest.mark.parametrize("order", [[0, 1, 2, 3], [3, 1, 0, 2], [2, 0, 3, 1]])
def test_rows_in_any_order_end_as_full(order):
    region = regions.nothing(2)
    for row in order:
        region = regions.paint(region, (4, 8), (row, 0), regions.FULL, (1, 8), owned=True)
    assert region is regions.FULL
