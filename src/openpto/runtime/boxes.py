"""Half-open boxes of elements: what two have in common, and what is left of one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

Box = tuple[tuple[int, ...], tuple[int, ...]]
"""First position and last-plus-one position per axis."""


def overlap(a: Box, b: Box) -> Box | None:
    """The common part of two boxes, None if there is none.

    >>> overlap(((0, 0), (4, 4)), ((2, 1), (8, 3)))
    ((2, 1), (4, 3))
    """
    low = tuple(map(max, a[0], b[0]))
    high = tuple(map(min, a[1], b[1]))
    return (low, high) if all(x < y for x, y in zip(low, high, strict=True)) else None


def outside(whole: Box, low: Sequence[int], high: Sequence[int]) -> Iterator[Box]:
    """The parts of a box outside of another one, cut off axis by axis.

    >>> list(outside(((0, 0), (4, 4)), (0, 1), (4, 3)))
    [((0, 0), (4, 1)), ((0, 3), (4, 4))]
    """
    if any(max(a, c) >= min(b, d) for a, b, c, d in zip(*whole, low, high, strict=True)):
        yield whole
        return
    begin, end = list(whole[0]), list(whole[1])
    for axis, (a, b) in enumerate(zip(low, high, strict=True)):
        if begin[axis] < a:
            yield tuple(begin), (*end[:axis], a, *end[axis + 1 :])
            begin[axis] = a
        if b < end[axis]:
            yield (*begin[:axis], b, *begin[axis + 1 :]), tuple(end)
            end[axis] = b


def slices(box: Box, origin: Sequence[int] | None = None) -> tuple[slice, ...]:
    """The index of a box in an array, or in a part of it that begins at ``origin``."""
    starts = origin if origin is not None else (0,) * len(box[0])
    return tuple(slice(a - o, b - o) for a, b, o in zip(*box, starts, strict=True))


def box_text(box: Box) -> str:
    """A box as messages print it.

    >>> box_text(((0, 4), (2, 8)))
    '[0:2, 4:8]'
    """
    return f"[{', '.join(f'{a}:{b}' for a, b in zip(*box, strict=True))}]"
