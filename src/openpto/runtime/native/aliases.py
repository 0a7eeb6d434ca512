"""Which views may look at the memory of their source instead of copying it.

Purpose: a window of a tensor that nobody writes while the window is in use needs no copy.
Precondition: SSA. Postcondition: :meth:`Aliases.allows` is True only for ops whose result is never written, carried
or merged, and during whose life no in-place op touches an object that may share its memory.
Non-goals: precision across loops; what is not certain is copied.
"""

from __future__ import annotations

from openpto.ir.nodes import Block, If, Kernel, Loop, Op, Stmt, Value

SHARING = frozenset(
    {"view", "reshape", "squeeze", "unsqueeze", "permute", "clone", "bitcast", "fillpad", "expand_clone", "whole"}
    | {"gathermask", "deinterleave"}
)
"""Ops whose result can be another look at the memory of their first operand."""


class Aliases:
    """The analysis of one kernel."""

    def __init__(self, kernel: Kernel) -> None:
        self.parent: dict[Value, Value] = {}
        self.bound: set[Value] = set()
        self.writes: dict[Stmt, set[Value]] = {}
        self.nested: dict[Stmt, list[Value]] = {}
        self.allowed: set[Op] = set()
        self.repeated: set[Op] = set()
        """Ops whose result a loop further down in their block reads, so that what costs little once pays there."""
        self._join(kernel.body)
        self._written(kernel.body)
        self.bound.update(p.final for p in kernel.params)
        self._decide(kernel.body)

    def allows(self, op: Op) -> bool:
        """Whether the result of ``op`` may share memory."""
        return op in self.allowed

    def root(self, value: Value) -> Value:
        """The representative of all values that may share memory with ``value``."""
        found = value
        while found in self.parent:
            found = self.parent[found]
        while value is not found:
            self.parent[value], value = found, self.parent.get(value, found)
        return found

    def _union(self, a: object, b: object) -> None:
        if isinstance(a, Value) and isinstance(b, Value):
            x, y = self.root(a), self.root(b)
            if x is not y:
                self.parent[x] = y

    def _join(self, block: Block) -> None:
        for stmt in block.body:
            if isinstance(stmt, Op):
                if stmt.name in SHARING:
                    self._union(stmt.operands[0], stmt.results[0])
                if stmt.attrs.get("inplace"):
                    target = _target(stmt)
                    self.bound.add(target)
                    self._union(target, stmt.results[0])
            elif isinstance(stmt, Loop):
                for c in stmt.carries:
                    for state in (c.init, c.param, c.yielded):
                        self._union(state, c.result)
                    self.bound.update(v for v in (c.init, c.yielded) if isinstance(v, Value))
                self._join(stmt.body)
            elif isinstance(stmt, If):
                for m in stmt.merges:
                    self._union(m.then, m.result)
                    self._union(m.other, m.result)
                    self.bound.update(v for v in (m.then, m.other) if isinstance(v, Value))
                self._join(stmt.then)
                self._join(stmt.other)

    def _written(self, block: Block) -> set[Value]:
        """Objects written in place by each statement, and by the whole block."""
        total: set[Value] = set()
        for stmt in block.body:
            if isinstance(stmt, Op):
                own = {self.root(_target(stmt))} if stmt.attrs.get("inplace") else set()
            elif isinstance(stmt, Loop):
                own = self._written(stmt.body)
                # a carried tile is stored at the end of the body, whatever made it
                own |= {self.root(c.result) for c in stmt.carries if isinstance(c.result, Value)}
            elif isinstance(stmt, If):
                own = self._written(stmt.then) | self._written(stmt.other)
                own |= {self.root(m.result) for m in stmt.merges if isinstance(m.result, Value)}
            else:
                own = set()
            self.writes[stmt] = own
            total |= own
        return total

    def _decide(self, block: Block) -> None:
        last: dict[Value, int] = {}
        again: set[Value] = set()
        for k, stmt in enumerate(block.body):
            reads = self._reads(stmt)
            last.update(dict.fromkeys(reads, k))
            if isinstance(stmt, Loop):
                again.update(reads)
        for k, stmt in enumerate(block.body):
            if isinstance(stmt, Loop):
                self._decide(stmt.body)
            elif isinstance(stmt, If):
                self._decide(stmt.then)
                self._decide(stmt.other)
            elif isinstance(stmt, Op) and stmt.name in SHARING:
                result = stmt.results[0]
                assert isinstance(result, Value)
                if result in again:
                    self.repeated.add(stmt)
                shared = self.root(result)
                life = block.body[k + 1 : last.get(result, k) + 1]
                if result not in self.bound and all(shared not in self.writes[s] for s in life):
                    self.allowed.add(stmt)

    def _reads(self, stmt: Stmt) -> list[Value]:
        """Every value that a statement uses, at any depth."""
        if isinstance(stmt, Op):
            return [o for o in stmt.operands if isinstance(o, Value)]
        if not isinstance(stmt, (Loop, If)):
            return []
        found = self.nested.get(stmt)
        if found is None:
            if isinstance(stmt, Loop):
                found = [v for c in stmt.carries for v in (c.init, c.yielded) if isinstance(v, Value)]
                inner = stmt.body.body
            else:
                found = [v for m in stmt.merges for v in (m.then, m.other) if isinstance(v, Value)]
                inner = (*stmt.then.body, *stmt.other.body)
            for part in inner:
                found += self._reads(part)
            self.nested[stmt] = found
        return found


def _target(op: Op) -> Value:
    return next(o for o in reversed(op.operands) if isinstance(o, Value))
