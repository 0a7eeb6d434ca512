"""Long element loops as regions: one operation on a large tensor runs on several threads.

Purpose: what is left outside of regions when a kernel is lowered, as far as it may take long.
Precondition: a complete program. Postcondition: independent nests of element loops, and element loops without
accumulators in blocks, are regions where their length is not known or long.
Non-goals: short ones; a region is a function more to compile.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from openpto._records import replace

from . import loopir as L
from .cost import learn, nanoseconds
from .interleaving import unit
from .loopir import Fetch, For, If, Index, Lane, Load, Set, Slot, Stmt, Store, Vector
from .outline import is_nest
from .parallel import region

LEAST = 60_000
"""Nanoseconds from which on an element loop may become a region; estimated."""
BLOCK = 16_384
"""Elements of an element loop that one thread does in a row."""

Fresh = Callable[[str], str]


def spread(body: tuple[Stmt, ...], fresh: Fresh) -> tuple[tuple[Stmt, ...], int]:
    """The statements with long element loops as regions, and the number of these."""
    return _block(body, fresh, {})


def _block(body: tuple[Stmt, ...], fresh: Fresh, outer: Mapping[str, int]) -> tuple[tuple[Stmt, ...], int]:
    most, count = dict(outer), 0
    made: list[Stmt] = []
    for stmt in body:
        if isinstance(stmt, Set):
            learn(stmt, most)
        found: tuple[Stmt, ...] | None = None
        if is_nest(stmt):
            found = _region(stmt, fresh, most)
            count += found is not None
        elif isinstance(stmt, For):
            inner, regions = _block(stmt.body, fresh, most)
            found, count = (replace(stmt, body=inner),), count + regions
        elif isinstance(stmt, If):
            then, a = _block(stmt.then, fresh, most)
            other, b = _block(stmt.other, fresh, most)
            found, count = (If(stmt.cond, then, other),), count + a + b
        made += found if found is not None else (stmt,)
    return tuple(made), count


def _region(stmt: Stmt, fresh: Fresh, most: Mapping[str, int]) -> tuple[Stmt, ...] | None:
    """A nest as a region; None if it is short or cannot be cut."""
    loop = _blocks(stmt, fresh) if isinstance(stmt, Vector) else stmt
    if not isinstance(loop, For) or not loop.independent:
        return None
    time, known = nanoseconds((stmt,), most)
    if known and time < LEAST:
        return None
    return region(loop, 0, (), (), fresh)


def _blocks(stmt: Vector, fresh: Fresh) -> For | None:
    """An element loop in blocks; None if its elements are joined or know their position."""
    if stmt.accs or any(isinstance(part, Lane) for part in stmt.body):
        return None
    if isinstance(stmt.count, int) and stmt.count <= BLOCK:
        return None
    var = fresh("block")
    first = L.mul(Slot(var), BLOCK)
    body = tuple(
        replace(part, at=L.shifted(part.at, L.mul(first, part.stride))) if isinstance(part, (Load, Store)) else part
        for part in stmt.body
        if not isinstance(part, Fetch)
    )
    count = L.binary("min", L.sub(stmt.count, first), BLOCK)
    blocks: Index = L.binary("div", L.add(stmt.count, BLOCK - 1), BLOCK)
    if isinstance(stmt.count, int):
        blocks = -(-stmt.count // BLOCK)
    return For(var, 0, blocks, 1, (Vector(count, body, unit=unit(count, body)),), independent=True)
