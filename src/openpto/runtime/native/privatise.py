"""Tensors that every iteration fills anew become the iteration's own.

Purpose: a tensor that is declared before a loop ties its iterations together though none reads what another wrote.
Precondition: a kernel in SSA form. Postcondition: the same results, faults and counts; loops that are independent but
for such tensors declare them inside.
Non-goals: loops that stay dependent anyway, and ``parallel=True`` loops: there a tensor that iterations share is told.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from openpto._records import replace
from openpto.ir import affine
from openpto.ir.expr import Expr
from openpto.ir.nodes import Block, Carry, If, Kernel, Loop, Op, Stmt, Value
from openpto.runtime.reference.liveness import Lifetimes

from .independence import index_bounds, plan_of

OWN = "own"
"""Marks a declaration that this pass added; it does not count as an operation."""


def privatised(kernel: Kernel, lifetimes: Lifetimes) -> Kernel:
    """The kernel with private tensors; the same object if there are none."""
    body = _Pass(lifetimes).block(kernel.body, {})
    return kernel if body is kernel.body else replace(kernel, body=body)


class _Pass:
    def __init__(self, lifetimes: Lifetimes) -> None:
        self.lifetimes = lifetimes
        self.declared: dict[Value, Op] = {}

    def block(self, block: Block, known: Mapping[Expr, affine.Interval]) -> Block:
        made = tuple(self.statement(stmt, known) for stmt in block.body)
        return block if all(a is b for a, b in zip(made, block.body, strict=True)) else Block(made)

    def statement(self, stmt: Stmt, known: Mapping[Expr, affine.Interval]) -> Stmt:
        if isinstance(stmt, Op):
            if stmt.name == "alloc" and isinstance(stmt.results[0], Value):
                self.declared[stmt.results[0]] = stmt
            return stmt
        if isinstance(stmt, If):
            then, other = self.block(stmt.then, known), self.block(stmt.other, known)
            same = then is stmt.then and other is stmt.other
            return stmt if same else replace(stmt, then=then, other=other)
        return self.loop(stmt, known) if isinstance(stmt, Loop) else stmt

    def loop(self, loop: Loop, known: Mapping[Expr, affine.Interval]) -> Loop:
        inside = {**known, **index_bounds(loop, known)}
        plan = plan_of(loop, inside, frozenset(self.lifetimes.deaths[loop].after))
        own = plan.private if plan is not None and not loop.attrs.get("parallel") else ()
        if not all(c.init in self.declared for c in own):
            own = ()
        added = [self.declaration(loop, c) for c in own]
        body = self.block(Block((*added, *loop.body.body)) if added else loop.body, inside)
        if body is loop.body:
            return loop
        return replace(loop, carries=tuple(c for c in loop.carries if c not in own), body=body)

    def declaration(self, loop: Loop, carry: Carry) -> Op:
        """The declaration of a carried tile as an iteration's own."""
        assert isinstance(carry.init, Value)
        assert isinstance(carry.param, Value)
        op = self.declared[carry.init]
        return replace(op, results=(carry.param,), attrs=MappingProxyType({**op.attrs, OWN: True}), site=loop.site)
