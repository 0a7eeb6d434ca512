"""The legal tile nearest to the one an author asked for: values are rounded where they must be multiples, and only
what helps is made smaller. What is legal is asked of the checks themselves.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from math import log2, prod
from typing import TypeVar

from openpto.device import align
from openpto.ir.nodes import CubeTile

Tile = TypeVar("Tile")
Legal = Callable[[Tile], bool]

MOST_TRIED = 4000
"""Bounds the search; a tile near the one asked for is found within a few hundred."""


# Vector tiles


def nearest_vector(
    asked: Sequence[int], extents: Sequence[int], step: int, legal: Legal[tuple[int, ...]], kept: frozenset[int]
) -> tuple[int, ...] | None:
    """A legal vector tile near `asked` for a tensor of these extents.

    One axis is made smaller, the one that leaves the largest tile; if no axis alone is enough, the first ones become
    1. Values of the last axis are multiples of `step`, the elements of 32 bytes. Axes in `kept` are not cut.

    >>> nearest_vector((512, 512), (512, 512), 8, lambda tile: prod(tile) <= 49152, frozenset())
    (96, 512)
    """
    rank = len(extents)
    tile = [value if value > 0 else extent for value, extent in zip(asked, extents, strict=False)]
    tile += extents[len(tile) :]
    last = rank - 1
    tile = [min(value, extent) for value, extent in zip(tile, extents, strict=True)]
    if rank:
        tile[last] = align(tile[last], step)
    steps = [step if axis == last else 1 for axis in range(rank)]
    open_axes = [axis for axis in range(rank) if tile[axis] > steps[axis] and axis not in kept]
    if legal(tuple(tile)):
        return tuple(tile)
    while open_axes:
        found = [cut for axis in open_axes if (cut := _largest(tile, axis, steps[axis], legal)) is not None]
        if found:
            return max(found, key=prod)
        axis = open_axes.pop(0)
        tile[axis] = steps[axis]
    return None


def _largest(tile: Sequence[int], axis: int, step: int, legal: Legal[tuple[int, ...]]) -> tuple[int, ...] | None:
    """The tile with the largest value of an axis that makes it legal."""

    def cut(count: int) -> tuple[int, ...]:
        return (*tile[:axis], count * step, *tile[axis + 1 :])

    low, high = 0, tile[axis] // step
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if legal(cut(middle)) else (low, middle - 1)
    return cut(low) if low else None


# Cube tiles


def nearest_cube(asked: CubeTile, steps: tuple[int, int, int], legal: Legal[CubeTile]) -> CubeTile | None:
    """A legal cube tile near `asked`; `steps` are what the L0 values of m, k and n are multiples of.

    >>> nearest_cube(CubeTile((32, 48), (24, 24, 24), (16, 16)), (1, 16, 16), lambda tile: True)
    CubeTile(m=(32, 64), k=(32, 32, 32), n=(16, 16), split_k=False)
    """
    axes = [_near_axis(values, step) for values, step in zip((asked.m, asked.k, asked.n), steps, strict=True)]
    for m, k, n in by_distance(axes):
        tile = CubeTile(m, k, n, asked.split_k)
        if legal(tile):
            return tile
    return None


Pair = tuple[int, ...]


def _near_axis(values: Sequence[int], step: int) -> list[tuple[float, Pair]]:
    """L0 and L1 values near those of an axis, each L1 a multiple of L0, the nearest first."""
    inner, outers = values[0], values[1:]
    found: dict[Pair, float] = {}
    for first in _inner_values(inner, step):
        choices = [_outer_values(first, outer) for outer in outers]
        for rest in product(*choices):
            if len(set(outers)) < len(set(rest)):  # what the author keeps alike stays alike
                continue
            cost = _distance(inner, first) + sum(_distance(o, r) / 2 for o, r in zip(outers, rest, strict=True))
            found.setdefault((first, *rest), cost)
    return sorted(((cost, pair) for pair, cost in found.items()), key=lambda item: (item[0], [-v for v in item[1]]))


def _inner_values(asked: int, step: int) -> list[int]:
    """The value asked for, rounded, and smaller ones: halves of it and powers of two."""
    first = align(asked, step)
    halves = [first >> shift for shift in range(first.bit_length()) if (first >> shift) % step == 0]
    powers = [1 << bit for bit in range(first.bit_length()) if (1 << bit) % step == 0]
    return sorted({value for value in (*halves, *powers) if 0 < value <= first}, reverse=True)


def _outer_values(inner: int, asked: int) -> list[int]:
    """Multiples of the L0 value around an L1 value, and half, a quarter ... of it."""
    values = {align(asked, inner), max(asked // inner, 1) * inner}
    while asked > inner:
        asked //= 2
        values.add(max(asked // inner, 1) * inner)
    return sorted(values, reverse=True)


def _distance(asked: int, value: int) -> float:
    return abs(log2(value / asked))


def by_distance(axes: Sequence[Sequence[tuple[float, Pair]]]) -> Iterator[tuple[Pair, ...]]:
    """Combinations of one choice per axis, the smallest sum of distances first."""
    start = (0,) * len(axes)
    waiting, seen = [(sum(axis[0][0] for axis in axes), start)], {start}
    for _ in range(MOST_TRIED):
        if not waiting:
            return
        _, at = heapq.heappop(waiting)
        yield tuple(axis[number][1] for axis, number in zip(axes, at, strict=True))
        for place, axis in enumerate(axes):
            following = (*at[:place], at[place] + 1, *at[place + 1 :])
            if following[place] < len(axis) and following not in seen:
                seen.add(following)
                heapq.heappush(waiting, (sum(a[n][0] for a, n in zip(axes, following, strict=True)), following))
