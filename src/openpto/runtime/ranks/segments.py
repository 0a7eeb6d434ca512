"""The shared block of one PE: elements, which of them have been given a value, and who touched what.

Additions from several ranks that nothing orders give the same bits in every run: they wait until somebody looks at
their elements, and are then made in one order, that of their clocks (earlier ones first) and then of the ranks.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from openpto._records import dataclass, replace
from openpto.diagnostics import Site
from openpto.ir.dtypes import DataType, numpy_dtype
from openpto.runtime.boxes import Box, outside, overlap, slices

from .clocks import Clock, knows

Array = NDArray[Any]
Mask = NDArray[np.bool_]
Combine = Callable[[Array, Array], Array]
"""The sum of elements that are there and elements that come, in the type of those that are there."""

MOST_ACCESSES = 64
"""Notes of accesses that are kept before those that everybody knows of are dropped."""


@dataclass(frozen=True, slots=True)
class Access:
    """Who touches a box: a rank at its ``time`` (see ``clocks.py``), by reading, writing or adding."""

    rank: int
    kind: str  # "read", "write" or "add"
    box: Box
    time: int
    site: Site


@dataclass(frozen=True, slots=True)
class _Addition:
    """Elements that are to be added; ``order`` sorts additions that meet."""

    order: tuple[int, int, int]
    box: Box
    data: Array
    defined: Mask | None
    combine: Combine


class Segment:
    """Zeros that count as undefined, until they are written."""

    __slots__ = ("_accesses", "_additions", "_count", "data", "defined")

    def __init__(self, shape: tuple[int, ...], dtype: DataType) -> None:
        self.data: Array = np.zeros(shape, numpy_dtype(dtype))
        self.defined: Mask = np.zeros(shape, np.bool_)
        self._accesses: dict[tuple[int, str, Box], Access] = {}
        self._additions: list[_Addition] = []
        self._count = 0

    def note(self, access: Access, clock: Clock, everybody: Clock) -> Access | None:
        """Note an access of a rank that knows ``clock``; ``everybody`` knows at least the other clock. Returns an
        earlier access that it races with, if there is one."""
        if len(self._accesses) > MOST_ACCESSES:
            kept = (a for a in self._accesses.values() if not knows(everybody, a.rank, a.time))
            self._accesses = {(a.rank, a.kind, a.box): a for a in kept}
        for other in self._accesses.values():
            if other.rank == access.rank or {other.kind, access.kind} in ({"read"}, {"add"}):
                continue
            if not knows(clock, other.rank, other.time) and overlap(other.box, access.box) is not None:
                return other
        self._accesses[access.rank, access.kind, access.box] = access
        return None

    def read(self, box: Box) -> tuple[Array, Mask]:
        """Copies of the elements of a box and of their marks."""
        self._settle(box)
        at = slices(box)
        return self.data[at].copy(), self.defined[at].copy()

    def write(self, box: Box, data: Array | int, defined: Mask | bool) -> None:
        """Elements take a value; ``defined`` tells which of them have one."""
        self._settle(box)
        at = slices(box)
        self.data[at] = data
        self.defined[at] = defined

    def add(self, box: Box, data: Array, defined: Mask | None, combine: Combine, order: tuple[int, int]) -> None:
        """Elements are to be added to those of a box; ``order`` is the clock's sum and the rank."""
        self._count += 1
        self._additions.append(_Addition((*order, self._count), box, data.copy(), defined, combine))

    def _settle(self, box: Box) -> None:
        """Make the additions to the elements of a box."""
        waiting: list[_Addition] = []
        for item in sorted(self._additions, key=lambda a: a.order):
            common = overlap(item.box, box)
            if common is None:
                waiting.append(item)
                continue
            self._apply(item, common)
            for rest in outside(item.box, *common):
                part = slices(rest, item.box[0])
                defined = None if item.defined is None else item.defined[part]
                waiting.append(replace(item, box=rest, data=item.data[part], defined=defined))
        self._additions = waiting

    def _apply(self, item: _Addition, box: Box) -> None:
        at, part = slices(box), slices(box, item.box[0])
        self.data[at] = item.combine(self.data[at], item.data[part])
        if item.defined is not None:
            self.defined[at] &= item.defined[part]
