"""Tile shapes: arguments of the setters (PTO281 to PTO289), missing and unsuitable tiles (PTO301 to PTO305, PTO32x)."""

from __future__ import annotations

import ast

from openpto.device import CHIPS, CubeUse, cube_demands
from openpto.device.capacity import SUM_BYTES
from openpto.lint import api
from openpto.lint.findings import Fix
from openpto.lint.hooks import Binary, Call, KernelEnd, on, on_call, on_operation
from openpto.lint.integers import Int
from openpto.lint.settings_calls import cube_parts
from openpto.lint.values import Const, List, Tensor, Tuple, items_of, number, numbers_of
from openpto.lint.walk import Walk

_KINDS: dict[type, str] = {List: "list", Tuple: "tuple", Tensor: "Tensor"}
CUBE_KEYWORDS = frozenset({"m", "k", "n", "enable_split_k"})
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
        wanted = "2 or 3" if name == "k" else "exactly 2"
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
    tile = walk.tiles.vec
    if operation is None or operation.core != "vector" or not operation.pointwise or not isinstance(tile, tuple):
        return
    numbers = [number(value) for value in tile]
    shown = ", ".join("?" if n is None else str(n) for n in numbers)
    ranks = [t.rank for t in _tensors(call) if t.rank is not None]
    if any(n is not None and n <= 0 for n in numbers):
        suggest = ", ".join(str(max(n or 16, 16)) for n in numbers)
        walk.report("PTO302", call.node, tile=shown, op=call.name, suggest=suggest)
    elif ranks and max(ranks) > len(tile):
        rank = max(ranks)
        suggest = ", ".join([*("?" if n is None else str(n) for n in numbers), *["16"] * (rank - len(tile))])
        walk.report("PTO303", call.node, tile=shown, have=len(tile), rank=rank, op=call.name, suggest=suggest)


def _tensors(call: Call) -> list[Tensor]:
    return [argument.value for argument in call.arguments.values() if isinstance(argument.value, Tensor)]


@on_call("matmul")
def cube_tile(walk: Walk, call: Call) -> None:
    """PTO321 (L1 and L0), PTO322 (multiples of 16), PTO324 (L0C) of the cube tile in force."""
    parts = walk.tiles.cube
    axes = [numbers_of(part) for part in parts] if isinstance(parts, tuple) else []
    if len(axes) != 3 or any(axis is None for axis in axes):
        return
    m, k, n = (axis for axis in axes if axis is not None)
    if len(m) != 2 or len(n) != 2 or len(k) not in (2, 3) or min(*m, *k, *n) <= 0:
        return
    pairs = [("mL0", "mL1", m[0], m[1]), ("nL0", "nL1", n[0], n[1]), ("kL0", "kL1a", k[0], k[1])]
    if len(k) == 3:
        pairs.append(("kL0", "kL1b", k[0], k[2]))
    for inner_name, outer_name, inner, outer in pairs:
        if inner > outer or outer % inner:
            named = {axis: list(values) for axis, values in (("m", m), ("k", k), ("n", n))}
            suggest = _suggested(named, inner_name[0], inner, outer)
            walk.report(
                "PTO321", call.node, inner_name=inner_name, outer_name=outer_name, inner=inner, outer=outer,
                op="matmul", suggest=suggest,
            )  # fmt: skip
            return
    if k[0] % 16 or n[0] % 16:
        aligned = {"m": list(m), "k": [_up(v) for v in k], "n": [_up(v) for v in n]}
        walk.report("PTO322", call.node, kL0=k[0], nL0=n[0], op="matmul", suggest=_shown(aligned))
        return
    _output_memory(walk, call, m, k, n)


def _output_memory(walk: Walk, call: Call, m: list[int], k: list[int], n: list[int]) -> None:
    """L0C holds mL0 x nL0 elements of four bytes; without a chip the largest one counts."""
    chip = CHIPS.get(walk.judge.selection.chip or "") or max(CHIPS.values(), key=lambda chip: chip.l0c)
    use = CubeUse(m, [k[0], k[1], k[-1]], n, SUM_BYTES, SUM_BYTES)
    demand = dict(cube_demands(use))["l0c"]
    if demand.need > chip.l0c:
        formula = demand.formula(chip.l0c, chip.name)
        smaller = {"m": [m[0] // 2, m[1]], "k": list(k), "n": [n[0] // 2, n[1]]}
        tile = _shown({"m": m, "k": k, "n": n})
        walk.report(
            "PTO324", call.node, memory="L0C", tile=tile, op="matmul", formula=formula, suggest=_shown(smaller)
        )  # fmt: skip


def _up(value: int) -> int:
    return -(-value // 16) * 16


def _suggested(axes: dict[str, list[int]], axis: str, inner: int, outer: int) -> str:
    axes[axis] = [inner, *[max(outer // inner, 1) * inner] * (len(axes[axis]) - 1)]
    return _shown(axes)


def _shown(axes: dict[str, list[int]]) -> str:
    return ", ".join(str(list(axes[axis])) for axis in "mkn")


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
