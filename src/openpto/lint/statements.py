"""Statements of a kernel or helper, in program order."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from openpto.diagnostics import words
from openpto.diagnostics.language import T
from openpto.lint.expressions import binary
from openpto.lint.frames import merge_names, merge_tiles
from openpto.lint.functions import FunctionNode, names_stored, own_nodes
from openpto.lint.hooks import Branch, Dropped, Rebinding, tell
from openpto.lint.integers import Int
from openpto.lint.keys import access
from openpto.lint.loops import for_statement, while_statement
from openpto.lint.values import UNKNOWN, Condition, Const, Gone, ShapeOf, Tensor, Value, items_of, number, shown_dims
from openpto.lint.values import Callable as Known

if TYPE_CHECKING:
    from openpto.lint.walk import Walk


MAX_STEPS = 20_000
"""Statements walked per kernel: helpers that call helpers could multiply without end."""


def block(walk: Walk, body: list[ast.stmt]) -> bool:
    """Walk statements. What follows a conditional jump is reached only sometimes; returns False after a sure one."""
    opened = 0
    falls_through = True
    for statement in body:
        walk.steps += 1
        if walk.steps > MAX_STEPS:
            walk.complete = False
            break
        if not _statement(walk, statement):
            falls_through = False
            break
        if isinstance(statement, (ast.If, ast.For, ast.While)) and _leaves(walk, statement):
            walk.conditional += 1
            opened += 1
    walk.conditional -= opened
    return falls_through


def _leaves(walk: Walk, statement: ast.If | ast.For | ast.While) -> bool:
    return walk.frame.function.module.fact("leaves", statement, lambda: _may_leave(statement))


def _may_leave(statement: ast.If | ast.For | ast.While) -> bool:
    """Whether the statements after this one may be left out. A `raise` is no way through the kernel."""
    jumps = (ast.Return, ast.Break, ast.Continue) if isinstance(statement, ast.If) else (ast.Return,)
    return any(isinstance(node, jumps) for node in own_nodes([statement]))


def _statement(walk: Walk, node: ast.stmt) -> bool:
    handler = _HANDLERS.get(type(node))
    if handler is None:
        walk.complete = False
        walk.lose_names(node)
        for name in names_stored([node]):
            walk.frame.names[name] = UNKNOWN
        return True
    return handler(walk, node) is not False


def _expression(walk: Walk, node: ast.Expr) -> None:
    tell(walk, Dropped(node.value, walk.evaluate(node.value)))


def _assign(walk: Walk, node: ast.Assign) -> None:
    value = walk.evaluate(node.value)
    for target in node.targets:
        bind(walk, target, value, node, node.value)


def _annotated(walk: Walk, node: ast.AnnAssign) -> None:
    if node.value is not None:
        bind(walk, node.target, walk.evaluate(node.value), node, node.value)


def _augmented(walk: Walk, node: ast.AugAssign) -> None:
    load = _as_load(node.target)
    value = binary(walk, node, walk.evaluate(load), walk.evaluate(node.value))
    bind(walk, node.target, value, node, node.value)


def _as_load(target: ast.expr) -> ast.expr:
    if isinstance(target, ast.Name):
        loaded: ast.expr = ast.Name(target.id, ast.Load())
    elif isinstance(target, ast.Subscript):
        loaded = ast.Subscript(target.value, target.slice, ast.Load())
    else:
        assert isinstance(target, ast.Attribute)
        loaded = ast.Attribute(target.value, target.attr, ast.Load())
    return ast.copy_location(loaded, target)


def bind(walk: Walk, target: ast.expr, value: Value, statement: ast.stmt, source: ast.expr | None) -> None:
    """Give a target its value."""
    if isinstance(target, ast.Name):
        before = walk.frame.names.get(target.id)
        if isinstance(before, Tensor) and before.kind == "parameter" and before is not value:
            if any(parameter.arg == target.id for parameter in walk.frame.function.parameters):
                walk.rebound.setdefault(before, Rebinding(target.id, statement, walk.frame))
        walk.frame.names[target.id] = value
        if isinstance(value, Tensor) and not value.name and value.kind != "parameter":
            value.name = target.id
    elif isinstance(target, (ast.Tuple, ast.List)):
        _unpack(walk, target, value, statement)
    elif isinstance(target, ast.Subscript):
        access(walk, target, walk.evaluate(target.value), value, source)
    elif isinstance(target, ast.Starred):
        walk.lose(value)
        bind(walk, target.value, UNKNOWN, statement, source)
    elif isinstance(target, ast.Attribute):
        walk.evaluate(target.value)
        walk.lose(value)


def _unpack(walk: Walk, target: ast.Tuple | ast.List, value: Value, statement: ast.stmt) -> None:
    items = items_of(value)
    if isinstance(value, ShapeOf):
        items = tuple(value.tensor.extent(axis) or UNKNOWN for axis in range(len(target.elts)))
    if isinstance(value, Tensor):
        walk.report("PTO257", statement, shape="[...]" if value.dims is None else shown_dims(value.dims))
    starred = any(isinstance(one, ast.Starred) for one in target.elts)
    known = items is not None and len(items) == len(target.elts) and not starred
    if items is not None and not known and not starred:
        walk.report("PTO155", statement, have=len(items), want=len(target.elts))
    if not known:
        walk.lose(value)
    for position, one in enumerate(target.elts):
        bind(walk, one, items[position] if known and items is not None else UNKNOWN, statement, None)


def _if(walk: Walk, node: ast.If) -> bool:
    test = walk.evaluate(node.test)
    tell(walk, Branch(node, node.test, test))
    taken = _decided(test)
    if taken is not None:
        return walk.block(node.body if taken else node.orelse)
    names, tiles = dict(walk.frame.names), walk.tiles
    walk.conditional += 1
    first = walk.block(node.body)
    names_first, tiles_first = walk.frame.names, walk.tiles
    walk.frame.names, walk.tiles = names, tiles
    second = walk.block(node.orelse)
    walk.conditional -= 1
    if first and second:
        one_sided = (names_first.keys() ^ walk.frame.names.keys()) if is_symbolic_test(test) else set()
        walk.frame.names = merge_names(names_first, walk.frame.names)
        for name in one_sided:
            walk.frame.names[name] = _set_in_one_branch(node, name)
        walk.tiles = merge_tiles(tiles_first, walk.tiles)
    elif first:
        walk.frame.names, walk.tiles = names_first, tiles_first
    return first or second


def is_symbolic_test(test: Value) -> bool:
    """Whether a test is certainly known at run time only."""
    return isinstance(test, (Condition, Int)) and test.symbolic


def _set_in_one_branch(node: ast.If, name: str) -> Value:
    """What a name is after an `if` that sets it on one side only: nothing that could be read."""
    places = [n.lineno for n in own_nodes([node]) if isinstance(n, ast.Name) and n.id == name]
    line = words.line(places[0]) if places else T("one side", "一个分支")
    return Gone("PTO121", (("name", name), ("set", line), ("test", words.line(node.lineno))))


def _decided(test: Value) -> bool | None:
    """The outcome of a test, if it is the same on every run."""
    if isinstance(test, Const):
        return bool(test.value)
    known = number(test)
    return None if known is None else bool(known)


def _with(walk: Walk, node: ast.With) -> bool:
    tiles = walk.tiles
    for entry in node.items:
        value = walk.evaluate(entry.context_expr)
        walk.lose(value)
        if entry.optional_vars is not None:
            bind(walk, entry.optional_vars, UNKNOWN, node, None)
    walk.tiles = replace(tiles, vec=UNKNOWN, cube=UNKNOWN)
    falls_through = walk.block(node.body)
    walk.tiles = tiles
    return falls_through


def _return(walk: Walk, node: ast.Return) -> bool:
    value = Const(None) if node.value is None else walk.evaluate(node.value)
    walk.frame.returned.append(value)
    return False


def _jump(walk: Walk, node: ast.stmt) -> bool:
    return False


def _raise(walk: Walk, node: ast.Raise) -> bool:
    if node.exc is not None:
        walk.evaluate(node.exc)
    return False


def _assert(walk: Walk, node: ast.Assert) -> None:
    tell(walk, Branch(node, node.test, walk.evaluate(node.test)))


def _delete(walk: Walk, node: ast.Delete) -> None:
    for target in node.targets:
        if isinstance(target, ast.Name):
            walk.frame.names[target.id] = UNKNOWN
        else:
            walk.lose_names(target)


def _function(walk: Walk, node: FunctionNode) -> None:
    function = walk.frame.function.module.by_node.get(node)
    known = function is not None and function.kind in ("plain", "marked")
    if not known:
        walk.lose_names(node)
    walk.frame.names[node.name] = Known(function, walk.frame) if known and function is not None else UNKNOWN


def _nothing(walk: Walk, node: ast.stmt) -> None:
    return None


_HANDLERS: dict[type[ast.stmt], Callable[[Walk, Any], bool | None]] = {
    ast.Expr: _expression,
    ast.Assign: _assign,
    ast.AnnAssign: _annotated,
    ast.AugAssign: _augmented,
    ast.If: _if,
    ast.For: for_statement,
    ast.While: while_statement,
    ast.With: _with,
    ast.Return: _return,
    ast.Break: _jump,
    ast.Continue: _jump,
    ast.Raise: _raise,
    ast.Assert: _assert,
    ast.Delete: _delete,
    ast.FunctionDef: _function,
    ast.Pass: _nothing,
}
