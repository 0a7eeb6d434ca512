"""Whether what an iteration finds in a carried tile can matter to it.

Purpose: a tensor that every iteration of a loop fills before it reads it could as well be a new one in each.
Precondition: SSA; the tile has a static shape, and nothing had written it before the loop.
Method: the parts that the iteration has not written yet are followed through the body as boxes. In a loop inside, the
first iteration is followed first, with branches on it being the first decided; what it leaves is what the later ones
find. An inner loop that may not run at all counts as run if its range is the same for every outer iteration: then it
runs in all of them, or in none, and a tile that none of them has written is not written.
Non-goals: contents that several iterations add to, and windows whose place is known at run time only.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from openpto._records import dataclass, field
from openpto.ir.expr import Expr
from openpto.ir.nodes import Block, Carry, If, Let, Loop, Op, Value
from openpto.runtime.boxes import Box

from .tiles import meets, without

Holes = tuple[Box, ...]


def never_exposed(loop: Loop, carry: Carry, varying: frozenset[Expr]) -> bool:
    """Whether no iteration reads what another left in a carried tile. ``varying`` are scalars that differ between
    iterations, apart from the index."""
    assert isinstance(carry.param, Value)
    shape = _numbers(carry.param.type.shape)
    if shape is None:
        return False
    walk = _Walk(varying | {loop.index}, {carry.param: ((tuple(0 for _ in shape), shape),)})
    if not walk.block(loop.body):
        return False
    others = [c.yielded for c in loop.carries if c is not carry]
    return not any(walk.is_stale(y) for y in others)


@dataclass
class _Walk:
    """One way through a body: ``holes`` are the unwritten parts of tiles, ``stale`` the scalars that follow from what
    an earlier iteration left, ``first`` tells of loops around whether their first iteration runs."""

    varying: frozenset[Expr]
    holes: dict[Value, Holes]
    stale: set[Expr] = field(default_factory=set)
    first: dict[Expr, bool] = field(default_factory=dict)

    def is_stale(self, item: object) -> bool:
        """Whether a tile or scalar is not, or not wholly, this iteration's."""
        if isinstance(item, Value):
            return bool(self.holes.get(item))
        return isinstance(item, Expr) and bool(item.leaves & self.stale)

    def block(self, block: Block) -> bool:
        """Follow statements; False where something old could be seen."""
        return all(self.statement(stmt) for stmt in block.body)

    def statement(self, stmt: object) -> bool:
        if isinstance(stmt, Op):
            return self.op(stmt)
        if isinstance(stmt, Loop):
            return self.loop(stmt)
        if isinstance(stmt, If):
            return self.branch(stmt)
        assert isinstance(stmt, Let)
        if stmt.value is None or not self.is_stale(stmt.value):
            return True
        self.stale.add(stmt.leaf)
        return stmt.value.is_leaf  # what is computed of it could fault

    def op(self, op: Op) -> bool:
        tiles = [o for o in op.operands if isinstance(o, Value)]
        old = [t for t in tiles if self.is_stale(t)]
        if op.name == "valid_of" and old:
            self.stale.update(r for r in op.results if isinstance(r, Expr))
            return True
        if any(self.is_stale(e) for e in _scalars(op)):
            return False
        if not old:
            return True
        if op.attrs.get("inplace"):
            return old == [tiles[-1]] and self.written(op, old[0])
        window = _window(op)
        return window is not None and not meets(self.holes[old[0]], *window)

    def written(self, op: Op, target: Value) -> bool:
        """An assignment to a part of a tile leaves fewer holes."""
        result = op.results[0]
        if op.name not in ("assemble", "write_scalar") or not isinstance(result, Value):
            return False
        window, left = _window(op), self.holes[target]
        if window is not None:
            fewer = without(left, *window)
            if fewer is None:
                return False
            left = fewer
        self.holes[result] = left
        return True

    def loop(self, loop: Loop) -> bool:
        if any(map(self.is_stale, (loop.start, loop.stop, loop.step))):
            return False
        if any(map(self._computed, (c.init for c in loop.carries))):
            return False
        before = [self._state(c.init) for c in loop.carries]
        left = self._iterations(loop, before)
        if left is None:
            return False
        alike = self._runs_alike(loop)
        for c, was, state in zip(loop.carries, before, left, strict=True):
            if not alike and was and state and was != state:
                return False
            self._set(c.result, state if alike else state or was)
        return True

    def _iterations(self, loop: Loop, before: list[Holes | bool]) -> list[Holes | bool] | None:
        """What the first and the later iterations leave; None where something old could be seen."""
        left = before
        for first in (True, False):
            inner = _Walk(self.varying, dict(self.holes), set(self.stale), {**self.first, loop.index: first})
            for c, state in zip(loop.carries, left, strict=True):
                inner._set(c.param, state)
            if not inner.block(loop.body):
                return None
            if any(map(inner._computed, (c.yielded for c in loop.carries))):
                return None
            found = [inner._state(c.yielded) for c in loop.carries]
            if not first and any(f and f != was for f, was in zip(found, left, strict=True)):
                return None
            left = found if first else left
        return left

    def _runs_alike(self, loop: Loop) -> bool:
        """Whether the loop certainly runs, or has the same range in every outer iteration."""
        bounds = (loop.start, loop.stop, loop.step)
        start, stop, step = (b.concrete() for b in bounds)
        if start is not None and stop is not None and step is not None:
            return len(range(start, stop, step)) > 0
        return not any(b.leaves & self.varying for b in bounds)

    def branch(self, stmt: If) -> bool:
        if self.is_stale(stmt.cond):
            return False
        known = self._decided(stmt.cond)
        sides = [s for s, taken in ((stmt.then, True), (stmt.other, False)) if known is None or known is taken]
        walks = [_Walk(self.varying, dict(self.holes), set(self.stale), self.first) for _ in sides]
        if not all(w.block(s) for w, s in zip(walks, sides, strict=True)):
            return False
        for merge in stmt.merges:
            picks = [merge.then if s is stmt.then else merge.other for s in sides]
            if any(w._computed(p) for w, p in zip(walks, picks, strict=True)):
                return False
            states = [w._state(p) for w, p in zip(walks, picks, strict=True)]
            found = [s for s in states if s]
            if len(found) == 2 and found[0] != found[1]:
                return False
            self._set(merge.result, found[0] if found else ())
        return True

    def _decided(self, cond: Expr) -> bool | None:
        """The outcome of a condition that asks for the first iteration of a loop around, if that is known."""
        if cond.op == "not":
            inner = self._decided(cond.args[0])
            return None if inner is None else not inner
        return self.first.get(cond.args[0]) if cond.op == "loop_begin" else None

    def _computed(self, item: object) -> bool:
        """Whether a scalar is computed from a stale one; that could fault."""
        return isinstance(item, Expr) and not item.is_leaf and self.is_stale(item)

    def _state(self, item: object) -> Holes | bool:
        if isinstance(item, Value):
            return self.holes.get(item, ())
        return self.is_stale(item)

    def _set(self, item: object, state: Holes | bool) -> None:
        if isinstance(item, Value):
            self.holes[item] = state if isinstance(state, tuple) else ()
        elif isinstance(item, Expr):
            (self.stale.add if state else self.stale.discard)(item)


def _window(op: Op) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """The box that an op certainly covers of its last tile operand (when it writes), or at most looks at (when it
    reads); None if it is not known now."""
    tile: Any
    if op.name in ("view", "assemble"):
        tile = op.results[0] if op.name == "view" else op.operands[0]
        low, extents = _numbers(op.attrs["offsets"]), _numbers(tile.type.shape)
        if op.name == "assemble" and tuple(tile.valid) != tile.type.shape:
            return None
    elif op.name in ("read_scalar", "write_scalar"):
        index = op.operands[1:] if op.name == "read_scalar" else op.attrs["index"]
        low = _numbers([i.concrete() if isinstance(i, Expr) else i for i in index])
        extents = None if low is None else tuple(1 for _ in low)
    else:
        return None
    if low is None or extents is None:
        return None
    return low, tuple(a + n for a, n in zip(low, extents, strict=True))


def _numbers(dims: Any) -> tuple[int, ...] | None:
    known = tuple(d for d in dims if isinstance(d, int))
    return known if len(known) == len(dims) else None


def _scalars(op: Op) -> Iterator[Expr]:
    """Every scalar that an op takes."""
    waiting: list[Any] = [*op.operands, *op.attrs.values()]
    while waiting:
        item = waiting.pop()
        if isinstance(item, Expr):
            yield item
        elif isinstance(item, (tuple, list)):
            waiting.extend(item)
