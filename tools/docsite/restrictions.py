"""What an operation can be refused for: the codes that its recording function reaches, with the reasons given there.

The functions of the room `ops` are read, not run: from the one that records the operation along every function that it
names. Parts of a reason that are only known in a call are shown as dots.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from types import FunctionType, ModuleType
from typing import Any

from openpto.diagnostics import RULES, T
from openpto.ops.registry import OpDecl

ROOM = "openpto.ops"
TELLING = {"fail", "portability", "warn", "fault"}
OURS = "PTO9"
"""Codes of what is not available and of our own mistakes, which no author can do anything about."""


@dataclass(frozen=True, slots=True)
class Restriction:
    """A code with the reasons that are given for it; none if the rule says all itself."""

    code: str
    reasons: tuple[T, ...] = ()


def restrictions(decl: OpDecl) -> list[Restriction]:
    """What the operation can be refused for or warned of, by code."""
    found: dict[str, dict[T, None]] = {}
    for function in _reached(decl.record) if decl.record is not None else ():
        for code, reasons in _told(function):
            if code in RULES and not code.startswith(OURS):
                found.setdefault(code, {}).update(dict.fromkeys(reasons))
    return [Restriction(code, tuple(reasons)) for code, reasons in sorted(found.items())]


def _reached(function: Any) -> Iterator[FunctionType]:
    """The function and all that it names, as long as they are functions of the room."""
    waiting, seen = [inspect.unwrap(function)], set()
    while waiting:
        function = waiting.pop()
        if function in seen:
            continue
        seen.add(function)
        yield function
        waiting += _named(function)


@cache
def _named(function: FunctionType) -> tuple[FunctionType, ...]:
    closure = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    known = function.__globals__ | {name: cell.cell_contents for name, cell in closure}
    found = []
    for node in ast.walk(_tree(function)):
        value: object = None
        if isinstance(node, ast.Name):
            value = known.get(node.id)
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            module = known.get(node.value.id)
            value = getattr(module, node.attr, None) if isinstance(module, ModuleType) else None
        if isinstance(value, FunctionType) and value.__module__.startswith(ROOM):
            found.append(inspect.unwrap(value))
    return tuple(found)


@cache
def _told(function: FunctionType) -> tuple[tuple[str, tuple[T, ...]], ...]:
    """Codes and reasons of the calls in a function that refuse or warn."""
    tree = _tree(function)
    kept: dict[str, list[T]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and (text := _text(node.value)) is not None:
            for target in node.targets:
                if isinstance(target, ast.Name):
                    kept.setdefault(target.id, []).append(text)
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in TELLING and node.args:
            code = node.args[0]
            if isinstance(code, ast.Constant) and isinstance(code.value, str):
                reasons: list[T] = []
                for keyword in node.keywords:
                    if (text := _text(keyword.value)) is not None:
                        reasons.append(text)
                    elif isinstance(keyword.value, ast.Name):
                        reasons += kept.get(keyword.value.id, [])
                found.append((code.value, tuple(reasons)))
    return tuple(found)


def _text(node: ast.expr) -> T | None:
    """The text that `T(...)` makes, with dots for what is filled in."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "T"):
        return None
    parts = [_shown(part) for part in node.args]
    return None if len(parts) != 2 or None in parts else T(str(parts[0]), str(parts[1]))


def _shown(node: ast.expr) -> str | None:
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else "…" for part in node.values)
    return None


@cache
def _tree(function: FunctionType) -> ast.AST:
    return ast.parse(textwrap.dedent(inspect.getsource(function)))
