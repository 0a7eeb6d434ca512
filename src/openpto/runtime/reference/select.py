"""Tiles made by position: slices by an index list, one-hot rows, triangles, every second element."""

from __future__ import annotations

import numpy as np

from openpto.ir.dtypes import numpy_dtype
from openpto.ir.nodes import Op, Value
from openpto.runtime.places import shown

from . import regions
from .convert import convert_array
from .creation import result_of
from .handlers import impl
from .indexing import checked_positions
from .machine import Machine
from .regions import FULL, Region
from .tiles import Tile, borrow, framed, tile, whole, zero_padded


@impl("index_select")
def index_select(m: Machine, op: Op) -> Tile:
    """The axes of the index replace the axis of the source."""
    value = op.operands[0]
    assert isinstance(value, Value)
    source, index = m.read(value), m.read(op.operands[1])
    axis: int = op.attrs["axis"]
    shape = m.shape(result_of(op).type)
    positions = checked_positions(m, index, axis, source.valid[axis], value.var)
    body = np.take(source.body, positions, axis)
    defined: Region = FULL
    if source.defined is not None and not whole(source):
        defined = regions.from_mask(np.take(regions.to_mask(source.defined, source.valid), positions, axis))
    return tile(framed(body, shape), body.shape, defined)


@impl("one_hot")
def one_hot(m: Machine, op: Op) -> Tile:
    """1 at the position of the class; an element that is no class is a fault."""
    source = m.read(op.operands[0])
    shape = m.shape(result_of(op).type)
    classes = shape[-1]
    body = source.body
    defined: Region = FULL
    inside = (body >= 0) & (body < classes)
    if source.defined is not None and not whole(source):
        m.warn("PTO431", op, op=op.called)
        mask = regions.to_mask(source.defined, source.valid)
        inside |= ~mask
        defined = regions.from_mask(np.broadcast_to(mask[..., None], (*body.shape, classes)).copy())
    if not inside.all():
        at = tuple(int(i) for i in np.argwhere(~inside)[0])
        m.fault("PTO467", value=int(body[at]), at=shown(at), classes=classes)
    hot = (body[..., None] == np.arange(classes)).astype(np.int64)
    return tile(framed(hot, shape), hot.shape, defined)


@impl("tril", "triu")
def triangle(m: Machine, op: Op) -> Tile:
    """Elements on one side of a diagonal; zeros on the other, which are defined whatever was there."""
    source = m.read(op.operands[0])
    diagonal = m.scalars.of(op.operands[1])  # type: ignore[arg-type]
    rows, columns = source.data.shape[-2:]
    # j - i lies in (-rows, columns): a diagonal beyond changes nothing more.
    limit = max(min(diagonal, columns), -rows)
    distance = np.arange(columns)[None, :] - np.arange(rows)[:, None]
    kept = distance <= limit if op.name == "tril" else distance >= limit
    chosen = np.where(kept, zero_padded(source), source.data.dtype.type(0))
    data = np.empty(chosen.shape, numpy_dtype(result_of(op).type.dtype))
    if data.dtype == chosen.dtype:
        data = chosen
    else:  # a promoted BF16 tile goes on as FP32
        convert_array(chosen, data)
    defined: Region = FULL
    if source.defined is not None and not whole(source):
        mask = regions.to_mask(source.defined, source.valid)
        defined = regions.from_mask(mask | ~kept[: source.valid[-2], : source.valid[-1]])
    return tile(data, source.valid, defined)


@impl("gathermask", "deinterleave")
def every(m: Machine, op: Op) -> Tile:
    """Elements of the last axis at a fixed distance; a window on the operand's memory."""
    source = m.read(op.operands[0])
    start, step = op.attrs["start"], op.attrs["step"]
    valid = (*source.valid[:-1], len(range(start, source.valid[-1], step)))
    defined: Region = FULL
    if source.defined is not None:
        defined = regions.from_mask(regions.to_mask(source.defined, source.valid)[..., start::step].copy())
    return borrow(source, source.data[..., start::step], valid, defined, clean=source.clean)


@impl("interleave")
def interleave(m: Machine, op: Op) -> Tile:
    """One half of two tiles merged alternately along the last axis."""
    first, second = m.read(op.operands[0]), m.read(op.operands[1])
    shape = m.shape(result_of(op).type)
    half = shape[-1]
    valid = tuple([min(a, b) for a, b in zip(first.valid, second.valid, strict=True)])
    index = tuple([slice(n) for n in valid])
    part = slice(0, half) if op.attrs["half"] == 0 else slice(half, 2 * half)
    merged = (*valid[:-1], 2 * valid[-1])
    body = np.stack([first.data[index], second.data[index]], -1).reshape(merged)[..., part]
    defined: Region = FULL
    if first.defined is not None or second.defined is not None:
        masks = [regions.to_mask(t.defined, t.valid)[index] for t in (first, second)]
        defined = regions.from_mask(np.stack(masks, -1).reshape(merged)[..., part].copy())
    return tile(framed(np.ascontiguousarray(body), shape), body.shape, defined)
