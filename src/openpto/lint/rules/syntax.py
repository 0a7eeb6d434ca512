"""Statements that kernels and the helpers they call cannot contain (PTO110 to PTO114), or that only some accept."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from openpto.diagnostics.words import EMPTY_RAISE, RAISE_OBJECT, STATEMENTS
from openpto.lint.functions import Function, FunctionNode, own_nodes
from openpto.lint.hooks import on_function
from openpto.lint.judge import Look

REFUSED = {getattr(ast, name): (name, text) for name, text in STATEMENTS.items() if hasattr(ast, name)}

_HARMLESS = frozenset({ast.Name, ast.Constant, ast.Call, ast.BinOp, ast.Expr, ast.keyword, ast.Subscript, ast.Assign})
LOOPS = frozenset({"pypto.loop", "pypto.loop_unroll"})


@on_function
def statements(look: Look, function: Function) -> None:
    """Statements of a kernel, or of a helper that it calls."""
    _signature(look, function.node)
    for node in function.own:
        if type(node) in _HARMLESS:
            continue
        refused = REFUSED.get(type(node))
        if refused is not None:
            look.report("PTO110", node, node=refused[0], instead=refused[1])
        elif isinstance(node, ast.Raise) and node.exc is None:
            look.report("PTO110", node, node=EMPTY_RAISE, instead=RAISE_OBJECT)
        elif isinstance(node, (ast.For, ast.While)) and node.orelse:
            look.report("PTO112", node.orelse[0], kind="For" if isinstance(node, ast.For) else "While")
        elif isinstance(node, ast.Return) and function.kind == "kernel":
            look.report("PTO113", node, name=function.node.name, text=ast.unparse(node))
        elif isinstance(node, ast.With):
            look.report("PTO664", node)
        elif isinstance(node, ast.FunctionDef):
            _signature(look, node)
        if function.kind != "plain":
            _newer(look, node)
        if isinstance(node, ast.For) and _is_loop(look, node):
            _jumps(look, node)


def _signature(look: Look, node: FunctionNode) -> None:
    """PTO111 and PTO665; the kernel itself has rules of its own."""
    kernel = look.module.by_node.get(node)
    if kernel is not None and kernel.kind == "kernel":
        return
    if node.args.vararg is not None:
        look.report("PTO111", node.args.vararg, name=node.name, argument=node.args.vararg.arg)
    if node.args.kwarg is not None:
        look.report("PTO665", node.args.kwarg, name=node.name, argument=node.args.kwarg.arg)


def _newer(look: Look, node: ast.AST) -> None:
    """PTO671: what only the newer front end compiles, in kernels and marked helpers."""
    name = ""
    fix = None
    if isinstance(node, (ast.While, ast.Break, ast.Continue, ast.Raise, ast.Match)):
        name = type(node).__name__
    elif isinstance(node, ast.AnnAssign):
        name, fix = "AnnAssign", look.fix("drop-annotation", node)
    elif isinstance(node, (ast.Attribute, ast.Starred)) and isinstance(node.ctx, ast.Store):
        name = type(node).__name__
    elif isinstance(node, ast.Delete) and not all(isinstance(target, ast.Name) for target in node.targets):
        name = "Delete"
    if name:
        look.report("PTO671", node, fix=fix, node=name)


def _is_loop(look: Look, node: ast.For) -> bool:
    return isinstance(node.iter, ast.Call) and look.path_of(node.iter.func) in LOOPS


def _jumps(look: Look, loop: ast.For) -> None:
    """PTO114: jumps that leave a run-time loop or its iteration."""
    for node in own_jumps(loop.body):
        name = type(node).__name__
        look.report("PTO114", node, jump=name.lower(), statement=name)


def own_jumps(body: list[ast.stmt]) -> Iterator[ast.AST]:
    """Jumps that belong to the loop around a body, not to one inside of it; `return` belongs to all of them."""
    for node in body:
        if isinstance(node, (ast.Break, ast.Continue, ast.Return)):
            yield node
        elif isinstance(node, (ast.For, ast.While)):
            yield from (inner for inner in own_nodes(node.body) if isinstance(inner, ast.Return))
        elif isinstance(node, (ast.If, ast.With, ast.Try)):
            for name in ("body", "orelse", "finalbody"):
                yield from own_jumps(getattr(node, name, []))
