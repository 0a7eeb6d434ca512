"""The functions of a module: which are kernels, which are marked helpers, and what surrounds them."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from openpto.lint.modules import Module

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef
Kind = Literal["kernel", "marked", "plain", "other"]

JIT = frozenset({"pypto.frontend.jit", "pypto.jit"})
MARKED = frozenset({"pypto.frontend.function"})
_BARE = frozenset({
    "ctx", "op", "ops", "type_comment", "type_ignores", "kind", "id", "attr", "arg", "asname", "module", "level",
    "is_async", "conversion", "simple", "kwd_attrs", "rest", "str", "lineno",
})  # fmt: skip
"""Fields of nodes that hold no nodes, or nodes without a place (contexts, operators)."""
_EMPTY = (ast.Constant, ast.Global, ast.Nonlocal, ast.MatchSingleton)
_fields_of: dict[type[ast.AST], tuple[str, ...]] = dict.fromkeys(_EMPTY, ())
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


@dataclass(eq=False, slots=True)
class Function:
    """A function definition.

    kind    kernel: made by `jit`; marked: `frontend.function`; plain: not decorated; other: some other decorator
    outer   the function that it is defined in, if any
    """

    node: FunctionNode
    module: Module
    kind: Kind
    outer: Function | None = None
    jit_call: ast.Call | None = None
    _local: frozenset[str] | None = None
    _own: list[ast.AST] | None = None

    @property
    def name(self) -> str:
        return self.node.name

    @property
    def own(self) -> list[ast.AST]:
        """The nodes of the body, those of nested functions left out."""
        if self._own is None:
            self._own = list(own_nodes(self.node.body))
        return self._own

    @property
    def local(self) -> frozenset[str]:
        """The names that the function binds, parameters aside."""
        if self._local is None:
            elsewhere = (ast.Global, ast.Nonlocal)
            shared = {n for node in self.own if isinstance(node, elsewhere) for n in node.names}
            self._local = frozenset(names_bound(self.own) - shared)
        return self._local

    @property
    def parameters(self) -> list[ast.arg]:
        arguments = self.node.args
        return [*arguments.posonlyargs, *arguments.args]


def collect(module: Module) -> list[Function]:
    """Every function of the module, in the order of the text; methods of classes are left out."""
    found: list[Function] = []
    _collect(module, module.source.tree.body, None, found)
    return found


def _collect(module: Module, body: list[ast.stmt], outer: Function | None, found: list[Function]) -> None:
    for statement in body:
        if isinstance(statement, FunctionNode):
            kind, call = _kind(module, statement)
            function = Function(statement, module, kind, outer, call)
            found.append(function)
            _collect(module, statement.body, function, found)
        elif not isinstance(statement, ast.ClassDef):
            for block in blocks(statement):
                _collect(module, block, outer, found)


def blocks(statement: ast.stmt) -> Iterator[list[ast.stmt]]:
    """The blocks of a compound statement."""
    for name in ("body", "orelse", "finalbody"):
        block = getattr(statement, name, None)
        if isinstance(block, list) and block:
            yield block
    for handler in getattr(statement, "handlers", ()):
        yield handler.body
    for case in getattr(statement, "cases", ()):
        yield case.body


def _kind(module: Module, node: FunctionNode) -> tuple[Kind, ast.Call | None]:
    kind: Kind = "plain"
    for decorator in node.decorator_list:
        call = decorator if isinstance(decorator, ast.Call) else None
        path = module.path_of(decorator.func if isinstance(decorator, ast.Call) else decorator)
        if path in JIT:
            return "kernel", call
        kind = "marked" if path in MARKED else "other"
    return kind, None


def children(node: ast.AST) -> list[ast.AST]:
    """The statements and expressions below a node, in the order of the text; contexts and operators are left out."""
    found: list[ast.AST] = []
    for name in _fields(type(node)):
        value = getattr(node, name, None)
        if value is None:
            continue
        if value.__class__ is not list:
            found.append(value)
        elif None in value:  # `**other` in a dict, keyword-only parameters without default
            found += [entry for entry in value if entry is not None]
        else:
            found += value
    return found


def _fields(kind: type[ast.AST]) -> tuple[str, ...]:
    """The fields of a node that hold nodes; the value of a constant and lists of names are none."""
    if kind not in _fields_of:
        named = () if kind.__name__ == "TypeAlias" else ("name",)
        _fields_of[kind] = tuple(name for name in kind._fields if name not in _BARE and name not in named)
    return _fields_of[kind]


def every_node(root: ast.AST) -> list[ast.AST]:
    """The node and all below it, in no particular order."""
    found = [root]
    for node in found:
        found += children(node)
    return found


def own_nodes(body: Sequence[ast.AST]) -> Iterator[ast.AST]:
    """The nodes of a body, those of nested functions, lambdas and classes left out (their definitions are given)."""
    stack: list[ast.AST] = list(reversed(body))
    while stack:
        node = stack.pop()
        yield node
        if not isinstance(node, SCOPES):
            stack += reversed(children(node))


def called_name(function: ast.expr) -> str:
    """The last part of what is called: `f` of `f(x)` and of `a.b.f(x)`; empty for anything else."""
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def names_stored(body: list[ast.stmt]) -> set[str]:
    """The names that statements bind, whatever binds them."""
    return names_bound(own_nodes(body))


def names_bound(nodes: Iterable[ast.AST]) -> set[str]:
    """The names that some of these nodes bind."""
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Name) and isinstance(node.ctx, (ast.Store, ast.Del)):
            found.add(node.id)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            found |= {(alias.asname or alias.name).partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ExceptHandler) and node.name:
            found.add(node.name)
    return found
