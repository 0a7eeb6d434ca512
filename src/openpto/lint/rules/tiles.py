"""Tile shapes: arguments of the setters (PTO281 to PTO289), missing and unsuitable tiles (PTO301 to PTO303, PTO320)."""

from __future__ import annotations

import ast

from openpto.lint import api
from openpto.lint.findings import Fix
from openpto.lint.hooks import Binary, Call, KernelEnd, on, on_call, on_operation
from openpto.lint.integers import Int
from openpto.lint.settings_calls import cube_parts
from openpto.lint.values import Const, List, Tensor, Tuple, items_of, number
from openpto.lint.walk import Walk

_KINDS: dict[type, str] = {List: "list", Tuple: "tuple", Tensor: "Tensor"}
CUBE_KEYWORDS = frozenset({"m", "k", "n", "enable_split_k"})
MAX_RANK = 4
"""Axes that a tensor of an operation may have; more of them are another mistake."""
OLDER = frozenset({"enable_multi_data_load", "set_enable"})


@on_call("set_vec_tile_shapes")
def vector_arguments(walk: Walk, call: Call) -> None:
    """PTO285 (not an int), PTO286 (a symbol)."""
    for part in call.node.args:
        if isinstance(part, ast.Starred):
            return
        value = next((a.value for a in call.arguments.values() if a.node is part), None)
        single = len(call.node.args) == 1 and isinstance(part, (ast.List, ast.Tuple))
        fix = walk.fix("unwrap-list", call.node) if single else None
        _entry(walk, part, value, "set_vec_tile_shapes", "vec_tile_shapes", fix)


def _entry(walk: Walk, node: ast.expr, value: object, call: str, key: str, fix: Fix | None = None) -> None:
    if isinstance(value, Int) and value.symbolic:
        walk.report("PTO286", node, call=call, value=value.label)
    got = _KINDS.get(type(value), "")
    if isinstance(value, Const) and not isinstance(value.value, bool):
        got = type(value.value).__name__
    if got:
        walk.report("PTO285", node, fix=fix, call=call, key=key, got=got)


@on_call("set_cube_tile_shapes")
def cube_arguments(walk: Walk, call: Call) -> None:
    """PTO281 (keyword), PTO289 (older argument), PTO287 and PTO288 (lists), PTO285 and PTO286 (entries)."""
    for entry in call.node.keywords:
        if entry.arg in OLDER:
            walk.report("PTO289", entry, name=entry.arg)
        elif entry.arg is not None and entry.arg not in CUBE_KEYWORDS:
            walk.report("PTO281", entry, call="set_cube_tile_shapes", key=entry.arg, near="enable_split_k")
    parts = cube_parts(call)
    for position, name in enumerate("mkn"):
        argument = call.arguments.get(name) or call.arguments.get(str(position))
        if parts is None or argument is None:
            continue
        wanted = "2 or 3" if name == "k" else "exactly 2"  # words of the toolchain
        items = items_of(argument.value)
        if isinstance(argument.value, (Int, Const)):
            got = "int" if isinstance(argument.value, Int) else type(argument.value.value).__name__
            walk.report("PTO288", argument.node, name=name, wanted=wanted, got=got)
        elif items is not None and len(items) not in ((2, 3) if name == "k" else (2,)):
            walk.report("PTO287", argument.node, name=name, wanted=wanted, got=len(items))
        for item in items or ():
            _entry(walk, argument.node, item, "set_cube_tile_shapes", "cube_tile_shapes")


@on_operation
def vector_tile(walk: Walk, call: Call) -> None:
    """PTO302 (not positive) and PTO303 (fewer values than axes) where an operation meets the tile."""
    operation = api.operation(call.name)
    if operation is not None and operation.core == "vector" and operation.pointwise:
        _vector_tile(walk, call.node, call.name, _tensors(call))


@on(Binary)
def vector_tile_of_operator(walk: Walk, seen: Binary) -> None:
    """The same for `a + b`."""
    operation = api.operation(seen.name)
    if operation is not None and operation.pointwise:
        _vector_tile(walk, seen.node, seen.name, [v for v in (seen.left, seen.right) if isinstance(v, Tensor)])


def _vector_tile(walk: Walk, node: ast.AST, op: str, tensors: list[Tensor]) -> None:
    tile = walk.tiles.vec
    if not isinstance(tile, tuple) or not all(isinstance(value, Int) for value in tile):
        return
    numbers = [number(value) for value in tile]
    shown = ", ".join("?" if n is None else str(n) for n in numbers)
    ranks = [t.rank for t in tensors if t.rank is not None]
    if any(n is not None and n <= 0 for n in numbers):
        suggest = ", ".join(str(max(n or 16, 16)) for n in numbers)
        walk.report("PTO302", node, tile=shown, op=op, suggest=suggest)
    elif ranks and MAX_RANK >= max(ranks) > len(tile):
        rank = max(ranks)
        suggest = ", ".join([*("?" if n is None else str(n) for n in numbers), *["16"] * (rank - len(tile))])
        walk.report("PTO303", node, tile=shown, have=len(tile), rank=rank, op=op, suggest=suggest)


def _tensors(call: Call) -> list[Tensor]:
    return [argument.value for argument in call.arguments.values() if isinstance(argument.value, Tensor)]


@on_operation
def note_first(walk: Walk, call: Call) -> None:
    """Remember the first operations that need a tile, for `missing_tiles`."""
    operation = api.operation(call.name)
    if operation is None or "." in call.name or call.name == "conv":
        return
    if operation.core in ("vector", "cube"):
        walk.first_use.setdefault(operation.core, (call.node, call.name, walk.frame, _rank(_tensors(call))))


@on(Binary)
def note_first_operator(walk: Walk, seen: Binary) -> None:
    """The same for `a + b`."""
    tensors = [value for value in (seen.left, seen.right) if isinstance(value, Tensor)]
    core = "cube" if seen.name == "matmul" else "vector"
    walk.first_use.setdefault(core, (seen.node, seen.name, walk.frame, _rank(tensors)))


def _rank(tensors: list[Tensor]) -> int | None:
    return max((tensor.rank for tensor in tensors if tensor.rank is not None), default=None)


@on(KernelEnd)
def missing_tiles(walk: Walk, end: KernelEnd) -> None:
    """PTO301 and PTO320: no tile is set on any way through the kernel, nor by the file outside of it."""
    if not end.complete:
        return
    text = walk.kernel.module.source.text
    elsewhere = any(word in text for word in ("vec_tile_shapes=", "cube_tile_shapes=", "set_options", "pypto.options"))
    for core, setters, setter in (
        ("vector", walk.vec_setters, "set_vec_tile_shapes"),
        ("cube", walk.cube_setters, "set_cube_tile_shapes"),
    ):
        if core not in walk.first_use or setters or elsewhere or setter in text:
            continue
        node, name, frame, rank = walk.first_use[core]
        before, walk.frame = walk.frame, frame
        if core == "cube":
            suggest = "[64, 64], [64, 64], [64, 64]"
            walk.report(
                "PTO320", node, op=name, suggest=suggest, kL0=0, kL1a=0, kL1b=0, mL0=0, mL1=0, nL0=0, nL1=0
            )  # fmt: skip
        elif rank is not None:
            names = ["<rows>", "<cols>"] if rank == 2 else [f"<axis {axis}>" for axis in range(rank)]
            walk.report("PTO301", node, op=name, rank=rank, suggest=", ".join(names))
        walk.frame = before
