"""Builtin functions of Python, and the methods of symbols."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from openpto.lint import integers
from openpto.lint.hooks import Argument, Call, tell_call
from openpto.lint.integers import Int
from openpto.lint.values import UNKNOWN, Condition, Const, List, Loop, ShapeOf, Tuple, Value, items_of

if TYPE_CHECKING:
    from openpto.lint.walk import Walk

_HARMLESS = frozenset({"print", "isinstance", "str", "repr", "type", "hasattr", "abs", "bool", "float", "round", "id"})
_ITERATORS = frozenset({"enumerate", "zip", "reversed", "map", "filter", "iter", "sorted", "set", "dict", "frozenset"})


def call(walk: Walk, node: ast.Call, name: str) -> Value:
    """The result of a builtin. `range` keeps its bounds; rules see the call as `builtins.<name>`."""
    values = [walk.evaluate(part) for part in node.args]
    values += [walk.evaluate(keyword.value) for keyword in node.keywords]
    arguments = {str(n): Argument(part, value) for n, (part, value) in enumerate(zip(node.args, values, strict=False))}
    plain = not node.keywords and not any(isinstance(part, ast.Starred) for part in node.args)
    tell_call(walk, Call(node, f"builtins.{name}", arguments, plain), operation=False)
    if name == "range":
        return Loop("range", node, tuple(values) if plain else None)
    if name in ("min", "max") and plain:
        return extreme(name, values)
    if name == "len" and plain and len(values) == 1:
        items = items_of(values[0])
        return UNKNOWN if items is None else Int(len(items))
    if name in ("list", "tuple") and plain and len(values) == 1:
        return _copied(walk, name, values[0])
    if name == "int" and plain and len(values) == 1 and isinstance(values[0], Int):
        return values[0]
    if name not in _HARMLESS:
        for value in values:
            walk.lose(value)
        if name not in _ITERATORS:
            walk.complete = walk.complete and name not in ("exec", "eval", "globals", "locals", "setattr", "getattr")
    return UNKNOWN


def _copied(walk: Walk, name: str, value: Value) -> Value:
    items = items_of(value)
    if isinstance(value, ShapeOf):
        return value
    if items is None:
        walk.lose(value)
        return UNKNOWN
    return List(items) if name == "list" else Tuple(items)


def extreme(name: str, values: list[Value]) -> Value:
    """The smaller or larger of integers."""
    if not values or not all(isinstance(value, Int) for value in values):
        return UNKNOWN
    found: Value = values[0]
    for value in values[1:]:
        if isinstance(found, Int) and isinstance(value, Int):
            found = integers.combine(name, found, value) or UNKNOWN
    return found


def symbol_method(owner: Int, name: str, values: list[Value]) -> Value:
    """A method of a symbol: `(n - i).min(8)`."""
    if name in ("min", "max") and len(values) == 1:
        return extreme(name, [owner, values[0]])
    if name in ("is_concrete", "is_symbol", "is_expression", "is_immediate"):
        return Condition(False)
    if name == "as_variable":
        return Const(None)
    return owner if name == "simplify" else UNKNOWN
