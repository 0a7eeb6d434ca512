"""Following a call into a helper: the helper is walked with the arguments of this call."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from openpto.lint.frames import Frame, frame_of, merge
from openpto.lint.hooks import Followed, tell
from openpto.lint.scopes import Scope, constant
from openpto.lint.values import UNKNOWN, Callable, Const, Tuple, Value

if TYPE_CHECKING:
    from openpto.lint.walk import Walk

MAX_DEPTH = 12


def follow(walk: Walk, node: ast.Call, target: Callable) -> Value:
    """Walk the function that is called; its value is what its return statements have in common."""
    arguments = [walk.evaluate(part) for part in node.args]
    keywords = {keyword.arg: walk.evaluate(keyword.value) for keyword in node.keywords}
    function = target.function
    recursive = any(function is frame.function for frame in _frames(walk.frame)) or walk.depth >= MAX_DEPTH
    generator = function.module.fact("generator", function.node, lambda: any(map(_yields, function.own)))
    strange = recursive or generator or isinstance(function.node, ast.AsyncFunctionDef)
    frame = None if strange else _frame(walk, node, target, arguments, keywords)
    if frame is None:
        for value in (*arguments, *keywords.values()):
            walk.lose(value)
        walk.complete = False
        walk.vec_setters += 1
        walk.cube_setters += 1
        return UNKNOWN
    tell(walk, Followed(node, function))
    if function.kind != "kernel":
        walk.reached.setdefault(function)
    return _walk_body(walk, frame)


def _yields(node: ast.AST) -> bool:
    return isinstance(node, (ast.Yield, ast.YieldFrom))


def _frames(frame: Frame) -> list[Frame]:
    found = [frame]
    while found[-1].caller is not None:
        found.append(found[-1].caller)
    return found


def _walk_body(walk: Walk, frame: Frame) -> Value:
    caller, conditional = walk.frame, walk.conditional
    walk.frame = frame
    walk.depth += 1
    falls_through = walk.block(frame.function.node.body)
    walk.depth -= 1
    walk.frame, walk.conditional = caller, conditional
    values = [*frame.returned, *([Const(None)] if falls_through else [])]
    if not values:
        return UNKNOWN
    found = values[0]
    for value in values[1:]:
        found = merge(found, value)
    return found


def _frame(
    walk: Walk, node: ast.Call, target: Callable, arguments: list[Value], keywords: dict[str | None, Value]
) -> Frame | None:
    """The frame of the call; None if its arguments cannot be told apart."""
    function = target.function
    starred = any(isinstance(part, ast.Starred) for part in node.args) or None in keywords
    names = [parameter.arg for parameter in function.parameters]
    signature = function.node.args
    if starred or (len(arguments) > len(names) and signature.vararg is None):
        return None
    chain = ((function.name, walk.span(node)), *walk.frame.chain)
    frame = frame_of(function, target.scope, chain)
    frame.caller = walk.frame
    values: dict[str, Value] = dict(zip(names, arguments, strict=False))
    known = {*names, *(argument.arg for argument in signature.kwonlyargs)}
    for name, value in keywords.items():
        if name in known and name not in values:
            values[name] = value
        elif signature.kwarg is None:
            return None
        else:
            walk.lose(value)
    for parameter, default in _defaults(signature):
        if parameter.arg not in values:
            values[parameter.arg] = _default(target, default)
    if signature.vararg is not None:
        values[signature.vararg.arg] = Tuple(tuple(arguments[len(names) :]))
    if signature.kwarg is not None:
        values[signature.kwarg.arg] = UNKNOWN
    if known - values.keys():
        return None
    frame.names.update(values)
    return frame


def _defaults(signature: ast.arguments) -> list[tuple[ast.arg, ast.expr]]:
    positional = [*signature.posonlyargs, *signature.args]
    tail = positional[len(positional) - len(signature.defaults) :] if signature.defaults else []
    pairs = list(zip(tail, signature.defaults, strict=True))
    return pairs + [(a, d) for a, d in zip(signature.kwonlyargs, signature.kw_defaults, strict=True) if d is not None]


def _default(target: Callable, node: ast.expr) -> Value:
    return constant(node, target.scope) if isinstance(target.scope, Scope) else UNKNOWN
