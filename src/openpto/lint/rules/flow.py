"""How values go through a kernel: dropped results (PTO775), unrolled loops (PTO181, PTO182), what only some refuse
(PTO534, PTO611, PTO651), torch and numpy on tensors (PTO165), what fails at launch (PTO620, PTO621, PTO624)."""

from __future__ import annotations

import ast

from openpto.diagnostics.language import T
from openpto.lint import api
from openpto.lint.functions import called_name
from openpto.lint.hooks import Access, Binary, Call, Dropped, Followed, Foreign, KernelEnd, on, on_operation
from openpto.lint.keys import spread
from openpto.lint.values import UNKNOWN, Tensor, number
from openpto.lint.walk import Walk

RANK, PADDING = 4, 32
"""Tiles that are longer than an axis were seen to fail with tensors of so many axes; the last axis is padded to so many
elements."""
WARN_OPERATIONS, STOP_OPERATIONS = 20_000, 200_000


@on(Dropped)
def dropped(walk: Walk, seen: Dropped) -> None:
    """PTO775: the result of an operation is not used."""
    value = seen.value
    if not isinstance(value, Tensor) or value.kind not in ("result", "window") or value.node is not seen.node:
        return
    if value.choices or not isinstance(seen.node, ast.Call):
        return
    function = seen.node.func
    operation = api.operation(walk.frame.function.module.path_of(function).removeprefix("pypto."))
    if operation is not None and operation.core == "none":
        return
    walk.report("PTO775", seen.node, op=called_name(function) or "the operation")


@on(Followed)
def kernels_in_kernels(walk: Walk, seen: Followed) -> None:
    """PTO534: a kernel calls a kernel."""
    if seen.function.kind == "kernel":
        walk.report("PTO534", seen.node, name=seen.function.name)


@on(Foreign)
def foreign(walk: Walk, seen: Foreign) -> None:
    """PTO165: torch and numpy compute on arrays of their own."""
    if seen.path.partition(".")[0] not in ("torch", "numpy"):
        return
    name = seen.path.rpartition(".")[2]
    instead = T("use operations of pypto", "请使用 pypto 的操作")
    if name in (api.members("") or ()):
        instead = T(f"use pypto.{name}", f"请使用 pypto.{name}")
    tensor = seen.tensor.name or T("a tensor", "张量")
    walk.report("PTO165", seen.node, name=seen.path, tensor=tensor, instead=instead)


@on_operation
def unrolled(walk: Walk, call: Call) -> None:
    """PTO181 and PTO182: operations under Python loops are recorded once per iteration."""
    count = 1
    for rounds in walk.unrolled:
        count *= rounds
    walk.recorded += count
    for code, limit in (("PTO182", STOP_OPERATIONS), ("PTO181", WARN_OPERATIONS)):
        if walk.recorded > limit and walk.conditional == 0:
            if "unrolled" not in walk.told:
                walk.told.add("unrolled")
                walk.report(code, call.node, count=limit)
            return


@on(Access)
def scalars(walk: Walk, seen: Access) -> None:
    """PTO256 and PTO651: elements that are read as scalars."""
    entries = spread(seen)
    if seen.value is not None or not entries or any(pick is None or pick.is_slice for pick in entries):
        return
    dtype = seen.tensor.dtype
    if dtype is None:
        return
    if not dtype.startswith(("DT_INT", "DT_UINT")):
        shown = walk.frame.function.module.source.segment(seen.node)
        walk.report("PTO256", seen.node, access=shown, dtype=dtype)
    elif dtype != "DT_INT32":
        walk.report("PTO651", seen.node, dtype=dtype)


@on(Access)
def parts(walk: Walk, seen: Access) -> None:
    """PTO611: part of a tensor is read and part of it written in one statement."""
    if seen.value_node is None or seen.picks is None or all(pick.is_whole for pick in seen.picks):
        return
    if all(not pick.is_slice for pick in seen.picks) or not isinstance(seen.node.value, ast.Name):
        return
    name = seen.node.value.id
    for node in ast.walk(seen.value_node):
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id == name:
            keys = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
            if any(isinstance(key, ast.Slice) and (key.lower or key.upper) for key in keys):
                walk.report("PTO611", seen.node, name=name)
                return


@on_operation
def note_tile(walk: Walk, call: Call) -> None:
    """Remember the shapes that operations have under a tile, for `large_tiles`."""
    setter, tile = walk.tiles.vec_node, walk.tiles.vec
    operation = api.operation(call.name)
    if setter is None or operation is None or operation.core != "vector" or not isinstance(tile, tuple):
        return
    met = walk.extents.setdefault(setter, [])
    for argument in call.arguments.values():
        if isinstance(argument.value, Tensor):
            note_shape(walk, setter, argument.value, call.name)
    if not operation.pointwise:
        met.append(("", None))  # other operations make shapes that are not looked at here


@on(Binary)
def note_operator(walk: Walk, seen: Binary) -> None:
    """The same for `a + b`."""
    setter = walk.tiles.vec_node
    if setter is not None and isinstance(walk.tiles.vec, tuple):
        for value in (seen.left, seen.right):
            if isinstance(value, Tensor):
                note_shape(walk, setter, value, seen.name)


def note_shape(walk: Walk, setter: ast.Call, tensor: Tensor, op: str) -> None:
    shape = None if tensor.shape is None else tuple(None if dim is None else dim.value for dim in tensor.shape)
    walk.extents.setdefault(setter, []).append((op, shape))


@on(KernelEnd)
def large_tiles(walk: Walk, end: KernelEnd) -> None:
    """PTO621: a value of the tile is larger than the axis in every operation that it is in force for."""
    for setter, met in walk.extents.items():
        tile = [number(walk.tile_values.get(id(part), UNKNOWN)) for part in setter.args]
        shapes = [shape for _, shape in met if shape is not None]
        if len(shapes) != len(met) or not end.complete or len(tile) < RANK or None in tile:
            continue
        if any(len(shape) != len(tile) or None in shape for shape in shapes):
            continue
        values = [value for value in tile if value is not None]
        longest = [max(shape[axis] or 0 for shape in shapes) for axis in range(len(tile))]
        allowed = [*longest[:-1], -(-longest[-1] // PADDING) * PADDING]
        for axis, (value, most) in enumerate(zip(values, allowed, strict=True)):
            if value > most:
                fitting = ", ".join(str(min(v, w)) for v, w in zip(values, allowed, strict=True))
                shown = ", ".join(map(str, values))
                extent = longest[axis]
                walk.report(
                    "PTO621", setter, tile=shown, axis=axis, op=met[0][0], extent=extent, suggest=fitting
                )  # fmt: skip
                break


@on(KernelEnd)
def launches(walk: Walk, end: KernelEnd) -> None:
    """PTO620: options that join root functions, on a kernel of one; PTO624: a dynamic kernel without a loop."""
    if not end.complete or walk.looped:
        return
    dynamic = next((tensor for tensor in end.parameters if tensor.dynamic and tensor.read), None)
    if dynamic is not None and walk.judge.selection.target is not None and isinstance(dynamic.node, ast.arg):
        walk.report("PTO624", dynamic.node, name=dynamic.name)
    if "cube" in walk.first_use or "vector" not in walk.first_use or walk.kernel.jit_call is None:
        return
    for keyword in walk.kernel.jit_call.keywords:
        if keyword.arg == "runtime_options" and isinstance(keyword.value, ast.Dict):
            keys = [key.value for key in keyword.value.keys if isinstance(key, ast.Constant)]
            stitching = [str(key) for key in keys if str(key).startswith("stitch_function_")]
            if stitching:
                walk.report("PTO620", keyword, options=", ".join(stitching))
