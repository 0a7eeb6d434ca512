"""A loop with independent iterations as a region, whose chunks threads run at once.

Purpose: one flat range of iterations, cut into chunks by its length alone; perfectly nested independent loops become
one range.
Precondition: the loop's iterations are independent (``independence.py``), and what its body keeps in the arena lies in
an arena of its own. Postcondition: a region that computes what the loop computes; or nothing, where the body hands
slots from iteration to iteration or leaves one that is read afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import cache

from openpto.ops import arith

from . import loopir as L
from .flow import Flow
from .loopir import Bin, Call, Comment, Compute, For, If, Index, Peek, Pick, Region, Set, Slot, Stmt, Vector

CHUNKS = 128
"""Chunks of a region at most; many more than threads, so that a slow thread delays little."""
LEAST_CHUNK = 4_000
LEAST_REGION = 60_000
"""Nanoseconds that a chunk should take, and that a region must take to be shared; estimated."""

_VECTOR_PART = 0.5
_CALL = 5_000
_UNKNOWN_COUNT = 256
_UNKNOWN_TRIPS = 4
_MOST = 2**63 - 1


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
) -> tuple[Stmt, ...] | None:
    """Statements that stand for ``loop``. ``counters`` are slots that are only added to; ``outside`` are slots that
    the body may set and that are read after the loop."""
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
    cost = max(1.0, _cost(body))
    grain = hold(_grain(count, cost), "grain")
    counted = tuple(c for c in counters if c in flow.set_slots)
    inside = (*_position(levels, Slot(flat), counters), *body)
    slots, pointers = taken(inside, {flat, *counted})
    shared = L.binary("ge", count, -int(-LEAST_REGION // cost))
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
    while True:
        *prelude, last = levels[-1].loop.body or (Comment(""),)
        if not isinstance(last, For) or not last.independent or not _is_scalar(prelude, known, counters):
            break
        bounds = [_outer(n, known) for n in (last.start, last.stop, last.step)]
        count = None if None in bounds else trips(*(b for b in bounds if b is not None))
        if count is None:
            break
        levels[-1] = replace(levels[-1], prelude=tuple(prelude))
        levels.append(Level(last, hold(count, "count")))
        known[last.var] = None
    return levels, levels[-1].loop.body


def _is_scalar(prelude: Iterable[Stmt], known: dict[str, Index | None], counters: Collection[str]) -> bool:
    """Whether statements only compute integers, without looking at memory; adds what they are in terms of slots from
    outside to ``known`` (None: it changes inside)."""
    for stmt in prelude:
        if isinstance(stmt, Comment):
            continue
        if not isinstance(stmt, Set) or _peeks(stmt.value):
            return False
        if stmt.slot not in counters:
            known[stmt.slot] = _outer(stmt.value, known)
    return True


def _peeks(node: Index) -> bool:
    if isinstance(node, Bin):
        return _peeks(node.left) or _peeks(node.right)
    if isinstance(node, Pick):
        return any(map(_peeks, (node.cond, node.then, node.other)))
    return isinstance(node, Peek)


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
    """The nest where an inner loop has no iterations: only scalars are left."""
    body: tuple[Stmt, ...] = ()
    for level in reversed(levels):
        body = (replace(level.loop, body=(*level.prelude, *body), independent=False),)
    return body[0]


# -- counting ---------------------------------------------------------------------------------------------------------


def trips(start: Index, stop: Index, step: Index) -> Index | None:
    """Iterations of a loop, exact for all bounds but those of more than 2^63 - 1 iterations, which count as that many;
    None if the step is not known."""
    if not isinstance(step, int) or step == 0:
        return None
    low, high = (start, stop) if step > 0 else (stop, start)
    pace = abs(step)
    if isinstance(low, int) and low >= 0:  # then high - low cannot overflow where it counts
        distance = L.sub(L.sub(high, low), 1)
        count = L.add(L.binary("div", distance, pace), 1)
        if isinstance(high, int):
            return max(0, -(-(high - low) // pace))
        return L.binary("max", high, 0) if pace == 1 and low == 0 else L.Pick(L.binary("lt", low, high), count, 0)
    if pace == 1:
        distance = L.Pick(L.Bin("subover", high, low), _MOST, L.sub(high, low))
        return L.Pick(L.binary("lt", low, high), distance, 0)
    last, past = _floor(L.sub(high, 1), pace)
    first, over = _floor(low, pace)
    short = L.binary("lt", past, over)
    later = L.binary("min", L.sub(L.sub(last, first), short), _MOST - 1)
    return L.Pick(L.binary("lt", low, high), L.add(later, 1), 0)


def _floor(value: Index, divisor: int) -> tuple[Index, Index]:
    """Floored quotient and remainder."""
    if isinstance(value, int):
        return divmod(value, divisor)
    below = L.binary("lt", L.Bin("mod", value, divisor), 0)
    rest = L.add(L.Bin("mod", value, divisor), L.mul(below, divisor))
    return L.sub(L.Bin("div", value, divisor), below), rest


def _product(a: Index, b: Index) -> Index:
    """``a * b`` of counts; too large a product counts as the largest number."""
    if a == 1 or b == 1:
        return L.mul(a, b)
    return L.Pick(L.Bin("mulover", a, b), _MOST, L.mul(a, b))


def _grain(count: Index, cost: float) -> Index:
    """Iterations of a chunk, from the length of the range and the estimated cost of an iteration."""
    least = max(1, round(LEAST_CHUNK / cost))
    return L.binary("max", L.add(L.binary("div", count, CHUNKS), 1), least)


@cache
def _steps(expr: arith.Expr) -> int:
    """Operations of a scalar expression."""
    return sum(1 for node in arith.postorder(expr) if node.args)


def _vector_cost(stmt: Vector, most: Mapping[str, int]) -> float:
    count = _most(stmt.count, most)
    parts = sum(_steps(p.expr) if isinstance(p, Compute) else 1 for p in stmt.body) + len(stmt.accs)
    return -(-(_UNKNOWN_COUNT if count is None else count) // L.LANES) * _VECTOR_PART * parts


def _cost(body: Iterable[Stmt], outer: Mapping[str, int] | None = None) -> float:
    """Estimated nanoseconds of statements; lengths count as much as they can be, unknown ones as usual."""
    most: dict[str, int] = dict(outer or {})
    total = 0.0
    for stmt in body:
        if isinstance(stmt, Vector):
            total += _vector_cost(stmt, most)
        elif isinstance(stmt, For):
            start, stop = _most(stmt.start, most), _most(stmt.stop, most)
            runs = trips(start, stop, stmt.step) if start is not None and stop is not None else None
            total += (runs if isinstance(runs, int) else _UNKNOWN_TRIPS) * _cost(stmt.body, most)
        elif isinstance(stmt, If):
            total += max(_cost(stmt.then, most), _cost(stmt.other, most))
        elif isinstance(stmt, Set):
            value = _most(stmt.value, most)
            if value is not None:
                most[stmt.slot] = value
            total += 1.0
        else:
            total += _CALL if isinstance(stmt, Call) else 1.0
    return total


def _most(node: Index, most: Mapping[str, int]) -> int | None:
    """An upper bound of an extent, if one is in sight."""
    if isinstance(node, int):
        return node
    if isinstance(node, Slot):
        return most.get(node.name)
    if not isinstance(node, Bin):
        return None
    a, b = _most(node.left, most), _most(node.right, most)
    if node.op == "min":
        known = [n for n in (a, b) if n is not None]
        return min(known) if known else None
    if a is None or b is None:
        return None
    return {"max": max(a, b), "mul": a * b, "add": a + b}.get(node.op)
