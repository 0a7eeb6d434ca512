"""Statements that only compute scalars: running them again, with the same slots around, gives the same.

They may look at memory that the loop around does not write, and fault; a fault that comes again comes first where it
came first.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from .flow import indices_of
from .loopir import (
    Call,
    Check,
    Comment,
    For,
    If,
    Index,
    Peek,
    Point,
    Poke,
    Ptr,
    Region,
    Set,
    Stmt,
    Store,
    Vector,
    parts_of,
)


def written_memory(body: Iterable[Stmt]) -> frozenset[int] | None:
    """Owners of the memory that a body may write; None if that may be any."""
    owners: set[int] = set()
    for at in _targets(body):
        if at.base != "flag":
            owners.add(at.owner)
    return None if any(owner < 0 for owner in owners) else frozenset(owners)


def _targets(body: Iterable[Stmt]) -> Iterator[Ptr]:
    for stmt in body:
        if isinstance(stmt, Vector):
            yield from (part.at for part in stmt.body if isinstance(part, Store))
            yield from (acc.out for acc in stmt.accs)
        elif isinstance(stmt, Poke):
            yield stmt.at
        elif isinstance(stmt, Call):
            yield from (a for a in stmt.args if isinstance(a, Ptr))
        elif isinstance(stmt, (For, Region)):
            yield from _targets(stmt.body)
        elif isinstance(stmt, If):
            yield from _targets((*stmt.then, *stmt.other))


def is_scalar(body: Iterable[Stmt], counters: Collection[str], written: frozenset[int] | None) -> bool:
    """Whether statements only compute slots and addresses, or fault. Of ``counters`` only additions at the top count
    as such."""
    return all(_is_scalar(stmt, counters, written) for stmt in body)


def _is_scalar(stmt: Stmt, counters: Collection[str], written: frozenset[int] | None) -> bool:
    if isinstance(stmt, Comment):
        return True
    if isinstance(stmt, If):
        inner = (*stmt.then, *stmt.other)
        if any(isinstance(s, Set) and s.slot in counters for s in inner):
            return False
        return _steady(stmt.cond, written) and is_scalar(inner, counters, written)
    if isinstance(stmt, Point):
        return _steady(stmt.to.offset, written)
    if not isinstance(stmt, (Set, Check)):
        return False
    return all(_steady(node, written) for node in indices_of(stmt))


def _steady(node: Index, written: frozenset[int] | None) -> bool:
    """Whether an integer does not depend on memory that changes."""
    owners = (part.at.owner for part in parts_of(node) if isinstance(part, Peek))
    return all(written is not None and owner >= 0 and owner not in written for owner in owners)
