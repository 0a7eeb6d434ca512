"""Where each value of a kernel is used for the last time.

Purpose: the executor lets go of a tile there, so that memory is freed early and an in-place op whose old state nobody
needs afterwards can work in place.
Precondition: a kernel in SSA form. Postcondition: for every statement the values that end with it, and for every
block inside it the values that end when the block is entered or left.
Non-goals: scalars (they cost nothing), and moving or removing statements.
"""

from __future__ import annotations

from collections.abc import Iterable

from openpto._records import dataclass
from openpto.ir.nodes import Block, If, Kernel, Loop, Op, Stmt, Value

Values = tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Deaths:
    """Values that end with one statement.

    after   when the statement is done, also results that nobody reads
    enter   per inner block: before its first statement (each time it is entered)
    leave   per inner block: after its results have been taken (each time it is left)
    inits   of a loop: carried values that only the first iteration takes over
    """

    after: Values = ()
    enter: tuple[Values, ...] = ()
    leave: tuple[Values, ...] = ()
    inits: Values = ()


@dataclass(frozen=True, slots=True)
class Lifetimes:
    """The result of the pass: ``entry`` are parameters whose entry state nobody reads."""

    deaths: dict[Stmt, Deaths]
    entry: Values


def analyse(kernel: Kernel) -> Lifetimes:
    """The lifetimes of all tile values of ``kernel``."""
    return _Liveness().kernel(kernel)


class _Liveness:
    def __init__(self) -> None:
        self.deaths: dict[Stmt, Deaths] = {}
        self.free: dict[Loop, frozenset[Value]] = {}

    def kernel(self, kernel: Kernel) -> Lifetimes:
        _free_values(kernel.body, self.free)
        live = self.block(kernel.body, {p.final for p in kernel.params})
        return Lifetimes(self.deaths, _ordered(p.value for p in kernel.params if p.value not in live))

    def block(self, block: Block, live_out: set[Value]) -> set[Value]:
        """Record the deaths inside a block; returns the values it needs from outside together with ``live_out``."""
        live = set(live_out)
        for stmt in reversed(block.body):
            if isinstance(stmt, Op):
                self.op(stmt, live)
            elif isinstance(stmt, Loop):
                self.loop(stmt, live)
            elif isinstance(stmt, If):
                live = self.branch(stmt, live)
        return live

    def op(self, op: Op, live: set[Value]) -> None:
        operands, results = _values(op.operands), _values(op.results)
        self.deaths[op] = Deaths(after=_ordered(v for v in (*operands, *results) if v not in live))
        live.difference_update(results)
        live.update(operands)

    def loop(self, loop: Loop, live: set[Value]) -> None:
        results = _values(c.result for c in loop.carries)
        params = _values(c.param for c in loop.carries)
        yields = _values(c.yielded for c in loop.carries)
        inits = _values(c.init for c in loop.carries)
        outer = self.free[loop]  # every iteration may need them, so they end with the loop
        unread = [r for r in results if r not in live]
        live.difference_update(results)
        body_in = self.block(loop.body, {*yields, *outer})
        self.deaths[loop] = Deaths(
            after=_ordered((*unread, *sorted((v for v in outer if v not in live), key=lambda v: v.uid))),
            enter=(_ordered(p for p in params if p not in body_in),),
            leave=(_ordered(v for v in yields if v not in outer),),
            inits=_ordered(v for v in inits if v not in live and v not in outer),
        )
        live.update(inits, outer)

    def branch(self, stmt: If, live: set[Value]) -> set[Value]:
        results = _values(m.result for m in stmt.merges)
        unread = [r for r in results if r not in live]
        after = live.difference(results)
        sides = [(stmt.then, _values(m.then for m in stmt.merges)), (stmt.other, _values(m.other for m in stmt.merges))]
        needed = [self.block(block, after.union(left)) for block, left in sides]
        used = needed[0] | needed[1]
        self.deaths[stmt] = Deaths(
            after=_ordered(unread),
            enter=tuple(_ordered(sorted(used - n, key=lambda v: v.uid)) for n in needed),
            leave=tuple(_ordered(v for v in left if v not in after) for _, left in sides),
        )
        return used


def _values(items: Iterable[object]) -> Values:
    return tuple(i for i in items if isinstance(i, Value))


def _ordered(values: Iterable[Value]) -> Values:
    return tuple(dict.fromkeys(values))


def _free_values(block: Block, free: dict[Loop, frozenset[Value]]) -> tuple[set[Value], set[Value]]:
    """Values used and defined in a block; on the way, the outer values used by each loop body."""
    used: set[Value] = set()
    defined: set[Value] = set()
    for stmt in block.body:
        if isinstance(stmt, Op):
            used.update(_values(stmt.operands))
            defined.update(_values(stmt.results))
        elif isinstance(stmt, Loop):
            inner_used, inner_defined = _free_values(stmt.body, free)
            inner_used.update(_values(c.yielded for c in stmt.carries))
            inner_defined.update(_values(c.param for c in stmt.carries))
            outer = inner_used - inner_defined
            free[stmt] = frozenset(outer)
            used |= outer
            used.update(_values(c.init for c in stmt.carries))
            defined.update(_values(c.result for c in stmt.carries))
        elif isinstance(stmt, If):
            for m in stmt.merges:
                used.update(_values((m.then, m.other)))
            for inner in (stmt.then, stmt.other):
                inner_used, inner_defined = _free_values(inner, free)
                used |= inner_used
                defined |= inner_defined
            defined.update(_values(m.result for m in stmt.merges))
    return used, defined
