"""Boxes, signals and segments by themselves, against dense arrays."""

import itertools

import numpy as np
import pytest

from openpto.diagnostics import Site, Span
from openpto.ir.dtypes import DataType
from openpto.runtime.boxes import outside, overlap, slices
from openpto.runtime.ranks.segments import Access, Segment
from openpto.runtime.ranks.signals import Signals, wrapped
from openpto.runtime.ranks.world import place_text

SHAPE = (5, 6, 4)
PLACE = Site(Span("kernel.py", 1))


def boxes(rng, count):
    for _ in range(count):
        edges = [sorted(rng.integers(0, n + 1, 2)) for n in SHAPE]
        if all(a < b for a, b in edges):
            yield tuple(int(a) for a, _ in edges), tuple(int(b) for _, b in edges)


def test_what_is_outside_of_a_box_is_all_and_only_that():
    rng = np.random.default_rng(0)
    for a, b in itertools.pairwise(boxes(rng, 300)):
        seen = np.zeros(SHAPE, int)
        for part in outside(a, *b):
            seen[slices(part)] += 1
        want = np.zeros(SHAPE, int)
        want[slices(a)] = 1
        want[slices(b)] = 0
        assert np.array_equal(seen, want)
        common = np.zeros(SHAPE, int)
        common[slices(a)] += 1
        common[slices(b)] += 1
        found = overlap(a, b)
        assert (found is not None) == (common == 2).any()
        if found is not None:
            assert (common[slices(found)] == 2).all()
            assert (common == 2).sum() == common[slices(found)].size


def test_signals_against_a_dense_array():
    rng = np.random.default_rng(1)
    signals, dense = Signals(SHAPE, 3), np.zeros(SHAPE, np.int64)
    clocks = np.zeros((*SHAPE, 3), int)
    whole = ((0, 0, 0), SHAPE)
    for step, box in enumerate(itertools.chain([whole], boxes(rng, 120), [whole])):
        value, add = int(rng.integers(-3, 4)), bool(rng.integers(2))
        clock = tuple(int(v) for v in rng.integers(0, 50, 3))
        signals.change(box, value, clock, add=add)
        at = slices(box)
        dense[at] = dense[at] + value if add else value
        clocks[at] = np.maximum(clocks[at], clock) if add else clock
        for asked in (box, whole):
            part = dense[slices(asked)]
            assert signals.are(asked, int(part.flat[0])) == (part == part.flat[0]).all(), step
            assert signals.clock(asked) == tuple(clocks[slices(asked)].reshape(-1, 3).max(0))
            listed = np.full(SHAPE, 99)
            for piece, have in signals.values(asked):
                listed[slices(piece)] = have
            assert np.array_equal(listed[slices(asked)], part)


@pytest.mark.parametrize(("value", "want"), [(2**31 - 1, 2**31 - 1), (2**31, -(2**31)), (-(2**31) - 1, 2**31 - 1)])
def test_signals_wrap(value, want):
    assert wrapped(value) == want


def test_additions_in_any_order_of_coming():
    """Sums of floats depend on the order, so it must be that of the ranks, whoever comes first."""
    rng = np.random.default_rng(2)
    parts = [(r, box, rng.standard_normal([b - a for a, b in zip(*box, strict=True)]).astype(np.float32))
             for r, box in enumerate(boxes(rng, 12))]  # fmt: skip
    want = np.zeros(SHAPE, np.float32)
    for _, box, data in parts:
        want[slices(box)] += data
    looks = [((0, 0, 0), (2, 6, 2)), ((1, 2, 0), (5, 5, 4)), ((0, 0, 0), SHAPE)]
    for _ in range(20):
        segment = Segment(SHAPE, DataType.DT_FP32)
        segment.write(((0, 0, 0), SHAPE), 0, True)
        for number in rng.permutation(len(parts)):
            rank, box, data = parts[number]
            segment.add(box, data, None, np.add, (1, rank))
        for look in looks:
            got, defined = segment.read(look)
            assert np.array_equal(got, want[slices(look)])
            assert defined.all()


def test_additions_to_what_has_no_value_have_none():
    segment = Segment((2, 4), DataType.DT_FP32)
    segment.write(((0, 0), (1, 4)), np.ones((1, 4), np.float32), True)
    mask = np.array([[True, False, True, True], [True, True, True, True]])
    segment.add(((0, 0), (2, 4)), np.ones((2, 4), np.float32), mask, np.add, (1, 0))
    data, defined = segment.read(((0, 0), (2, 4)))
    assert np.array_equal(defined, [[True, False, True, True], [False] * 4])
    assert (data[0] == 2).all()


@pytest.mark.parametrize(
    ("first", "second", "knows", "races"),
    [
        ("write", "read", (0, 1), True),
        ("write", "read", (1, 1), False),
        ("read", "write", (0, 1), True),
        ("read", "read", (0, 1), False),
        ("add", "add", (0, 1), False),
        ("add", "read", (0, 1), True),
        ("write", "add", (0, 1), True),
        ("write", "write", (1, 1), False),
    ],
)
def test_accesses_that_race(first, second, knows, races):
    segment = Segment((4, 4), DataType.DT_FP32)
    assert segment.note(Access(0, first, ((0, 0), (2, 4)), 1, PLACE), (1, 0), (0, 0)) is None
    found = segment.note(Access(1, second, ((1, 0), (3, 4)), 1, PLACE), knows, (0, 0))
    assert (found is not None) == races
    assert segment.note(Access(1, "write", ((2, 0), (4, 4)), 1, PLACE), (0, 1), (0, 0)) is None


def test_accesses_that_everybody_knows_of_are_forgotten():
    segment = Segment((200, 4), DataType.DT_FP32)
    for row in range(200):
        segment.note(Access(0, "write", ((row, 0), (row + 1, 4)), row + 1, PLACE), (row + 1, 0), (row, row))
    assert len(segment._accesses) < 70


def test_places_without_a_line():
    assert place_text(Site(None)) == "?"
