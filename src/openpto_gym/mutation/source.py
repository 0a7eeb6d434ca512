"""The text of a kernel file, its tree, and the places of it that mutators may change."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeGuard

PLAIN = (ast.Name, ast.Call, ast.Attribute, ast.Constant, ast.Subscript, ast.List, ast.Tuple)
"""Expressions that need no parentheses wherever they are put."""

TILES = frozenset({"set_vec_tile_shapes", "set_cube_tile_shapes", "set_tiles", "vector_tile", "tile_shape"})
"""Calls and functions about tiles, which never change a result by the contract: nothing in them is changed."""


class Source:
    """A text with its tree; nodes are found again in the text by offsets."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tree = ast.parse(text)
        self._lines = text.splitlines(keepends=True)
        self._starts = [0]
        for line in self._lines:
            self._starts.append(self._starts[-1] + len(line))

    def offset(self, line: int, column: int) -> int:
        """Characters before a place given as a tree has it: line from 1, column in bytes of UTF-8."""
        return self._starts[line - 1] + len(self._lines[line - 1].encode()[:column].decode())

    def span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        """Where the text of a node begins and ends."""
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self.offset(node.lineno, node.col_offset), self.offset(node.end_lineno, node.end_col_offset)

    def of(self, node: ast.expr | ast.stmt) -> str:
        """The text of a node."""
        begin, end = self.span(node)
        return self.text[begin:end]

    def operand(self, node: ast.expr) -> str:
        """The text of an expression, in parentheses where it may need them elsewhere."""
        return self.of(node) if isinstance(node, PLAIN) else f"({self.of(node)})"


@dataclass(frozen=True, slots=True)
class Site:
    """A node that may be changed, inside of a function (empty: a constant of the module) and of other nodes.

    around: the nodes that hold it, the nearest first.
    """

    node: ast.AST
    function: str
    around: tuple[ast.AST, ...]


def sites(source: Source) -> Iterator[Site]:
    """The places of a kernel file in the order of the text.

    Left out are annotations, defaults, decorators, doc strings, tiles, names of loops, and checks of arguments that
    only raise an exception.
    """
    for statement in source.tree.body:
        if isinstance(statement, ast.FunctionDef):
            yield from _in_function(statement, (source.tree,))
        elif isinstance(statement, ast.Assign):
            yield from _below(statement, "", (source.tree,))


def _in_function(function: ast.FunctionDef, around: tuple[ast.AST, ...]) -> Iterator[Site]:
    if function.name in TILES:
        return
    for statement in function.body:
        yield from _below(statement, function.name, (function, *around))


def _below(node: ast.AST, function: str, around: tuple[ast.AST, ...]) -> Iterator[Site]:
    if isinstance(node, ast.FunctionDef):
        yield from _in_function(node, around)
        return
    if _left_out(node):
        return
    yield Site(node, function, around)
    for child in ast.iter_child_nodes(node):
        yield from _below(child, function, (node, *around))


def _left_out(node: ast.AST) -> bool:
    if isinstance(node, ast.Call):
        return called(node) in TILES
    if isinstance(node, ast.keyword):
        return node.arg in ("name", "idx_name", "submit_before_loop", "unroll_list")
    if isinstance(node, ast.If):
        return all(isinstance(statement, ast.Raise) for statement in node.body)
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def called(call: ast.Call) -> str:
    """The last name of what is called: `view` of `pypto.view(...)`."""
    function = call.func
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def is_public(node: ast.AST, *names: str) -> TypeGuard[ast.Call]:
    """Whether a node calls `pypto.<one of the names>`."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id == "pypto"
        and node.func.attr in names
    )


def argument(call: ast.Call, place: int, name: str) -> ast.expr | None:
    """An argument by place or name."""
    if len(call.args) > place:
        return call.args[place]
    return next((keyword.value for keyword in call.keywords if keyword.arg == name), None)


def is_number(node: ast.expr | None) -> bool:
    """Whether an expression is plainly a number: a literal, one with a sign, or a constant of the module."""
    if isinstance(node, ast.UnaryOp):
        return is_number(node.operand)
    if isinstance(node, ast.Constant):
        return isinstance(node.value, (int, float)) and not isinstance(node.value, bool)
    if isinstance(node, ast.Attribute):
        return node.attr.isupper() and not node.attr.startswith("DT_")
    return isinstance(node, ast.Name) and node.id.isupper()
