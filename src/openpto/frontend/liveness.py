"""Which names a region of a function stores, and which of them are needed later.

Purpose: decide what a loop carries and what a branch merges. For every ``for`` and ``if`` of one function scope:
the names live at the head of its body (read before they are stored, in this or the next iteration) and after it.
Non-goals: precision for names that nested functions capture; those count as live everywhere.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

Names = frozenset[str]
NONE: Names = frozenset()
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


@dataclass(frozen=True)
class Live:
    """Names live at the start of the body (for ``if``: of the else branch), and after the statement."""

    inside: Names
    after: Names


def stored(nodes: Iterable[ast.AST]) -> Names:
    """Names that statements bind in their own scope (assignment, ``for``, ``with``, ``def``, walrus, patterns)."""
    found: set[str] = set()
    stack: list[ast.AST] = list(nodes)
    while stack:
        node = stack.pop()
        if isinstance(node, ast.Name) and isinstance(node.ctx, (ast.Store, ast.Del)):
            found.add(node.id)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, (ast.MatchAs, ast.MatchStar)):
            found.update([node.name] if node.name else [])
        elif isinstance(node, ast.MatchMapping) and node.rest:
            found.add(node.rest)
        if isinstance(node, _SCOPES):
            continue
        if isinstance(node, _COMPREHENSIONS):  # its targets are its own; only := reaches out
            found.update(n.target.id for n in ast.walk(node) if isinstance(n, ast.NamedExpr))
            continue
        stack.extend(ast.iter_child_nodes(node))
    return frozenset(found)


def loads(node: ast.AST | None) -> Names:
    """Names of the scope that evaluating ``node`` may read, also later through lambdas in it."""
    if node is None:
        return NONE
    if isinstance(node, ast.Name):
        return frozenset((node.id,)) if isinstance(node.ctx, ast.Load) else NONE
    if isinstance(node, ast.Lambda):
        return _defaults(node.args) | (loads(node.body) - arguments(node.args))
    if isinstance(node, _COMPREHENSIONS):
        return _comprehension(node)
    return NONE.union(*map(loads, ast.iter_child_nodes(node)))


def _comprehension(node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp) -> Names:
    targets = stored(g.target for g in node.generators)
    parts = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
    inner = NONE.union(*map(loads, parts))
    for position, generator in enumerate(node.generators):
        inner = inner.union(*map(loads, generator.ifs))
        if position:
            inner |= loads(generator.iter)
    return loads(node.generators[0].iter) | (inner - targets)


def arguments(args: ast.arguments) -> Names:
    """Names of all parameters."""
    every = [*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg]
    return frozenset(a.arg for a in every if a is not None)


def _defaults(args: ast.arguments) -> Names:
    return NONE.union(*map(loads, [*args.defaults, *args.kw_defaults]))


def captured(body: Iterable[ast.AST]) -> Names:
    """Free names of nested functions, lambdas and generator expressions: they may be read at any later point."""
    found: set[str] = set()
    for statement in body:
        for node in ast.walk(statement):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                inner = NONE.union(*map(_reads, node.body))
                found |= inner - arguments(node.args) - stored(node.body)
            elif isinstance(node, (ast.Lambda, ast.GeneratorExp)):
                found |= loads(node)
    return frozenset(found)


def _reads(node: ast.AST) -> Names:
    """All names read anywhere below ``node``, nested scopes included."""
    return frozenset(n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load))


@dataclass(frozen=True)
class _Flow:
    """Names live where ``break``, ``continue`` and ``return`` lead."""

    on_break: Names = NONE
    on_continue: Names = NONE


@dataclass
class Liveness:
    """The analysis of one function body; ``of[node]`` for every ``for`` and ``if`` in it."""

    body: Sequence[ast.stmt]
    of: dict[ast.AST, Live] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._block(self.body, NONE, _Flow())
        always = captured(self.body)
        for node, live in self.of.items():
            self.of[node] = Live(live.inside | always, live.after | always)

    def _block(self, body: Sequence[ast.stmt], out: Names, flow: _Flow) -> Names:
        for statement in reversed(body):
            out = self._statement(statement, out, flow)
        return out

    def _statement(self, node: ast.stmt, out: Names, flow: _Flow) -> Names:
        if isinstance(node, (ast.For, ast.AsyncFor)):
            return self._for(node, out, flow)
        if isinstance(node, ast.While):
            return self._while(node, out, flow)
        if isinstance(node, ast.If):
            other = self._block(node.orelse, out, flow)
            self.of[node] = Live(other, out)
            return loads(node.test) | self._block(node.body, out, flow) | other
        if isinstance(node, ast.Match):
            return self._match(node, out, flow)
        if isinstance(node, (ast.With, ast.AsyncWith)):
            inner = self._block(node.body, out, flow)
            targets = stored(i.optional_vars for i in node.items if i.optional_vars is not None)
            return (inner - targets).union(*(loads(i) for i in node.items))
        if isinstance(node, ast.Break):
            return flow.on_break
        if isinstance(node, ast.Continue):
            return flow.on_continue
        if isinstance(node, (ast.Return, ast.Raise)):
            return loads(node)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return (out - {node.name}) | _defaults(node.args).union(*map(loads, node.decorator_list))
        if isinstance(node, ast.Delete):
            return (out - stored([node])).union(*map(loads, node.targets))
        if isinstance(node, ast.Assign):
            return (out - stored(node.targets)) | loads(node)
        if isinstance(node, ast.AnnAssign):
            kills = stored([node.target]) if node.value is not None else NONE
            return (out - kills) | loads(node.value) | loads(node.target)
        if isinstance(node, ast.AugAssign):
            return out | loads(node) | stored([node.target])
        return out | loads(node)

    def _for(self, node: ast.For | ast.AsyncFor, out: Names, flow: _Flow) -> Names:
        after = self._block(node.orelse, out, flow)
        targets = stored([node.target])
        inside = NONE
        while True:
            head = after | inside
            entered = (self._block(node.body, head, _Flow(out, head)) - targets) | loads(node.target)
            if entered <= inside:
                break
            inside |= entered
        self.of[node] = Live(inside, out)
        return loads(node.iter) | after | inside

    def _while(self, node: ast.While, out: Names, flow: _Flow) -> Names:
        after = self._block(node.orelse, out, flow)
        head = after | loads(node.test)
        while True:
            entered = self._block(node.body, head, _Flow(out, head))
            if entered <= head:
                return head
            head |= entered

    def _match(self, node: ast.Match, out: Names, flow: _Flow) -> Names:
        live = out | loads(node.subject)
        for case in node.cases:
            inner = self._block(case.body, out, flow) | loads(case.guard)
            live |= (inner - stored([case.pattern])) | loads(case.pattern)
        return live
