"""Which names a region of a function stores, and which of them are needed later.

Purpose: decide what a loop carries and what a branch merges. For every ``for`` and ``if`` of one function scope:
the names live at the head of its body (read before they are stored, in this or the next iteration) and after it.
Non-goals: precision for names that nested functions capture; those count as live everywhere.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

from openpto._records import dataclass, field

from .tree import FUNCTIONS, NONE, Names, Tree, arguments

_CAPTURING = frozenset({*FUNCTIONS, ast.Lambda, ast.GeneratorExp})


@dataclass(frozen=True)
class Live:
    """Names live at the start of the body (for ``if``: of the else branch), and after the statement; ``read`` are those
    of the latter that the statements behind it read, whatever nested functions capture."""

    inside: Names
    after: Names
    read: Names = NONE


def captured(tree: Tree, body: Iterable[ast.AST]) -> Names:
    """Free names of nested functions, lambdas and generator expressions: they may be read at any later point."""
    found: set[str] = set()
    nested = tree.places(_CAPTURING)
    for node in (inner for statement in body for inner in tree.between(nested, statement)):
        if isinstance(node, FUNCTIONS):
            inner = NONE.union(*map(tree.reads, node.body))
            found |= inner - arguments(node.args) - tree.stored(node.body)
        else:
            found |= tree.loads(node)
    return frozenset(found)


@dataclass(frozen=True)
class _Flow:
    """Names live where ``break``, ``continue`` and ``return`` lead."""

    on_break: Names = NONE
    on_continue: Names = NONE


@dataclass
class Liveness:
    """The analysis of one function body; ``of[node]`` for every ``for`` and ``if`` in it."""

    tree: Tree
    body: Sequence[ast.stmt]
    of: dict[ast.AST, Live] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._block(self.body, NONE, _Flow())
        always = captured(self.tree, self.body)
        for node, live in self.of.items():
            self.of[node] = Live(live.inside | always, live.after | always, live.after)

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
            return self.tree.loads(node.test) | self._block(node.body, out, flow) | other
        if isinstance(node, ast.Match):
            return self._match(node, out, flow)
        if isinstance(node, (ast.With, ast.AsyncWith)):
            inner = self._block(node.body, out, flow)
            targets = self.tree.stored(i.optional_vars for i in node.items if i.optional_vars is not None)
            return (inner - targets).union(*(self.tree.loads(i) for i in node.items))
        if isinstance(node, ast.Break):
            return flow.on_break
        if isinstance(node, ast.Continue):
            return flow.on_continue
        if isinstance(node, (ast.Return, ast.Raise)):
            return self.tree.loads(node)
        if isinstance(node, FUNCTIONS):
            return (out - {node.name}) | self.tree.defaults(node.args).union(*map(self.tree.loads, node.decorator_list))
        if isinstance(node, ast.Delete):
            return (out - self.tree.stored([node])).union(*map(self.tree.loads, node.targets))
        if isinstance(node, ast.Assign):
            return (out - self.tree.stored(node.targets)) | self.tree.loads(node)
        if isinstance(node, ast.AnnAssign):
            kills = self.tree.stored([node.target]) if node.value is not None else NONE
            return (out - kills) | self.tree.loads(node.value) | self.tree.loads(node.target)
        if isinstance(node, ast.AugAssign):
            return out | self.tree.loads(node) | self.tree.stored([node.target])
        return out | self.tree.loads(node)

    def _for(self, node: ast.For | ast.AsyncFor, out: Names, flow: _Flow) -> Names:
        after = self._block(node.orelse, out, flow)
        targets = self.tree.stored([node.target])
        inside = NONE
        while True:
            head = after | inside
            entered = (self._block(node.body, head, _Flow(out, head)) - targets) | self.tree.loads(node.target)
            if entered <= inside:
                break
            inside |= entered
        self.of[node] = Live(inside, out)
        return self.tree.loads(node.iter) | after | inside

    def _while(self, node: ast.While, out: Names, flow: _Flow) -> Names:
        after = self._block(node.orelse, out, flow)
        head = after | self.tree.loads(node.test)
        while True:
            entered = self._block(node.body, head, _Flow(out, head))
            if entered <= head:
                return head
            head |= entered

    def _match(self, node: ast.Match, out: Names, flow: _Flow) -> Names:
        live = out | self.tree.loads(node.subject)
        for case in node.cases:
            inner = self._block(case.body, out, flow) | self.tree.loads(case.guard)
            live |= (inner - self.tree.stored([case.pattern])) | self.tree.loads(case.pattern)
        return live
