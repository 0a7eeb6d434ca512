"""Calls: of the API, of helpers that can be followed, and of everything else."""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterable
from typing import TYPE_CHECKING

from openpto.lint import api, builtins_, settings_calls
from openpto.lint.api import Parameter
from openpto.lint.frames import tensors_in
from openpto.lint.functions import every_node
from openpto.lint.hooks import Argument, Call, Foreign, tell, tell_call
from openpto.lint.inline import follow
from openpto.lint.integers import Int
from openpto.lint.results import result
from openpto.lint.values import UNKNOWN, Callable, List, Method, Name, Tensor, Value

if TYPE_CHECKING:
    from openpto.lint.walk import Walk


def call(walk: Walk, node: ast.Call) -> Value:
    """The result of a call."""
    function = walk.evaluate(node.func)
    if isinstance(function, Name):
        if function.ours:
            return _api_call(walk, node, function.api)
        if function.path.startswith("builtins."):
            return builtins_.call(walk, node, function.path.removeprefix("builtins."))
    if isinstance(function, Callable):
        return follow(walk, node, function)
    if isinstance(function, Method):
        return _method(walk, node, function)
    values = _evaluated(walk, node)
    tensor = next((value for value in values if isinstance(value, Tensor)), None)
    if isinstance(function, Name) and tensor is not None:
        tell(walk, Foreign(node, function.path, tensor))
    for value in values:
        walk.lose(value)
    if not isinstance(function, Name):
        walk.complete = False  # it may write through a closure, or set tiles
        walk.vec_setters += 1
        walk.cube_setters += 1
    return UNKNOWN


def _evaluated(walk: Walk, node: ast.Call) -> list[Value]:
    return [walk.evaluate(part) for part in (*node.args, *(keyword.value for keyword in node.keywords))]


def _api_call(walk: Walk, node: ast.Call, name: str) -> Value:
    operation = api.operation(name)
    if operation is not None and name not in ("min", "max"):
        return _operation(walk, node, operation, None)
    return settings_calls.call(walk, node, name)


def _method(walk: Walk, node: ast.Call, method: Method) -> Value:
    owner = method.owner
    if isinstance(owner, Tensor):
        operation = api.operation(method.name)
        if operation is not None:
            return _operation(walk, node, operation, owner)
        return _tensor_method(walk, node, owner, method.name)
    values = _evaluated(walk, node)
    if isinstance(owner, Int):
        return builtins_.symbol_method(owner, method.name, values)
    if not isinstance(owner, List):
        return UNKNOWN
    if method.name == "append" and len(values) == 1 and not walk.conditional:
        if owner.items is not None and not _in_python_loop(walk, node):
            owner.items = (*owner.items, values[0])
            return UNKNOWN
    for value in (owner, *values):
        walk.lose(value)
    return UNKNOWN


def _in_python_loop(walk: Walk, node: ast.Call) -> bool:
    loops = (ast.For, ast.While)
    return any(
        isinstance(outer, loops) and any(inner is node for inner in every_node(outer))
        for outer in every_node(walk.frame.function.node)
    )


def _tensor_method(walk: Walk, node: ast.Call, owner: Tensor, name: str) -> Value:
    values = _evaluated(walk, node)
    arguments = {
        str(position): Argument(part, value)
        for position, (part, value) in enumerate(zip(node.args, values, strict=False))
    }
    if name == "move" and len(values) == 1:
        source = values[0]
        tell_call(walk, Call(node, "move", {"out": Argument(node, owner), **arguments}, True, True), operation=False)
        walk.read(source, node, "move")
        if owner.kind != "parameter":
            owner.forget()
        owner.mark_written()
        return UNKNOWN
    walk.read(owner, node, name)
    if name not in ("set_cache_policy", "get_cache_policy"):
        owner.mark_written()
    for value in values:
        walk.lose(value)
    return UNKNOWN


def _operation(walk: Walk, node: ast.Call, operation: api.Operation, owner: Tensor | None) -> Value:
    parameters, keywords = operation.parameters, operation.keywords
    if operation.name == "assemble" and owner is not None:
        parameters = tuple(Parameter(name, "positional", True) for name in ("out", "input", "offsets"))
    bound = bind(walk, node, parameters, keywords, owner)
    seen = Call(node, operation.name, bound[0], bound[1], owner is not None)
    tell_call(walk, seen, operation=True)
    writes = operation.writes
    if operation.name == "assemble":
        writes = frozenset({"out"} if "out" in seen.arguments else {"offsets"})
    for name, argument in seen.arguments.items():
        _touch(walk, argument, seen, written=name in writes)
    for value in bound[2]:
        walk.lose(value)
    return result(seen)


def _touch(walk: Walk, argument: Argument, seen: Call, *, written: bool) -> None:
    """An operation reads or writes what an argument holds."""
    if isinstance(argument.value, Tensor):
        if not written:
            walk.read(argument.value, argument.node, seen.name)
        else:
            argument.value.mark_written()
            argument.value.full = argument.value.full and argument.value.kind == "parameter"
            if seen.name != "assemble":
                argument.value.mark_read()
    else:
        for tensor in tensors_in(argument.value):
            walk.read(tensor, argument.node, seen.name)


def bind(
    walk: Walk, node: ast.Call, parameters: Iterable[Parameter], keywords: dict[str, str] | object, owner: Tensor | None
) -> tuple[dict[str, Argument], bool, list[Value]]:
    """Arguments by parameter, whether all of them are known, and values that belong to no parameter."""
    spellings: dict[str, str] = dict(keywords) if isinstance(keywords, dict) else {}
    names = [p.name for p in parameters if p.kind == "positional"]
    stars = next((p.name for p in parameters if p.kind == "stars"), "")
    known = {p.name for p in parameters}
    bound: dict[str, Argument] = {}
    rest: list[Value] = []
    complete = True
    given: list[tuple[ast.expr, Value]] = [] if owner is None else [(_owner_node(node), owner)]
    for part in node.args:
        if isinstance(part, ast.Starred):
            rest.append(walk.evaluate(part.value))
            complete = False
        else:
            given.append((part, walk.evaluate(part)))
    for position, (part, value) in enumerate(given):
        if position < len(names) and complete:
            bound[names[position]] = Argument(part, value)
        elif stars and complete:
            bound[f"{stars}[{position - len(names)}]"] = Argument(part, value)
        else:
            rest.append(value)
    for keyword in node.keywords:
        value = walk.evaluate(keyword.value)
        name = spellings.get(keyword.arg or "", keyword.arg or "")
        if keyword.arg is None:
            complete = False
        if name in known and name not in bound:
            bound[name] = Argument(keyword.value, value)
        else:
            rest.append(value)
    return bound, complete, rest


def _owner_node(node: ast.Call) -> ast.expr:
    return node.func.value if isinstance(node.func, ast.Attribute) else node.func


def near(name: str, known: Iterable[str]) -> str:
    """The known name that a wrong one is most like; empty if none is."""
    return next(iter(difflib.get_close_matches(name, list(known), n=1, cutoff=0.6)), "")
