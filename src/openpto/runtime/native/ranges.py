"""Windows whose place is read from tables: what an iteration touches on one axis, as far as it can be told before.

Purpose: the rows of packed sequences begin where a table says. Before the loop runs, a pass over its iterations can
find each one's range, and that every range begins where the ones before have ended.
Precondition: SSA; the windows are those of one carried tile. Postcondition: bounds in terms of the index, of scalars
from outside, and of elements that the body reads from tensors which the loop does not write.
Non-goals: ranges in another order than the iterations.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from openpto._records import dataclass
from openpto.ir import affine
from openpto.ir import expr as ex
from openpto.ir.expr import Dim, Expr
from openpto.ir.nodes import Let, Loop, Op, Value

COMPUTED = frozenset({"const", "named", "dim", "index", "ref", "add", "sub", "mul", "neg", "min", "max"})
"""What a bound may consist of: operations that cannot fault but for overflow."""


@dataclass(frozen=True, slots=True)
class Range:
    """An iteration touches positions from ``low`` to before ``high``; ``reads`` are the operations that give the
    elements in them, in order."""

    low: Expr
    high: Expr
    reads: tuple[Op, ...]


Place = tuple[Sequence[Dim], Sequence[Sequence[Dim]]]
"""Offsets of a window, and per axis several extents none of which it exceeds."""


def range_of(
    loop: Loop, places: Sequence[Place | None], varying: frozenset[Expr], inner: Iterable[Loop]
) -> Range | None:
    """The range that an iteration touches, on the first axis where it can be told; None if there is no such axis. A
    place that is None may be everywhere."""
    known = [place for place in places if place is not None]
    if not known or len(known) < len(places):
        return None
    bounds = _Bounds(loop, varying, {i.index: i for i in inner})
    for axis in range(len(known[0][0])):
        lows = [bounds.least(offsets[axis]) for offsets, _ in known]
        highs = [bounds.end(offsets[axis], extents[axis]) for offsets, extents in known]
        found = _joined(lows, "min"), _joined(highs, "max")
        if found[0] is not None and found[1] is not None:
            reads = bounds.reads_of((found[0], found[1]))
            if reads or (reads is not None and _is_curved(found[0], loop.index)):
                return Range(found[0], found[1], reads)
    return None


def _is_curved(node: Expr, index: Expr) -> bool:
    """Whether a position is not affine in the index; of one that is, the dependence test has told all there is."""
    return any(term is not index and index in term.leaves for term, _ in affine.linear(node)[0])


def _joined(bounds: Sequence[Expr | None], op: str) -> Expr | None:
    total: Expr | None = None
    for bound in bounds:
        if bound is None:
            return None
        total = bound if total is None or total is bound else ex.expr(affine.simplify(ex.binary(op, total, bound)))
    return total


class _Bounds:
    """Bounds of scalars of an iteration that do not depend on loops inside."""

    def __init__(self, loop: Loop, varying: frozenset[Expr], inner: Mapping[Expr, Loop]) -> None:
        self.varying = varying
        self.inner = inner
        self.values: dict[Expr, Expr] = {}
        self.reads: dict[Expr, Op] = {}
        made = {r for op in _ops(loop) for r in op.results if isinstance(r, Value)}
        made |= {v for c in loop.carries for v in (c.param,) if isinstance(v, Value)}
        for stmt in loop.body.body:
            if isinstance(stmt, Let) and stmt.value is not None:
                self.values[stmt.leaf] = stmt.value
            elif isinstance(stmt, Op) and stmt.name == "read_scalar" and stmt.operands[0] not in made:
                self.reads.update((r, stmt) for r in stmt.results if isinstance(r, Expr))

    def least(self, node: Dim) -> Expr | None:
        """A lower bound."""
        return self._bound(ex.expr(node), up=False)

    def end(self, offset: Dim, extents: Sequence[Dim]) -> Expr | None:
        """An upper bound of where a window ends."""
        found = []
        for extent in extents:
            for choice in _choices(ex.expr(extent)):
                bound = self._bound(ex.binary("add", offset, choice), up=True)
                if bound is not None:
                    found.append(bound)
        return _joined(found, "min") if found else None

    def _bound(self, node: Expr, up: bool, depth: int = 8) -> Expr | None:
        if depth == 0:
            return None
        terms, constant = affine.linear(self._resolved(node))
        total = ex.const(constant)
        for term, factor in terms:
            bound = self._term(term, up == (factor > 0), depth)
            if bound is None:
                return None
            total = ex.binary("add", total, ex.binary("mul", bound, factor))
        return ex.expr(affine.simplify(total))

    def _term(self, term: Expr, up: bool, depth: int) -> Expr | None:
        if not term.leaves & self.varying or term in self.reads:
            return term
        loop = self.inner.get(term)
        if loop is not None:
            step = loop.step.concrete()
            if not step:
                return None
            if up == (step > 0):
                return self._bound(ex.binary("sub", loop.stop, step // abs(step)), up, depth - 1)
            return self._bound(loop.start, up, depth - 1)
        if term.op in ("min", "max"):
            sides = [self._bound(a, up, depth - 1) for a in term.args]
            if (term.op == "min") == up:  # each side is a bound
                return _joined([s for s in sides if s is not None], term.op)
            return _joined(sides, term.op)
        return None

    def _resolved(self, node: Expr) -> Expr:
        """``node`` with what the body computes first put in."""
        for _ in range(8):
            leaf = next((n for n in node.leaves if n in self.values), None)
            if leaf is None:
                return node
            node = _replaced(node, leaf, self.values[leaf])
        return node

    def reads_of(self, bounds: Iterable[Expr]) -> tuple[Op, ...] | None:
        """The reads that bounds need, with those that these need; None if something else is needed."""
        wanted: dict[Op, None] = {}
        waiting = list(bounds)
        while waiting:
            node = waiting.pop()
            if any(n.op not in COMPUTED for n in ex.postorder(node)):
                return None
            for leaf in node.leaves & self.varying:
                op = self.reads.get(leaf)
                if op is None:
                    return None
                if op not in wanted:
                    wanted[op] = None
                    index = [self._resolved(i) for i in op.operands[1:] if isinstance(i, Expr)]
                    if any(n in self.inner for i in index for n in i.leaves) or index != list(op.operands[1:]):
                        return None
                    waiting.extend(index)
        order = {op: k for k, op in enumerate(self.reads.values())}
        return tuple(sorted(wanted, key=lambda op: order[op]))


def _choices(extent: Expr) -> list[Expr]:
    """Upper bounds of an extent that leave out a side of its smallest."""
    if extent.op == "min":
        return [c for side in extent.args for c in _choices(side)]
    return [extent]


def _replaced(node: Expr, leaf: Expr, value: Expr) -> Expr:
    done: dict[Expr, Expr] = {}
    for n in ex.postorder(node):
        if n is leaf:
            done[n] = value
        elif not n.args or leaf not in n.leaves:
            done[n] = n
        elif n.op in ("neg", "not"):
            done[n] = ex.unary(n.op, done[n.args[0]])
        elif n.op in ex.BINARY:
            done[n] = ex.binary(n.op, done[n.args[0]], done[n.args[1]])
        else:
            done[n] = n
    return done[node]


def _ops(loop: Loop) -> list[Op]:
    return [stmt for stmt in loop.body.body if isinstance(stmt, Op)]
