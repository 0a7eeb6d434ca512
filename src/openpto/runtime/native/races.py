"""The race check of parallel loops: compiled code tells the host which boxes an iteration touches, and the host's log
(``runtime/reference/races.py``) compares them once the loop is done.

Only boxes of objects that live outside of the loop and are written in it are told.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from openpto._records import dataclass
from openpto.ir.names import UNNAMED
from openpto.ir.nodes import Block, Carry, If, Loop, Op, Value
from openpto.runtime.boxes import box_text
from openpto.runtime.reference.races import RaceLog, chained_carries

from .loopir import Index

if TYPE_CHECKING:
    from .lower import Lowering
    from .tiles import NTile


@dataclass(frozen=True, slots=True)
class Watch:
    """A parallel loop that is being lowered: the objects to tell of, and its depth among the loops."""

    loop: Loop
    objects: frozenset[int]
    depth: int
    chained: frozenset[Carry]


def watch(low: Lowering, loop: Loop, alive: Sequence[Value]) -> Watch | None:
    """What to log of a loop; None if it is not parallel or inside of a parallel one. ``alive`` are the values that
    live when it begins."""
    if not loop.attrs.get("parallel") or low.watch is not None:
        return None
    carried = {c.param.var for c in loop.carries if isinstance(c.param, Value)}
    objects = ({v.var for v in alive} | carried) & (_written(loop.body) | carried)
    return Watch(loop, frozenset(objects), len(low.loops), chained_carries(loop))


def _written(block: Block) -> set[int]:
    """Objects that a block writes."""
    found: set[int] = set()
    for stmt in block.body:
        if isinstance(stmt, Op):
            if stmt.attrs.get("inplace"):
                found.update(r.var for r in stmt.results if isinstance(r, Value))
        elif isinstance(stmt, Loop):
            found |= _written(stmt.body)
        elif isinstance(stmt, If):
            found |= _written(stmt.then) | _written(stmt.other)
    return found


def begin(low: Lowering) -> None:
    """The host's log of the loop starts empty."""
    assert low.watch is not None
    objects = low.watch.objects
    low.tell(low.entry("PTO461", lambda: {"objects": objects}, 0, "race begin"), ())


def touch(low: Lowering, var: int, start: Sequence[Index], stop: Sequence[Index], writes: bool) -> None:
    """Log a box of an object; the host ignores empty ones."""
    if low.watch is None or var not in low.watch.objects:
        return
    rank, depth = len(start), low.watch.depth
    kind = f"race {'write' if writes else 'read'} {var} {2 * rank + depth}"
    low.tell(low.entry("PTO461", lambda *_: {}, 2 * rank, kind), (*start, *stop))


def rebound(low: Lowering, carry: Carry, end: NTile) -> None:
    """A carried object that took over another state, not one written in place, was written as a whole."""
    if low.watch is None or carry not in low.watch.loop.carries or carry in low.watch.chained:
        return
    if isinstance(carry.param, Value):
        with low.b.when(end.alive):
            touch(low, carry.param.var, [0] * len(end.valid), end.valid, True)


def finish(low: Lowering) -> None:
    """The host compares; a race is a fault at the loop."""
    assert low.watch is not None
    loop, names = low.watch.loop, low.names

    def fields(log: RaceLog) -> dict[str, Any]:
        race = log.first()
        if race is None:
            return {}
        return {
            "name": names.get(race.var, UNNAMED),
            "loop": loop.attrs.get("name") or "the loop",
            "index": loop.attrs.get("idx_name") or "index",
            "writer": race.writer,
            "other": race.other,
            "action": "writes" if race.other_writes else "reads",
            "box": box_text(race.box),
        }

    low.tell(low.entry("PTO461", fields, 0, "race end"), ())


class HostLog:
    """The host's side of the parallel loop that is running."""

    def __init__(self) -> None:
        self.log = RaceLog(frozenset())
        self.current: int | None = None

    def begin(self, objects: frozenset[int]) -> None:
        """A loop starts."""
        self.log, self.current = RaceLog(objects), None

    def take(self, kind: str, values: Sequence[int], count: int) -> None:
        """One access; ``values`` are ``count`` ends of the box, low ones first, then the indices of the loops."""
        _, action, var, at = kind.split()
        iteration = values[int(at)]
        if iteration != self.current:
            self.log.iteration = self.current = iteration
        log = self.log.write if action == "write" else self.log.read
        log(int(var), tuple(values[: count // 2]), tuple(values[count // 2 : count]))
