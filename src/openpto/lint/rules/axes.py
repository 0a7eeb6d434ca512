"""Axes: out of range (PTO233), and blocks of 32 bytes along the last axis of a reduction's tile (PTO305)."""

from __future__ import annotations

from openpto.lint.hooks import Call, on_operation
from openpto.lint.results import REDUCTIONS
from openpto.lint.values import items_of, number
from openpto.lint.walk import Walk

AXES = ("dim", "dim0", "dim1", "axis")
COUNTED = frozenset({
    "sum", "amax", "amin", "prod", "softmax", "argmax", "argmin", "cumsum", "cumprod", "argsort", "topk", "gather",
    "transpose", "var", "index_select",
})  # fmt: skip
BYTES = {"DT_FP32": 4, "DT_INT32": 4, "DT_FP16": 2, "DT_BF16": 2, "DT_INT16": 2}
BLOCK = 32


@on_operation
def ranges(walk: Walk, call: Call) -> None:
    """PTO233: an axis that the tensor does not have."""
    tensor = call.tensor("input")
    if call.name not in COUNTED or tensor is None or tensor.rank is None:
        return
    for name in AXES:
        value = call.value(name)
        for axis in [number(value), *(number(item) for item in items_of(value) or ())]:
            if axis is not None and not -tensor.rank <= axis < tensor.rank:
                walk.report("PTO233", call.at(name), axis=axis, op=call.name, rank=tensor.rank)
                return


@on_operation
def blocks(walk: Walk, call: Call) -> None:
    """PTO305: the tile of a reduction holds whole blocks along its last axis."""
    tensor, tile = call.tensor("input"), walk.tiles.vec
    if call.name not in REDUCTIONS or tensor is None or not isinstance(tile, tuple):
        return
    rank, size = tensor.rank, BYTES.get(tensor.dtype or "")
    if not rank or size is None or len(tile) < rank:
        return
    last = number(tile[rank - 1])
    if last is None or last <= 0 or last * size % BLOCK == 0:
        return
    step = BLOCK // size
    numbers = [number(value) for value in tile]
    suggest = [*numbers[: rank - 1], -(-last // step) * step, *numbers[rank:]]
    formula = f"{last} x {size} B = {last * size} B, {last * size} % {BLOCK} = {last * size % BLOCK}"
    shown = ", ".join("?" if value is None else str(value) for value in suggest)
    walk.report("PTO305", call.node, op=call.name, formula=formula, step=step, suggest=shown)
