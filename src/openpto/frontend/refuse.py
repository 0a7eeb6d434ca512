"""Syntax that a kernel, or a helper reached from one, cannot contain.

Both toolchains refuse it, and it has no meaning for a program that is recorded once and run many times.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from openpto._records import dataclass
from openpto.diagnostics import Site, fail, portability
from openpto.diagnostics.words import EMPTY_RAISE, RAISE_OBJECT, STATEMENTS

from .source import FunctionNode, Source
from .tree import FUNCTIONS, Tree

_STATEMENTS = {getattr(ast, name): (name, text) for name, text in STATEMENTS.items() if hasattr(ast, name)}

_SUSPECTS = frozenset({*_STATEMENTS, ast.Raise, ast.For, ast.While, ast.FunctionDef})
_DEFINITIONS = frozenset(FUNCTIONS)
_RETURNS = frozenset({ast.Return})
_NEWER = frozenset({ast.While, ast.Break, ast.Continue, ast.Raise, ast.AnnAssign, ast.Match})
"""Classes of what only the newer toolchain compiles."""
_NOTED = _NEWER | {ast.Attribute, ast.Starred, ast.Delete, ast.For}
"""These, and those of which it is some."""


@dataclass(frozen=True, slots=True)
class Note:
    """What one of the toolchains refuses in a function; ``everywhere`` if also in a plain helper, which the older one
    runs as ordinary Python."""

    code: str
    site: Site
    fields: Mapping[str, str]
    everywhere: bool = False

    def report(self, kind: str) -> None:
        """Warn, or refuse under a target (see diagnostics)."""
        if self.everywhere or kind != "helper":
            portability(self.code, None, site=self.site, **self.fields)


def refuse_syntax(node: FunctionNode, tree: Tree, source: Source, *, kernel: bool) -> tuple[Note, ...]:
    """Stop at the first construct that is not supported (PTO110 to PTO113); returns what only some refuse."""
    if isinstance(node, ast.AsyncFunctionDef):
        _refuse(source, node, node)
    _refuse_signature(node, source)
    if kernel:
        _refuse_return(node, tree, source)
    for inner in tree.of_kinds(_SUSPECTS, node.body):
        _refuse(source, node, inner)
        if isinstance(inner, ast.FunctionDef):
            _refuse_signature(inner, source)
    return tuple(_notes(node, tree, source))


def _refuse(source: Source, function: FunctionNode, node: ast.AST) -> None:
    known = _STATEMENTS.get(type(node))
    if known is not None:
        fail("PTO110", site=_site(source, function, node), node=known[0], instead=known[1])
    if isinstance(node, ast.Raise) and node.exc is None:
        site = _site(source, function, node)
        fail("PTO110", site=site, node=EMPTY_RAISE, instead=RAISE_OBJECT)
    if isinstance(node, (ast.For, ast.While)) and node.orelse:
        site = _site(source, function, node.orelse[0])
        fail("PTO112", site=site, kind="For" if isinstance(node, ast.For) else "While")


def _site(source: Source, function: FunctionNode, node: ast.AST) -> Site:
    return Site(source.span(node), kernel=function.name)


def _refuse_signature(node: FunctionNode, source: Source) -> None:
    if node.args.vararg is not None:
        span = source.span(node.args.vararg)
        fail("PTO111", site=Site(span, kernel=node.name), name=node.name, argument=node.args.vararg.arg)


def _notes(node: FunctionNode, tree: Tree, source: Source) -> Iterator[Note]:
    for inner in (node, *tree.of_kinds(_DEFINITIONS, node.body)):
        assert isinstance(inner, FUNCTIONS)
        if inner.args.kwarg is not None:
            site = Site(source.span(inner.args.kwarg), kernel=node.name)
            yield Note("PTO665", site, {"name": inner.name, "argument": inner.args.kwarg.arg}, everywhere=True)
    for inner in tree.of_kinds(_DEFINITIONS, node.body):
        if isinstance(inner, ast.FunctionDef):
            for jump in tree.in_function(inner.body):
                if isinstance(jump, ast.Return):
                    yield Note("PTO679", Site(source.span(jump), kernel=node.name), {"name": inner.name})
                    break
    for inner in tree.own(_NOTED, node.body):
        if isinstance(inner, ast.For) and isinstance(inner.iter, (ast.List, ast.Tuple)):
            yield from _written_out(inner, source, node.name)
        name = _newer(inner)
        if name:
            yield Note("PTO671", Site(source.span(inner), kernel=node.name), {"node": name})


def _written_out(loop: ast.For, source: Source, kernel: str) -> Iterator[Note]:
    """A loop over a list in the text that is empty, or whose length is not that of the targets."""
    assert isinstance(loop.iter, (ast.List, ast.Tuple))
    site, count = Site(source.span(loop.iter), kernel=kernel), len(loop.iter.elts)
    names = len(loop.target.elts) if isinstance(loop.target, (ast.List, ast.Tuple)) else 0
    if count == 0:
        yield Note("PTO676", site, {"value": ast.unparse(loop.iter)})
    elif names not in (0, count) and not any(isinstance(e, ast.Starred) for e in loop.iter.elts):
        yield Note("PTO677", site, {"count": str(count), "names": str(names)})


def _newer(node: ast.AST) -> str:
    """The name of a construct that only the newer toolchain compiles, or nothing."""
    if type(node) in _NEWER:
        return type(node).__name__
    if isinstance(node, (ast.Attribute, ast.Starred)) and isinstance(node.ctx, ast.Store):
        return type(node).__name__
    if isinstance(node, ast.Delete) and not all(isinstance(target, ast.Name) for target in node.targets):
        return "Delete"
    return ""


def _refuse_return(node: FunctionNode, tree: Tree, source: Source) -> None:
    for inner in tree.own(_RETURNS, node.body):
        fail("PTO113", site=Site(source.span(inner), kernel=node.name), name=node.name, text=ast.unparse(inner))
