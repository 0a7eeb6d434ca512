"""Windows and stores: ranks, keys, extents (PTO234 to PTO249)."""

from __future__ import annotations

import ast

from openpto.diagnostics.words import SLICE, extent_of_slice
from openpto.lint import integers
from openpto.lint.hooks import Access, Call, Pick, on, on_call
from openpto.lint.integers import Int
from openpto.lint.keys import span_of, spread
from openpto.lint.results import dims_of
from openpto.lint.values import Const, Tensor, items_of, shown_dims
from openpto.lint.walk import Walk


@on_call("view")
def view_ranks(walk: Walk, call: Call) -> None:
    """PTO236: shape, offsets, valid_shape and tensor have one entry per axis."""
    if "dtype" in call.arguments:
        return
    shape, offsets = items_of(call.value("shape")), items_of(call.value("offsets"))
    valid = items_of(call.value("valid_shape"))
    tensor = call.tensor("input")
    rank = None if tensor is None else tensor.rank
    if shape is not None and offsets is not None and len(shape) != len(offsets):
        a, b = len(shape), len(offsets)
        walk.report("PTO236", call.at("offsets"), op="view", what="shape", a=a, what_b="offsets", b=b)
    elif shape is not None and rank is not None and rank != len(shape):
        walk.report("PTO236", call.at("shape"), op="view", what="input", a=rank, what_b="shape", b=len(shape))
    if shape is not None and valid is not None and len(shape) != len(valid):
        a, b = len(valid), len(shape)
        walk.report("PTO236", call.at("valid_shape"), op="view", what="valid_shape", a=a, what_b="shape", b=b)


@on_call("view")
def view_extents(walk: Walk, call: Call) -> None:
    """PTO234: the shape of a window holds ints."""
    for dim in dims_of(call.value("shape")) or ():
        if dim is not None and dim.symbolic and "dtype" not in call.arguments:
            walk.report("PTO234", call.at("shape"), op="view", name="shape", expr=dim.label)
            return


@on_call("assemble")
def assemble_offsets(walk: Walk, call: Call) -> None:
    """PTO249: one offset per axis of the destination; PTO248: source and destination have one rank."""
    out, source, offsets = call.tensor("out"), call.tensor("input"), items_of(call.value("offsets"))
    rank = None if out is None else out.rank
    if rank is not None and offsets is not None and len(offsets) != rank:
        walk.report("PTO249", call.at("offsets"), offsets=len(offsets), rank=rank)
    elif rank is not None and source is not None and source.rank is not None and source.rank != rank:
        walk.report("PTO248", call.at("input"), source=_shape(source), target=_shape(out))


def _shape(tensor: Tensor | None) -> str:
    return "?" if tensor is None or tensor.shape is None else shown_dims(tensor.shape)


@on(Access)
def keys(walk: Walk, seen: Access) -> None:
    """PTO240 (too many entries), PTO241 (a step), PTO242 (an index out of range)."""
    if seen.picks is None:
        return
    for pick in seen.picks:
        if isinstance(pick.step, Int) and pick.step.value not in (None, 1):
            walk.report("PTO241", pick.node, step=pick.step.value)
            return
    rank = seen.tensor.rank
    if rank is None:
        return
    if len(seen.picks) > rank:
        walk.report("PTO240", seen.node, rank=rank, count=len(seen.picks))
        return
    entries = spread(seen)
    for entry, extent in zip(entries or (), seen.tensor.shape or (), strict=True):
        index = entry.index.value if entry is not None and isinstance(entry.index, Int) else None
        size = None if extent is None else extent.value
        if entry is not None and index is not None and size is not None and not -size <= index < size:
            walk.report("PTO242", entry.node, index=index, extent=size)


@on(Access)
def read_extents(walk: Walk, seen: Access) -> None:
    """PTO234 (an extent known at run time only), PTO235 (a reversed slice) of a slice that is read."""
    entries = spread(seen)
    if entries is None or seen.tensor.shape is None or seen.value is not None:
        return
    if all(pick is None or pick.is_whole for pick in entries):
        return
    for pick, extent in zip(entries, seen.tensor.shape, strict=True):
        if pick is not None and pick.is_slice:
            _read_extent(walk, pick, extent)


def _read_extent(walk: Walk, pick: Pick, extent: Int | None) -> None:
    size = span_of(pick, extent)
    if size is None:
        return
    start, stop = _label(pick.start, "0"), _label(pick.stop, "" if extent is None else extent.label)
    if size.symbolic:
        walk.report("PTO234", pick.node, op=SLICE, name=extent_of_slice(start, stop), expr=size.label)
    elif size.value is not None and size.value < 0:
        walk.report("PTO235", pick.node, op=SLICE, extent=size.value, shape=f"[{start}:{stop}]")


def _label(value: object, missing: str) -> str:
    return value.label if isinstance(value, Int) else missing


@on(Access)
def stores(walk: Walk, seen: Access) -> None:
    """PTO243 (ranks), PTO245 (a stop without a start), PTO244 (a stop that does not fit), PTO246, PTO650."""
    if seen.value is None or seen.picks is None:
        return
    if isinstance(seen.value, Const):
        _constant(walk, seen, seen.value)
    entries = spread(seen)
    if entries is None or seen.tensor.shape is None or all(pick is None or pick.is_whole for pick in entries):
        return
    if isinstance(seen.value, Tensor) and not all(pick is not None and not pick.is_slice for pick in entries):
        _tensor_store(walk, seen, entries, seen.value)


def _constant(walk: Walk, seen: Access, value: Const) -> None:
    if value.value is None or isinstance(value.value, str):
        walk.report("PTO246", seen.value_node or seen.node, got=type(value.value).__name__)
    elif isinstance(value.value, float):
        walk.report("PTO650", seen.node, what=f"o[...] = {value.value}", got="float")


def _tensor_store(walk: Walk, seen: Access, entries: tuple[Pick | None, ...], value: Tensor) -> None:
    slices = sum(1 for pick in entries if pick is None or pick.is_slice)
    if value.rank is not None and value.rank != slices:
        walk.report("PTO243", seen.value_node or seen.node, slices=slices, rank=value.rank)
        return
    position = 0
    for axis, (pick, extent) in enumerate(zip(entries, seen.tensor.shape or (), strict=True)):
        if pick is not None and not pick.is_slice:
            continue
        dim = value.shape[position] if value.shape is not None else None
        position += 1
        if pick is not None and isinstance(pick.stop, Int):
            _stop(walk, axis, pick, extent, dim, value)


def _stop(walk: Walk, axis: int, pick: Pick, extent: Int | None, dim: Int | None, value: Tensor) -> None:
    assert isinstance(pick.stop, Int)
    if pick.start is None and extent is not None:
        gap = integers.add(pick.stop, extent, -1)
        if (gap.value is not None and gap.value != 0) and pick.stop.value not in (None, -1):
            assert isinstance(pick.node, ast.Slice)
            fix = walk.fix("start-at-zero", pick.node)
            walk.report("PTO245", pick.node, fix=fix, stop=pick.stop.label, size=extent.label)
            return
    span = span_of(pick, extent)
    if span is None or dim is None:
        return
    gap = integers.add(span, dim, -1)
    # A span that is smaller than the shape may be the valid extent of the value.
    if gap.value is not None and (gap.value > 0 or (gap.value < 0 and value.full)):
        walk.report("PTO244", pick.node, axis=axis, span=span.label, shape=dim.label, valid=dim.label)
