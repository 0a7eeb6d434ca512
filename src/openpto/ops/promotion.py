"""Where FP16 and BF16 values are rounded: the numerics ``npu`` and ``strict`` made explicit in tile IR.

Purpose: a compiler for the device evaluates the ops that a declaration lists as ``promoted`` in FP32, and leaves out
the conversions between two of them. This pass gives such a value an FP32 twin, which promoted ops read; an op
``convert`` makes the 16-bit value for everybody else. Reductions get FP32 operands in either mode.
Precondition: a verified, checked kernel. Postcondition: a verified kernel in which every value has the type it is
computed in, so that an engine rounds where a type says so and nowhere else.
Non-goals: arithmetic. Without FP16 and BF16 the kernel stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from openpto._records import dataclass, replace
from openpto.ir.expr import Expr
from openpto.ir.nodes import Block, If, Kernel, Let, Loop, Op, Stmt, TileType, Value

from . import arith
from .dtype_sets import FP32, HALVES
from .registry import OPS, Named, Pointwise, Reduce, internal

CONVERT = "convert"
"""The op that this pass adds. No author wrote it, so engines have nothing to say about it."""

internal(
    CONVERT,
    "The values of a tile in another float type, rounded to nearest even.",
    core="vector",
    arithmetic=Pointwise(general=lambda operands, result, attrs: arith.convert(arith.var(operands[0]), result)),
)


@dataclass(frozen=True, slots=True)
class Promote:
    """The pass. ``strict``: every value is rounded to its own type (numerics ``strict``)."""

    strict: bool = False

    def apply(self, kernel: Kernel) -> Kernel:
        """The kernel with explicit conversions; ``kernel`` itself if it needs none."""
        if not any(_is_half(r) for op in _operations(kernel.body) for r in (*op.operands, *op.results)):
            return kernel
        return _Rewriter(kernel, self.strict).kernel()


def _is_half(item: object) -> bool:
    return isinstance(item, Value) and item.type.dtype in HALVES


def _operations(block: Block) -> Iterator[Op]:
    for stmt in block.body:
        if isinstance(stmt, Op):
            yield stmt
        elif isinstance(stmt, Loop):
            yield from _operations(stmt.body)
        elif isinstance(stmt, If):
            yield from _operations(stmt.then)
            yield from _operations(stmt.other)


def is_promoted(op: Op) -> bool:
    """Whether an op on FP16 or BF16 tiles is evaluated in FP32 and hands FP32 to the next promoted op."""
    decl = OPS.get(op.name)
    if decl is None or op.attrs.get("inplace"):
        return False
    halves = {v.type.dtype for v in (*op.operands, *op.results) if isinstance(v, Value)} & HALVES
    return bool(halves) and halves <= decl.promoted and isinstance(decl.arithmetic, Pointwise | Reduce | Named)


def _is_fold(op: Op) -> bool:
    decl = OPS.get(op.name)
    return decl is not None and isinstance(decl.arithmetic, Reduce)


class _Rewriter:
    def __init__(self, kernel: Kernel, strict: bool) -> None:
        self.source = kernel
        self.strict = strict
        self.twins: dict[Value, Value] = {}
        self.uid = _greatest_uid(kernel)
        self.exact_uses: set[Value] = set()  # read by a promoted op: the twin is wanted
        self.rounded_uses: set[Value] = {p.final for p in kernel.params}
        self._note_uses(kernel.body)

    def kernel(self) -> Kernel:
        return replace(self.source, body=self.block(self.source.body))

    def _note_uses(self, block: Block) -> None:
        for stmt in block.body:
            if isinstance(stmt, Op):
                carried = not self.strict and is_promoted(stmt)
                uses = self.exact_uses if carried else self.rounded_uses
                uses.update(o for o in stmt.operands if isinstance(o, Value))
            elif isinstance(stmt, Loop):
                self.rounded_uses.update(v for c in stmt.carries for v in (c.init, c.yielded) if isinstance(v, Value))
                self._note_uses(stmt.body)
            elif isinstance(stmt, If):
                self.rounded_uses.update(v for m in stmt.merges for v in (m.then, m.other) if isinstance(v, Value))
                self._note_uses(stmt.then)
                self._note_uses(stmt.other)

    def block(self, block: Block) -> Block:
        out: list[Stmt] = []
        for stmt in block.body:
            if isinstance(stmt, Op):
                out += self.op(stmt)
            elif isinstance(stmt, Loop):
                out.append(replace(stmt, body=self.block(stmt.body)))
            elif isinstance(stmt, If):
                out.append(replace(stmt, then=self.block(stmt.then), other=self.block(stmt.other)))
            else:
                out.append(stmt)
        return Block(tuple(out))

    def op(self, op: Op) -> list[Op]:
        """The op, with conversions before and after it."""
        promoted = not self.strict and is_promoted(op)
        fold = _is_fold(op)
        if not promoted and not fold:
            return [op]
        operands = tuple(self.twins.get(o, o) if promoted and isinstance(o, Value) else o for o in op.operands)
        result = op.results[0]
        wanted = _is_half(result) and (fold or (promoted and result in self.exact_uses))
        before: list[Op] = []
        if fold or (wanted and isinstance(OPS[op.name].arithmetic, Named)):
            operands = tuple(self._widened(o, op, before) if _is_half(o) else o for o in operands)
        if not wanted:
            return [*before, replace(op, operands=operands)]
        assert isinstance(result, Value)
        wide = self._twin(result)
        after: list[Op] = [replace(op, operands=operands, results=(wide,))]
        if promoted:
            self.twins[result] = wide
        if not promoted or result in self.rounded_uses or result not in self.exact_uses:
            after.append(_convert(op, wide, result))
        return [*before, *after]

    def _widened(self, value: Any, op: Op, before: list[Op]) -> Value:
        wide = self._twin(value)
        before.append(_convert(op, value, wide))
        return wide

    def _twin(self, value: Value) -> Value:
        self.uid += 1
        type = TileType(value.type.shape, FP32, value.type.fmt)
        return Value(self.uid, type, value.valid, self.uid, value.name)


def _convert(op: Op, source: Value, target: Value) -> Op:
    return Op(CONVERT, (source,), (target,), {}, op.site, op.scope)


# Numbers that are taken


def _greatest_uid(kernel: Kernel) -> int:
    numbers = [0]
    for item in _items(kernel.body):
        if isinstance(item, Value):
            numbers += [item.uid, item.var]
        elif isinstance(item, Expr):
            numbers += [leaf.value[0] for leaf in item.leaves if isinstance(leaf.value, tuple)]
    return max(numbers + [n for p in kernel.params for n in (p.value.uid, p.value.var)])


def _items(block: Block) -> Iterable[object]:
    """Every value and scalar that a statement defines."""
    for stmt in block.body:
        if isinstance(stmt, Op):
            yield from stmt.results
        elif isinstance(stmt, Let):
            yield stmt.leaf
        elif isinstance(stmt, Loop):
            yield stmt.index
            yield from (item for c in stmt.carries for item in (c.param, c.result))
            yield from _items(stmt.body)
        else:
            yield from (m.result for m in stmt.merges)
            yield from _items(stmt.then)
            yield from _items(stmt.other)
