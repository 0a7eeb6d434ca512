"""Calls of the API that are no operations: loops, conditions, tile shapes, declarations of tensors, options."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from openpto.lint import integers
from openpto.lint.builtins_ import extreme
from openpto.lint.frames import keyword
from openpto.lint.hooks import Argument, Call, tell_call
from openpto.lint.integers import Int
from openpto.lint.scopes import SYMBOL_MAKERS, symbol
from openpto.lint.values import UNKNOWN, Condition, Const, Dim, Loop, Name, Tensor, TensorKind, Value, items_of

if TYPE_CHECKING:
    from openpto.lint.walk import Walk

_READING = frozenset({"pass_verify_print", "pass_verify_save"})


def call(walk: Walk, node: ast.Call, name: str) -> Value:
    """The result of a call of the API that is no operation."""
    values = [walk.evaluate(part.value if isinstance(part, ast.Starred) else part) for part in node.args]
    named = {entry.arg or "": Argument(entry.value, walk.evaluate(entry.value)) for entry in node.keywords}
    arguments = {str(n): Argument(part, value) for n, (part, value) in enumerate(zip(node.args, values, strict=True))}
    plain = not any(isinstance(part, ast.Starred) for part in node.args) and "" not in named
    seen = Call(node, name, arguments | named, plain)
    tell_call(walk, seen, operation=False)
    if name in ("loop", "loop_unroll"):
        parallel = named.get("parallel")
        sure = parallel is not None and parallel.value == Const(True)
        return Loop("loop" if name == "loop" else "loop_unroll", node, tuple(values) if plain else None, sure)
    if name == "set_vec_tile_shapes":
        _set_vector_tile(walk, seen, values)
    elif name == "set_cube_tile_shapes":
        _set_cube_tile(walk, seen)
    elif name in ("Tensor", "tensor"):
        return declared(node, values, named)
    elif name in ("min", "max") and len(values) == 2:
        return extreme(name, values)
    elif name == "ceildiv" and len(values) == 2:
        return _ceiling(values[0], values[1])
    elif name == "cond" and values:
        return values[0]
    elif name in ("is_loop_begin", "is_loop_end"):
        symbolic = bool(values) and isinstance(values[0], Int) and values[0].symbolic
        return Condition(symbolic)
    elif name in SYMBOL_MAKERS:
        return symbol(values)
    else:
        _other(walk, name, [*values, *(argument.value for argument in named.values())])
    return UNKNOWN


def _set_vector_tile(walk: Walk, seen: Call, values: list[Value]) -> None:
    walk.vec_setters += 1
    walk.tile_values |= {id(argument.node): argument.value for argument in seen.arguments.values()}
    tile = tuple(values) if seen.complete and not any(isinstance(v, Tensor) for v in values) else UNKNOWN
    walk.tiles = replace(walk.tiles, vec=tile or UNKNOWN, vec_node=seen.node)


def _set_cube_tile(walk: Walk, seen: Call) -> None:
    walk.cube_setters += 1
    parts = cube_parts(seen)
    walk.tiles = replace(walk.tiles, cube=UNKNOWN if parts is None else parts, cube_node=seen.node)


def cube_parts(seen: Call) -> tuple[Value, ...] | None:
    """The values of m, k and n; None if one of them is not given in a known way."""
    if not seen.complete:
        return None
    found = []
    for position, name in enumerate("mkn"):
        argument = seen.arguments.get(name) or seen.arguments.get(str(position))
        if argument is None:
            return None
        found.append(argument.value)
    return tuple(found)


def declared(node: ast.Call, values: list[Value], named: dict[str, Argument]) -> Tensor:
    """A tensor declared inside of a kernel: it has no contents yet."""
    shape = named["shape"].value if "shape" in named else values[0] if values else UNKNOWN
    dtype = named["dtype"].value if "dtype" in named else values[1] if len(values) > 1 else Name("pypto.DT_FP32")
    entries = items_of(shape)
    dims: tuple[Dim, ...] | None = None
    if entries:
        dims = tuple(entry if isinstance(entry, Int) else None for entry in entries)
        if any(dim is not None and dim.value is not None and dim.value < 0 for dim in dims):
            dims = None
    name = named["name"].value if "name" in named else values[2] if len(values) > 2 else UNKNOWN
    shown = name.value if isinstance(name, Const) and isinstance(name.value, str) else ""
    known = dtype.api if isinstance(dtype, Name) and dtype.api.startswith("DT_") else None
    kind: TensorKind = "declared" if dims is not None and keyword(node, "data_ptr") is None else "result"
    return Tensor(kind, shown, dims, False, known, node, full=kind == "declared", written=kind == "result")


def _ceiling(a: Value, b: Value) -> Value:
    if not (isinstance(a, Int) and isinstance(b, Int)):
        return UNKNOWN
    return integers.combine("//", integers.add(integers.add(a, b), Int(-1)), b) or UNKNOWN


def _other(walk: Walk, name: str, values: list[Value]) -> None:
    """Options and the rest: what may change tiles, and what may read or write tensors."""
    if name.startswith(("set_options", "options", "reset_options")):
        walk.vec_setters += 1
        walk.cube_setters += 1
        walk.tiles = replace(walk.tiles, vec=UNKNOWN, cube=UNKNOWN)
    for value in values:
        if isinstance(value, Tensor) and name in _READING:
            value.mark_read()
        else:
            walk.lose(value)
