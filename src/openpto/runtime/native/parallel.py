"""A loop with independent iterations as a region, whose chunks threads run at once.

Purpose: one flat range of iterations, cut into chunks by its length alone; perfectly nested independent loops become
one range.
Precondition: the loop's iterations are independent (``independence.py``), and what its body keeps in the arena lies in
an arena of its own. Postcondition: a region that computes what the loop computes; or nothing, where the body hands
slots from iteration to iteration or leaves one that is read afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet

from openpto._records import dataclass, replace

from . import loopir as L
from .cost import MOST, nanoseconds, trips
from .flow import Flow
from .loopir import Bin, Comment, For, If, Index, Point, Region, Set, Slot, Stmt
from .pure import is_scalar, written_memory

CHUNKS = 128
"""Chunks of a region at most; many more than threads, so that a slow thread delays little."""
LEAST_CHUNK = 4_000
LEAST_REGION = 60_000
"""Nanoseconds that a chunk should take, and that a region must take to be shared; estimated."""


@dataclass(frozen=True, slots=True)
class Level:
    """A loop of a perfect nest: ``count`` iterations from ``start``, and the scalars that its body computes first."""

    loop: For
    count: Index
    prelude: tuple[Stmt, ...] = ()


def region(
    loop: For,
    scratch: int,
    counters: Collection[str],
    outside: Collection[str],
    fresh: Callable[[str], str],
    condition: Index = 1,
) -> tuple[Stmt, ...] | None:
    """Statements that stand for ``loop``. ``counters`` are slots that are only added to; ``outside`` are slots that
    the body may set and that are read after the loop. Without ``condition`` the iterations run in order."""
    flow = Flow.of(loop.body, {loop.var})
    carried = flow.carried_slots - frozenset(counters)
    finals = _finals(loop.body, flow.set_slots & frozenset(outside))
    if carried or flow.carried_pointers or finals is None:
        return None
    before: list[Stmt] = []

    def hold(value: Index, hint: str) -> Index:
        if isinstance(value, (int, Slot)):
            return value
        slot = fresh(hint)
        before.append(Set(slot, value))
        return Slot(slot)

    levels, body = _levels(loop, counters, hold)
    if not levels:
        return None
    count = levels[0].count
    for level in levels[1:]:
        count = hold(_product(count, level.count), "count")
    flat = fresh("flat")
    each = max(1.0, nanoseconds(body)[0])
    grain = hold(_grain(count, each), "grain")
    counted = tuple(c for c in counters if c in flow.set_slots)
    inside = (*_position(levels, Slot(flat), counters), *body)
    slots, pointers = taken(inside, {flat, *counted})
    shared = L.binary("and", L.binary("ge", count, -int(-LEAST_REGION // each)), condition)
    made = Region(flat, count, grain, shared, inside, slots, pointers, counted, scratch)
    inner = [L.binary("gt", level.count, 0) for level in levels[1:]]
    whole: Stmt = made
    for runs in inner:
        whole = If(runs, (whole,), (_hollow(levels),)) if runs != 1 else whole
    after: tuple[Stmt, ...] = ()
    if finals:
        after = (If(L.binary("gt", levels[0].count, 0), tuple(Set(k, v) for k, v in finals.items())),)
    return (*before, whole, *after)


def taken(body: tuple[Stmt, ...], known: AbstractSet[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Slots and pointer slots of the program that the body of a region takes."""
    flow = Flow.of(body, known)
    return tuple(flow.taken_slots), tuple(p for p in flow.taken_pointers if p != "local")


def _finals(body: tuple[Stmt, ...], names: Iterable[str]) -> dict[str, int] | None:
    """What the last iteration leaves in slots that are read after the loop: only numbers that every iteration sets."""
    finals: dict[str, int] = {}
    wanted = set(names)
    for stmt in body:
        if isinstance(stmt, Set) and stmt.slot in wanted and isinstance(stmt.value, int):
            finals[stmt.slot] = stmt.value
    return finals if finals.keys() == wanted and _sets(body, wanted) == len(wanted) else None


def _sets(body: tuple[Stmt, ...], names: set[str]) -> int:
    """Statements that set one of ``names``, at any depth."""
    total = 0
    for stmt in body:
        if isinstance(stmt, Set):
            total += stmt.slot in names
        elif isinstance(stmt, For):
            total += _sets(stmt.body, names)
        elif isinstance(stmt, If):
            total += _sets(stmt.then, names) + _sets(stmt.other, names)
    return total


# -- perfect nests ----------------------------------------------------------------------------------------------------


def _levels(
    loop: For, counters: Collection[str], hold: Callable[[Index, str], Index]
) -> tuple[list[Level], tuple[Stmt, ...]]:
    """The loops of a perfect nest, outermost first, and the innermost body; none if the trips cannot be counted."""
    first = trips(loop.start, loop.stop, loop.step)
    if first is None:
        return [], ()
    levels = [Level(loop, hold(first, "count"))]
    known: dict[str, Index | None] = {loop.var: None}
    written = written_memory(loop.body)
    while True:
        *prelude, last = levels[-1].loop.body or (Comment(""),)
        if not isinstance(last, For) or not last.independent:
            break
        if not is_scalar(prelude, counters, written):
            break
        _follow(prelude, counters, known)
        bounds = [_outer(n, known) for n in (last.start, last.stop, last.step)]
        count = None if None in bounds else trips(*(b for b in bounds if b is not None))
        if count is None:
            break
        levels[-1] = replace(levels[-1], prelude=tuple(prelude))
        levels.append(Level(last, hold(count, "count")))
        known[last.var] = None
    return levels, levels[-1].loop.body


def _follow(prelude: Iterable[Stmt], counters: Collection[str], known: dict[str, Index | None]) -> None:
    """Add what slots are in terms of slots from outside to ``known`` (None: it changes inside)."""
    for stmt in prelude:
        if isinstance(stmt, Set) and stmt.slot not in counters:
            known[stmt.slot] = _outer(stmt.value, known)
        elif isinstance(stmt, If):
            known.update(dict.fromkeys(Flow.of((stmt,)).set_slots))


def _outer(node: Index, known: Mapping[str, Index | None]) -> Index | None:
    """``node`` in terms of slots from outside of the nest; None if it is not the same in every iteration."""
    if isinstance(node, int):
        return node
    if isinstance(node, Slot):
        return known.get(node.name, node)
    if isinstance(node, Bin):
        a, b = _outer(node.left, known), _outer(node.right, known)
        return None if a is None or b is None else L.binary(node.op, a, b)
    return None


def _position(levels: list[Level], flat: Slot, counters: Collection[str]) -> list[Stmt]:
    """The indices of all loops for a position of the flat range, and the scalars of their bodies. What those bodies
    count is counted once for all iterations of the loops inside."""
    made: list[Stmt] = []
    inside: list[Index] = [1]
    for level in reversed(levels[1:]):
        inside.append(L.mul(inside[-1], level.count))
    for level, below in zip(levels, reversed(inside), strict=True):
        number: Index = flat if below == 1 else L.binary("div", flat, below)
        if level is not levels[0]:
            number = L.binary("mod", number, level.count)
        made.append(Set(level.loop.var, L.add(level.loop.start, L.mul(number, level.loop.step))))
        counts = tuple(s for s in level.prelude if isinstance(s, Set) and s.slot in counters)
        made += [s for s in level.prelude if s not in counts]
        if counts:
            made.append(If(L.binary("eq", L.binary("mod", flat, below), 0), counts))
    return made


def _hollow(levels: list[Level]) -> Stmt:
    """The nest where an inner loop has no iterations: only scalars are left. It runs outside of the region, where there
    is no memory of a thread and nothing that would look at it."""
    own = {"local"}
    preludes = [tuple(_without_addresses(level.prelude, own)) for level in levels]
    body: tuple[Stmt, ...] = ()
    for level, prelude in zip(reversed(levels), reversed(preludes), strict=True):
        body = (replace(level.loop, body=(*prelude, *body), independent=False),)
    return body[0]


def _without_addresses(body: Iterable[Stmt], own: set[str]) -> Iterator[Stmt]:
    """The statements without addresses in the memory of the pointer slots ``own``, which grows by their slots."""
    for stmt in body:
        if isinstance(stmt, Point) and stmt.to.base in own:
            own.add(stmt.slot)
        elif isinstance(stmt, If):
            then, other = (tuple(_without_addresses(side, own)) for side in (stmt.then, stmt.other))
            yield If(stmt.cond, then, other)
        else:
            yield stmt


# -- chunks ----------------------------------------------------------------------------------------------------------


def _product(a: Index, b: Index) -> Index:
    """``a * b`` of counts; too large a product counts as the largest number."""
    if a == 1 or b == 1:
        return L.mul(a, b)
    return L.Pick(L.Bin("mulover", a, b), MOST, L.mul(a, b))


def _grain(count: Index, each: float) -> Index:
    """Iterations of a chunk, from the length of the range and the estimated nanoseconds of an iteration."""
    least = max(1, round(LEAST_CHUNK / each))
    return L.binary("max", L.add(L.binary("div", count, CHUNKS), 1), least)
