"""What is written around the caches, and what is fetched into them ahead of time.

Purpose: stores to a large result first read every line from memory and then push out what is still needed; streaming
stores do neither. A loop over rows that reads a row once and then works on it leaves the memory idle meanwhile, so the
later loops over the row fetch the next one.
Precondition: a lowered program. Postcondition: the same program with hints; whoever writes its text orders streaming
stores before the end of the thread's work.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from openpto._records import replace
from openpto.ir.dtypes import bytes_of

from . import loopir as L
from .flow import indices_of, pointers_of
from .interleaving import steps_of
from .loopir import Bin, Fetch, For, If, Index, Load, Peek, Pick, Point, Ptr, Region, Set, Slot, Stmt, Store, Vector

LARGE = 32 << 20
"""Bytes of a parameter from which on it is written around the caches. Measured: below 16 MiB a reader that comes next
finds it sooner in a cache, above it does not."""
SMALL = 128 << 10
"""Bytes of a parameter of known size that stays in a cache once it is there."""
AHEAD = 4096
"""Bytes between what is read and what is fetched: what comes at the pace of memory while an expression is worked out.
A processor's own fetching ends at the page."""


def with_hints(body: tuple[Stmt, ...], sizes: Mapping[str, Index]) -> tuple[Stmt, ...]:
    """``body`` with hints; ``sizes`` are the bytes of the parameters by pointer slot."""
    flags: dict[str, Index] = {}
    before: list[Stmt] = []
    for name in _only_stored(body, sizes):
        flag = L.binary("ge", sizes[name], LARGE)
        if isinstance(flag, Bin):
            before.append(Set(f"large.{name}", flag))
            flag = Slot(f"large.{name}")
        if flag != 0:
            flags[name] = flag
    distant = (name for name, size in sizes.items() if not isinstance(size, int) or size > SMALL)
    body = _fetching(body, _far(body, distant))
    return (*before, *_streaming(body, flags)) if flags else body


def streams(body: Iterable[Stmt]) -> bool:
    """Whether statements write around the caches, at any depth."""
    return any(True for stmt in _statements(body) if isinstance(stmt, Vector) for _ in _around(stmt))


def _around(stmt: Vector) -> Iterator[Index]:
    """When stores of an element loop go around the caches."""
    return (part.stream for part in stmt.body if isinstance(part, Store) and part.stream != 0)


def _statements(body: Iterable[Stmt]) -> list[Stmt]:
    """Statements at all depths, in the order of the program."""
    found: list[Stmt] = []
    for stmt in body:
        found.append(stmt)
        if isinstance(stmt, (For, Region)):
            found += _statements(stmt.body)
        elif isinstance(stmt, If):
            found += _statements(stmt.then)
            found += _statements(stmt.other)
    return found


# -- streaming -------------------------------------------------------------------------------------------------------


def _only_stored(body: tuple[Stmt, ...], names: Iterable[str]) -> list[str]:
    """Parameters whose every use is a store of an element loop."""
    stored: set[str] = set()
    used: set[str] = set()
    for stmt in _statements(body):
        if isinstance(stmt, Vector):
            used.update(part.at.base for part in stmt.body if isinstance(part, Load))
            used.update(acc.out.base for acc in stmt.accs)
            stored.update(part.at.base for part in stmt.body if isinstance(part, Store))
        else:
            used.update(at.base for at in pointers_of(stmt))
        for node in indices_of(stmt):
            if not isinstance(node, (int, Slot)):
                used.update(part.at.base for part in L.parts_of(node) if isinstance(part, Peek))
    return [name for name in names if name in stored and name not in used]


def _streaming(body: tuple[Stmt, ...], flags: Mapping[str, Index]) -> tuple[Stmt, ...]:
    """Statements with the flags of the parameters at their stores; what needs no change is the same object."""
    made = tuple(_streamed(stmt, flags) for stmt in body)
    return body if all(a is b for a, b in zip(made, body, strict=True)) else made


def _streamed(stmt: Stmt, flags: Mapping[str, Index]) -> Stmt:
    if isinstance(stmt, Vector):
        if not any(isinstance(part, Store) and part.at.base in flags for part in stmt.body):
            return stmt
        parts = (
            replace(part, stream=flags[part.at.base]) if isinstance(part, Store) and part.at.base in flags else part
            for part in stmt.body
        )
        return replace(stmt, body=tuple(parts))
    if isinstance(stmt, If):
        then, other = _streaming(stmt.then, flags), _streaming(stmt.other, flags)
        return stmt if then is stmt.then and other is stmt.other else If(stmt.cond, then, other)
    if not isinstance(stmt, (For, Region)):
        return stmt
    body = _streaming(stmt.body, flags)
    if body is stmt.body:
        return stmt
    if isinstance(stmt, For):
        return replace(stmt, body=body)
    vectors = (inner for inner in _statements(body) if isinstance(inner, Vector))
    taken = dict.fromkeys(flag.name for v in vectors for flag in _around(v) if isinstance(flag, Slot))
    return replace(stmt, body=body, slots=(*stmt.slots, *taken))


# -- fetching --------------------------------------------------------------------------------------------------------


def _far(body: tuple[Stmt, ...], names: Iterable[str]) -> frozenset[str]:
    """Pointer slots into parameters: what lies there may be in no cache."""
    far = set(names)
    for stmt in _statements(body):
        if isinstance(stmt, Point) and stmt.to.base in far:
            far.add(stmt.slot)
    return frozenset(far)


def _fetching(body: tuple[Stmt, ...], far: frozenset[str]) -> tuple[Stmt, ...]:
    """Statements that fetch what they read later from ``far`` memory."""
    return tuple(_fetched(stmt, far) for stmt in body)


def _fetched(stmt: Stmt, far: frozenset[str]) -> Stmt:
    if isinstance(stmt, Vector):
        return _with(stmt, [L.shifted(at, AHEAD // bytes_of(at.dtype)) for at in _reads(stmt, far)])
    if isinstance(stmt, For) and stmt.body and all(isinstance(inner, Vector) for inner in stmt.body):
        return _rows(stmt, far)
    if isinstance(stmt, (For, Region)):
        return replace(stmt, body=_fetching(stmt.body, far))
    if isinstance(stmt, If):
        return If(stmt.cond, _fetching(stmt.then, far), _fetching(stmt.other, far))
    return stmt


def _reads(stmt: Vector, far: frozenset[str]) -> list[Ptr]:
    """Addresses of rows in parameters."""
    return [p.at for p in stmt.body if isinstance(p, Load) and p.stride == 1 and p.at.base in far]


def _with(stmt: Vector, addresses: list[Ptr]) -> Vector:
    if not addresses:
        return stmt
    return replace(stmt, body=(*(Fetch(at) for at in dict.fromkeys(addresses)), *stmt.body))


def _rows(loop: For, far: frozenset[str]) -> For:
    """A loop over rows: the longest loop that does not read them first fetches the next row, a single one a later
    one."""
    first, *later = (inner for inner in loop.body if isinstance(inner, Vector))
    reads = [at for at in _reads(first, far) if _moves(at.offset, loop.var)]
    if not reads:
        return loop
    hosts = [v for v in later if v.count == first.count]
    host, rows = max(hosts, key=lambda v: steps_of(v.body), default=first), 1
    if not hosts:
        if not isinstance(first.count, int):
            return loop
        rows = -(-AHEAD // max(1, min(bytes_of(at.dtype) for at in reads) * first.count))
    moved = [_moved(at, loop.var, L.mul(rows, loop.step)) for at in reads]
    return replace(loop, body=tuple(_with(v, moved) if v is host else v for v in loop.body if isinstance(v, Vector)))


def _moves(node: Index, var: str) -> bool:
    return any(part == Slot(var) for part in L.parts_of(node))


def _moved(at: Ptr, var: str, step: Index) -> Ptr:
    """The address in the next iteration of the loop over ``var``."""
    return replace(at, offset=_next(at.offset, var, step))


def _next(node: Index, var: str, step: Index) -> Index:
    if node == Slot(var):
        return L.add(node, step)
    if isinstance(node, Bin):
        return L.binary(node.op, _next(node.left, var, step), _next(node.right, var, step))
    if isinstance(node, Pick):
        return L.pick(_next(node.cond, var, step), _next(node.then, var, step), _next(node.other, var, step))
    return node
