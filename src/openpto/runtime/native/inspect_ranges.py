"""A pass over the iterations of a loop before it runs: whether the ranges that they touch ascend.

Nothing here faults. What would be a fault in the loop, such as an index outside of a table or a number that leaves 64
bits, means that the ranges are not known; the loop then runs in order and faults where it should.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from openpto.ir import expr as ex
from openpto.ir.expr import Expr
from openpto.ir.nodes import Loop, Op, Value

from . import loopir as L
from .loopir import Index, Peek, Set, Slot
from .ranges import Range

if TYPE_CHECKING:
    from .lower import Lowering

_OVER = {"add": "addover", "sub": "subover", "mul": "mulover"}
_LEAST = -(2**63)


def readable(low: Lowering, ranges: Sequence[Range]) -> bool:
    """Whether all tables can be read without a check of what they hold."""
    tables = {op.operands[0] for r in ranges for op in r.reads}
    tiles = [low.env.get(t) for t in tables if isinstance(t, Value)]
    return all(
        t is not None and t.mask is None and not t.bare and not t.late and (t.written, t.alive) == (1, 1) for t in tiles
    )


def ascending(low: Lowering, loop: Loop, bounds: tuple[Index, Index, Index], ranges: Sequence[Range]) -> Index:
    """1 if in every one of ``ranges`` each iteration begins where those before have ended."""
    if not ranges:
        return 1
    ok = low.b.name("ascending")
    low.b.add(Set(ok, 1))
    ends = [low.b.name("end") for _ in ranges]
    for end in ends:
        low.b.add(Set(end, _LEAST))
    start, stop, step = bounds
    with low.b.loop(stop, start, step, hint="inspected", poll=True) as index:
        scalars = _Scalars(low, {loop.index: index}, ok)
        for op in dict.fromkeys(op for r in ranges for op in r.reads):
            scalars.read(op)
        for found, end in zip(ranges, ends, strict=True):
            first, last = scalars.value(found.low), scalars.value(found.high)
            with low.b.when(L.binary("gt", last, first)):
                low.b.add(Set(ok, L.binary("and", Slot(ok), L.binary("ge", first, Slot(end)))))
                low.b.add(Set(end, L.binary("max", Slot(end), last)))
    return Slot(ok)


class _Scalars:
    """Scalars of an iteration; what is not known makes the slot ``ok`` 0."""

    def __init__(self, low: Lowering, env: dict[Expr, Index], ok: str) -> None:
        self.low = low
        self.env = env
        self.ok = ok

    def need(self, truth: Index) -> None:
        """The ranges are not known unless ``truth``."""
        if truth != 1:
            self.low.b.add(Set(self.ok, L.binary("and", Slot(self.ok), truth)))

    def read(self, op: Op) -> None:
        """An element of a table, 0 where there is none."""
        b, tile = self.low.b, self.low.env[op.operands[0]]  # type: ignore[index]
        at = [self.value(ex.expr(i)) for i in op.operands[1:]]  # type: ignore[arg-type]
        inside: Index = 1
        for i, extent in zip(at, tile.valid, strict=True):
            inside = L.binary("and", inside, L.binary("and", L.binary("ge", i, 0), L.binary("lt", i, extent)))
        inside = b.hold(inside)
        slot = b.name("element")
        b.add(Set(slot, 0))
        with b.when(inside):
            b.add(Set(slot, Peek(tile.arr.moved(at).at)))
        self.need(inside)
        for leaf in op.results:
            assert isinstance(leaf, Expr)
            self.env[leaf] = Slot(slot)

    def value(self, root: Expr) -> Index:
        """The value of a bound (see ``ranges.COMPUTED``)."""
        for node in ex.postorder(root):
            if node not in self.env:
                self.env[node] = self._node(node)
        return self.env[root]

    def _node(self, node: Expr) -> Index:
        known = node.concrete()
        if known is not None:
            return known
        if node.op in ex.LEAVES:
            return self._leaf(node)
        args = [self.env[a] for a in node.args]
        op, sides = ("sub", [0, args[0]]) if node.op == "neg" else (node.op, args)
        if op in _OVER and not all(isinstance(s, int) for s in sides):
            self.need(L.binary("eq", L.Bin(_OVER[op], sides[0], sides[1]), 0))
        return self.low.b.hold(L.binary(op, sides[0], sides[1]))

    def _leaf(self, leaf: Expr) -> Index:
        for loop, index in self.low.loops:
            if loop.index is leaf:
                return index
        found = self.low.leaves.get(leaf)
        if found is None:
            return self.low.size(leaf)
        self.need(found[1])
        return found[0]
