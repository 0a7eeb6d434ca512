"""From a recorded trace to SSA.

Purpose: replace the mutable Vars of ``trace.py`` by Values, with explicit loop carries and branch merges.
Precondition: a finished trace (no open region). Postcondition: a ``Kernel`` in which every Value and leaf has one
definition that dominates its uses; carries and merges nobody reads are gone.
Non-goals: no op is removed or moved, since each may stop the run with a fault.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from openpto._records import replace
from openpto.diagnostics import Site

from . import affine
from . import expr as ex
from .expr import Dim, Expr
from .nodes import EMPTY, Block, Carry, If, Kernel, Let, Loop, Merge, Op, Param, Stmt, TileType, Value
from .trace import Region, ScalarVar, TAssign, TGet, TIf, TLoop, TOp, Trace, Var

Cell = Var | ScalarVar
State = Value | Expr | None
Env = dict[Cell, State]
Hint = tuple[Dim | None, ...]
Link = tuple[tuple[Value | Expr, ...], tuple[State, ...]]
"""Results of a carry or merge (and its loop parameter), and what it needs if one of them is needed."""


def build(trace: Trace, attrs: Mapping[str, Any] = EMPTY) -> Kernel:
    """The SSA form of a finished trace."""
    return _Builder(trace).kernel(attrs)


class _Builder:
    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.places: dict[Cell, Site] = {}
        """Where each scalar was stored last."""

    def value(self, var: Var, type: TileType, valid: Hint) -> Value:
        return Value(self.trace.uid(), type, valid, var.uid, var.name)

    def kernel(self, attrs: Mapping[str, Any]) -> Kernel:
        env: Env = {}
        entry: dict[Var, Value] = {}
        for var in self.trace.params:
            entry[var] = self.value(var, var.type, var.type.shape)  # a parameter keeps its type
            env[var] = entry[var]
        body = self.block(self.trace.root, env)
        params = []
        for var in self.trace.params:
            final = env[var]
            assert isinstance(final, Value)
            params.append(Param(var.name, entry[var], final))
        pruned = _prune(Block(body), {p.final for p in params})
        return Kernel(self.trace.name, tuple(params), pruned, attrs)

    # -- statements ----------------------------------------------------------------------------------------------

    def block(self, region: Region, env: Env) -> tuple[Stmt, ...]:
        out: list[Stmt] = []
        for node in region.body:
            if isinstance(node, TOp):
                out.append(self.op(node, env))
            elif isinstance(node, TAssign):
                self.assign(node, env, out)
            elif isinstance(node, TGet):
                source = env[node.src] if isinstance(node.src, ScalarVar) else node.src
                assert not isinstance(source, Value)
                out.append(Let(node.leaf, source, node.site))
            elif isinstance(node, TLoop):
                out.append(self.loop(node, env))
            else:
                assert isinstance(node, TIf)
                out.append(self.branch(node, env))
        return tuple(out)

    def op(self, node: TOp, env: Env) -> Op:
        operands = tuple(self.state(o, env) if isinstance(o, Var) else o for o in node.operands)
        types = iter(node.types)
        results: list[Value | Expr] = []
        for target in node.results:
            if isinstance(target, Var):
                type_, valid = next(types)
                value = self.value(target, type_, valid)
                env[target] = value
                results.append(value)
            else:
                results.append(target)
        return Op(node.name, operands, tuple(results), node.attrs, node.site, node.scope)

    def state(self, var: Var, env: Env) -> Value:
        value = env[var]
        assert isinstance(value, Value)
        return value

    def assign(self, node: TAssign, env: Env, out: list[Stmt]) -> None:
        if isinstance(node.src, Var):
            env[node.dst] = self.state(node.src, env)
        elif isinstance(node.dst, Var):
            assert node.type is not None
            value = self.value(node.dst, node.type, (None,) * node.type.rank)
            out.append(Op("unset", (), (value,), {"name": node.dst.name}, node.site))
            env[node.dst] = value
        else:
            env[node.dst] = node.src
            self.places[node.dst] = node.site

    # -- regions -------------------------------------------------------------------------------------------------

    def loop(self, node: TLoop, env: Env) -> Loop:
        cells = [c for c in node.region.wrote if c in env]
        inner = dict(env)
        for cell in cells:
            inner[cell] = self.entry(cell, node.region, env)
        heads = {c: inner[c] for c in cells}
        body = self.block(node.region, inner)
        carries = []
        for cell in cells:
            param, yielded = heads[cell], inner[cell]
            assert param is not None
            result: Value | Expr
            if isinstance(cell, Var):
                assert isinstance(yielded, Value)
                assert isinstance(param, Value)
                result = self.value(cell, yielded.type, _agree(param.valid, yielded.valid))
            else:
                result = ex.ref(self.trace.uid(), cell.name)
            carries.append(Carry(env[cell], param, yielded, result, cell.name, self.places.get(cell)))
            env[cell] = result
        return Loop(
            node.index, node.start, node.stop, node.step, tuple(carries), Block(body), node.attrs, node.site, node.scope
        )

    def entry(self, cell: Cell, region: Region, env: Env) -> State:
        """The state of a carried cell at the head of the body."""
        if isinstance(cell, ScalarVar):
            return ex.ref(self.trace.uid(), cell.name)
        before = env[cell]
        assert isinstance(before, Value)
        head, tail = region.undo.get(cell), region.tail.get(cell)
        if head is None or tail is None:
            return self.value(cell, before.type, (None,) * before.type.rank)
        return self.value(cell, head.type, _agree(head.valid, tail.valid))

    def branch(self, node: TIf, env: Env) -> If:
        cells = [c for c in {**node.then.wrote, **node.other.wrote} if c in env]
        then_env, other_env = dict(env), dict(env)
        then = self.block(node.then, then_env)
        places = dict(self.places)
        other = self.block(node.other, other_env)
        merges = []
        for cell in cells:
            a, b = then_env[cell], other_env[cell]
            result: Value | Expr
            if isinstance(cell, Var):
                assert isinstance(a, Value)
                assert isinstance(b, Value)
                if a.type != b.type:  # the Var is poisoned: Trace refuses every later read
                    continue
                result = self.value(cell, a.type, _agree(a.valid, b.valid))
            else:
                result = ex.ref(self.trace.uid(), cell.name)
            sites = places.get(cell), self.places.get(cell)
            merges.append(Merge(a, b, result, cell.name, sites))
            env[cell] = result
        return If(node.cond, Block(then), Block(other), tuple(merges), node.site, node.attrs)


def _agree(a: Hint, b: Hint) -> Hint:
    if len(a) != len(b):
        return (None,) * len(b)
    return tuple(
        x if x is not None and y is not None and affine.equal(x, y) else None for x, y in zip(a, b, strict=True)
    )


# -- pruning ----------------------------------------------------------------------------------------------------------


def _prune(block: Block, roots: set[Value]) -> Block:
    """Drop carries and merges whose results (and loop parameters) nobody needs."""
    used: set[Value | Expr] = set(roots)
    waiting: list[Link] = []
    _collect(block, used, waiting)
    count = -1
    while count != len(waiting):
        count = len(waiting)
        later: list[Link] = []
        for link in waiting:
            if used.isdisjoint(link[0]):
                later.append(link)
            else:
                _uses(link[1], used)
        waiting = later
    return _drop(block, used)


def _uses(thing: Any, used: set[Value | Expr]) -> None:
    kind = type(thing)
    if kind is int or kind is str or kind is bool:  # most attributes
        return
    if isinstance(thing, Value):
        used.add(thing)
        for d in thing.valid:
            if d.__class__ is Expr:
                used.update(d.leaves)
    elif isinstance(thing, Expr):
        used.update(thing.leaves)
    elif isinstance(thing, tuple):
        for item in thing:
            _uses(item, used)


def _collect(block: Block, used: set[Value | Expr], links: list[Link]) -> None:
    """Everything read by statements; what a carry or merge reads counts only if it is itself needed."""
    for stmt in block.body:
        if isinstance(stmt, Op):
            _uses(stmt.operands, used)
            for value in stmt.attrs.values():
                if isinstance(value, (tuple, Expr)):
                    _uses(value, used)
            for result in stmt.results:
                if isinstance(result, Value):
                    for extent in (*result.valid, *result.type.shape):
                        if isinstance(extent, Expr):
                            used.update(extent.leaves)
        elif isinstance(stmt, Let):
            _uses(stmt.value, used)
        elif isinstance(stmt, Loop):
            _uses((stmt.start, stmt.stop, stmt.step), used)
            links += [((c.result, c.param), (c.init, c.yielded)) for c in stmt.carries]
            _collect(stmt.body, used, links)
        else:
            _uses(stmt.cond, used)
            links += [((m.result,), (m.then, m.other)) for m in stmt.merges]
            _collect(stmt.then, used, links)
            _collect(stmt.other, used, links)


def _drop(block: Block, used: set[Value | Expr]) -> Block:
    out: list[Stmt] = []
    changed = False
    for stmt in block.body:
        new: Stmt = stmt
        if isinstance(stmt, Loop):
            carries = tuple(c for c in stmt.carries if c.result in used or c.param in used)
            body = _drop(stmt.body, used)
            if len(carries) != len(stmt.carries) or body is not stmt.body:
                new = replace(stmt, carries=carries, body=body)
        elif isinstance(stmt, If):
            merges = tuple(m for m in stmt.merges if m.result in used)
            then, other = _drop(stmt.then, used), _drop(stmt.other, used)
            if len(merges) != len(stmt.merges) or then is not stmt.then or other is not stmt.other:
                new = replace(stmt, merges=merges, then=then, other=other)
        changed |= new is not stmt
        out.append(new)
    return Block(tuple(out)) if changed else block
