"""Vector tiles for operations with rules of their own: an axis that must be whole, multiples of 32 or 64."""

from __future__ import annotations

from collections.abc import Callable
from math import log2

from openpto.checks.nearest import by_distance
from openpto.checks.question import Question, Tile
from openpto.device import align

MOST_ASKED = 400
"""Tiles that are recorded before the search gives up."""
MULTIPLES = (2, 4, 8, 32, 64)


def repaired(question: Question, tile: Tile | None, legal: Callable[[Tile], bool]) -> tuple[int, ...] | None:
    """A legal vector tile near `tile`: whole axes, multiples, and halves of both."""
    if not isinstance(tile, tuple) or not tile:
        return None
    shapes = [operand for operand in question.operands if isinstance(operand, tuple)]
    axes = [_near(value, [shape[axis] for shape in shapes if axis < len(shape)]) for axis, value in enumerate(tile)]
    for number, found in enumerate(by_distance(axes)):
        if number == MOST_ASKED:
            return None
        candidate = tuple(value for (value,) in found)
        if legal(candidate):
            return candidate
    return None


def _near(value: int, extents: list[int]) -> list[tuple[float, tuple[int, ...]]]:
    """Values for one axis with their distance from the one asked for, the nearest first."""
    start = max(value, 1)
    values = {start, *extents, *(align(start, step) for step in MULTIPLES), *(1 << n for n in range(12))}
    return sorted((abs(log2(other / start)), (other,)) for other in values)
