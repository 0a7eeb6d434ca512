"""Races of parallel loops: boxes of outer tensors that one iteration writes and another reads or writes.

Boxes are logged while the iterations run in program order and compared once the loop is done. A name that is assigned
as a whole counts as written as a whole.
"""

from __future__ import annotations

from collections.abc import Iterable

from openpto._records import dataclass
from openpto.ir.nodes import Block, Carry, If, Loop, Op, Value

from .regions import Box, Extents, is_empty_box


@dataclass(frozen=True, slots=True)
class Race:
    """Two iterations that meet: ``writer`` writes ``box`` of the object ``var``, ``other`` reads or writes it."""

    var: int
    box: Box
    writer: int
    other: int
    other_writes: bool


@dataclass(frozen=True, slots=True)
class _Access:
    low: Extents
    high: Extents
    order: int  # position of the iteration in program order
    iteration: int
    writes: bool


class RaceLog:
    """Accesses of the iterations of one parallel loop to the objects ``outer`` that live outside of it."""

    def __init__(self, outer: frozenset[int]) -> None:
        self.outer = outer
        self._iteration = 0
        self._order = -1
        self._boxes: dict[int, dict[_Access, None]] = {}
        self._written: set[int] = set()

    @property
    def iteration(self) -> int:
        """Index of the running iteration; setting it starts the next one."""
        return self._iteration

    @iteration.setter
    def iteration(self, index: int) -> None:
        self._iteration = index
        self._order += 1

    def read(self, var: int, low: Extents, high: Extents) -> None:
        """Log a box that is read."""
        self._log(var, low, high, False)

    def write(self, var: int, low: Extents, high: Extents) -> None:
        """Log a box that is written."""
        self._log(var, low, high, True)

    def _log(self, var: int, low: Extents, high: Extents, writes: bool) -> None:
        if var in self.outer and not is_empty_box(low, high):
            access = _Access(low, high, self._order, self._iteration, writes)
            self._boxes.setdefault(var, {}).setdefault(access)
            if writes:
                self._written.add(var)

    def first(self) -> Race | None:
        """The race whose later iteration is first in program order, or None."""
        races = []
        for var in sorted(self._written):
            found = _first_conflict(list(self._boxes[var]))
            if found is not None:
                races.append((found[1].order, var, found))
        if not races:
            return None
        _, var, (a, b) = min(races, key=lambda r: r[:2])
        writer, other = (a, b) if a.writes else (b, a)
        low = tuple(max(x, y) for x, y in zip(a.low, b.low, strict=True))
        high = tuple(min(x, y) for x, y in zip(a.high, b.high, strict=True))
        return Race(var, (low, high), writer.iteration, other.iteration, other.writes)


def _first_conflict(accesses: list[_Access]) -> tuple[_Access, _Access] | None:
    """The pair (earlier, later) of meeting accesses whose later one comes first; a sweep along the axis that
    separates the boxes best. Reads are compared with writes only."""
    rank = len(accesses[0].low)
    axis = max(range(rank), key=lambda i: len({a.low[i] for a in accesses}), default=0)
    reads: list[_Access] = []
    writes: list[_Access] = []
    best: tuple[_Access, _Access] | None = None
    for access in sorted(accesses, key=lambda a: a.low[axis : axis + 1]):
        if rank:
            writes = [a for a in writes if a.high[axis] > access.low[axis]]
            if access.writes:
                reads = [a for a in reads if a.high[axis] > access.low[axis]]
        for other in [*writes, *reads] if access.writes else writes:
            if other.order != access.order and _meet(other, access):
                pair = (other, access) if other.order < access.order else (access, other)
                if best is None or (pair[1].order, pair[0].order) < (best[1].order, best[0].order):
                    best = pair
        (writes if access.writes else reads).append(access)
    return best


def _meet(a: _Access, b: _Access) -> bool:
    return all(al < bh and bl < ah for al, ah, bl, bh in zip(a.low, a.high, b.low, b.high, strict=True))


def chained_carries(loop: Loop) -> frozenset[Carry]:
    """Carries of tiles whose yielded state comes from the carried one by in-place ops only: their writes are logged
    where they happen."""
    origin: dict[Value, tuple[Value, ...]] = {}
    _origins(loop.body, origin)
    return frozenset(
        c for c in loop.carries if isinstance(c.yielded, Value) and _comes_from(c.yielded, c.param, origin)
    )


def _origins(block: Block, origin: dict[Value, tuple[Value, ...]]) -> None:
    for stmt in block.body:
        if isinstance(stmt, Op):
            if stmt.attrs.get("inplace") and isinstance(stmt.results[0], Value):
                origin[stmt.results[0]] = _tiles(stmt.operands)[-1:]
        elif isinstance(stmt, Loop):
            for c in stmt.carries:
                if isinstance(c.result, Value) and isinstance(c.param, Value):
                    origin[c.result] = origin[c.param] = _tiles((c.init, c.yielded))
            _origins(stmt.body, origin)
        elif isinstance(stmt, If):
            for m in stmt.merges:
                if isinstance(m.result, Value):
                    origin[m.result] = _tiles((m.then, m.other))
            _origins(stmt.then, origin)
            _origins(stmt.other, origin)


def _tiles(items: Iterable[object]) -> tuple[Value, ...]:
    return tuple(i for i in items if isinstance(i, Value))


def _comes_from(value: Value, root: object, origin: dict[Value, tuple[Value, ...]]) -> bool:
    """Whether every way back from ``value`` ends at ``root``."""
    seen: set[Value] = set()
    waiting = [value]
    while waiting:
        current = waiting.pop()
        if current is root or current in seen:
            continue
        seen.add(current)
        if not origin.get(current):
            return False
        waiting.extend(origin[current])
    return True
