"""Simpler expressions: an operand in the place of an operation, fewer arguments, smaller numbers."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import Any

from openpto.verify.shrinking.program import Program


def simpler(program: Program, keeps: Callable[[Program], bool]) -> Program:
    """Expressions of the kernel's file simpler, one after another, larger ones first."""
    number = 0
    while number < sum(1 for _ in _places(program.tree)):
        kept = next((tried for tried in _simpler_at(program, number) if keeps(tried)), None)
        if kept is None:
            number += 1
        else:
            program = kept
    return program


def _simpler_at(program: Program, number: int) -> Iterator[Program]:
    """The ways to make one expression simpler."""
    for choice in range(_choices(_expression(program.tree, number))):
        changed, tree = program.edited()
        parent, name, at = _at(tree, number)
        old = getattr(parent, name) if at is None else getattr(parent, name)[at]
        new = _choice(old, choice)
        if at is None:
            setattr(parent, name, new)
        else:
            getattr(parent, name)[at] = new
        ast.fix_missing_locations(tree)
        yield changed


def _places(tree: ast.Module) -> Iterator[tuple[ast.AST, str, int | None]]:
    """(parent, field, position) of every expression that may be simplified: those of bodies, not of headers."""
    roots: list[ast.AST] = [node for node in tree.body if isinstance(node, (ast.FunctionDef, ast.Assign))]
    for root in roots:
        parts = root.body if isinstance(root, ast.FunctionDef) else [root]
        waiting: list[ast.AST] = list(parts)
        while waiting:
            node = waiting.pop(0)
            for name, value in ast.iter_fields(node):
                if isinstance(value, ast.expr) and _choices(value) and not _is_target(node, name):
                    yield node, name, None
                if isinstance(value, list):
                    for at, item in enumerate(value):
                        if isinstance(item, ast.expr) and _choices(item) and not _is_target(node, name):
                            yield node, name, at
            waiting += ast.iter_child_nodes(node)


def _is_target(node: ast.AST, name: str) -> bool:
    return name in ("targets", "target", "func") or (isinstance(node, ast.Attribute) and name == "value")


def _at(tree: ast.Module, number: int) -> tuple[ast.AST, str, int | None]:
    for at, place in enumerate(_places(tree)):
        if at == number:
            return place
    raise LookupError(number)


def _expression(tree: ast.Module, number: int) -> ast.expr:
    parent, name, at = _at(tree, number)
    found: Any = getattr(parent, name)
    expression: ast.expr = found if at is None else found[at]
    return expression


def _alternatives(node: ast.expr) -> list[Callable[[ast.expr], ast.expr]]:
    """Ways to make an expression simpler; each takes a copy of it."""
    found: list[Callable[[ast.expr], ast.expr]] = []
    if isinstance(node, ast.BinOp):
        found += [lambda n: n.left, lambda n: n.right]  # type: ignore[attr-defined]
    elif isinstance(node, ast.UnaryOp):
        found += [lambda n: n.operand]  # type: ignore[attr-defined]
    elif isinstance(node, ast.IfExp):
        found += [lambda n: n.body, lambda n: n.orelse]  # type: ignore[attr-defined]
    elif isinstance(node, ast.BoolOp):
        found += [lambda n: n.values[0], lambda n: n.values[-1]]  # type: ignore[attr-defined]
    elif isinstance(node, ast.Subscript):
        found += [lambda n: n.value]  # type: ignore[attr-defined]
    elif isinstance(node, ast.Call):
        found += [_argument(at) for at in range(len(node.args))]
        if isinstance(node.func, ast.Attribute) and not _is_module(node.func.value):
            found += [lambda n: n.func.value]  # type: ignore[attr-defined]
        found += [_without_keyword(at) for at in range(len(node.keywords))]
        found += [_without_last(at) for at in range(1, len(node.args))]
    return found


def _is_module(node: ast.expr) -> bool:
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name) and node.id in ("pypto", "np", "math")


def _choices(node: ast.expr) -> int:
    return len(_alternatives(node))


def _choice(node: ast.expr, number: int) -> ast.expr:
    return _alternatives(node)[number](node)


def _argument(at: int) -> Callable[[Any], ast.expr]:
    return lambda node: node.args[at]


def _without_keyword(at: int) -> Callable[[Any], ast.expr]:
    return lambda node: ast.Call(node.func, node.args, [k for i, k in enumerate(node.keywords) if i != at])


def _without_last(count: int) -> Callable[[Any], ast.expr]:
    return lambda node: ast.Call(node.func, node.args[:-count], node.keywords)


def numbers(program: Program) -> list[int]:
    """The whole numbers above 1 of the file, large ones first."""
    found = {
        node.value
        for node in ast.walk(program.tree)
        if isinstance(node, ast.Constant) and type(node.value) is int and node.value > 1
    }
    return sorted(found, reverse=True)


def with_number(program: Program, old: int, new: int, only: int | None = None) -> Program:
    """Another number in the place of one, everywhere or in one place only."""
    changed, tree = program.edited()
    seen = 0
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and type(node.value) is int and node.value == old:
            if only is None or only == seen:
                node.value = new
            seen += 1
    return changed


def places_of(program: Program, number: int) -> int:
    """How often a whole number stands in the file."""
    return sum(
        isinstance(n, ast.Constant) and type(n.value) is int and n.value == number for n in ast.walk(program.tree)
    )
