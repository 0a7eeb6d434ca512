"""In-place operations that store blocks and single elements: the last tile operand is changed."""

from __future__ import annotations

import numpy as np

from openpto.ir.nodes import Imm, Op, Value
from openpto.runtime.places import shown

from . import regions
from .creation import stored
from .handlers import impl
from .indexing import checked_index
from .machine import Machine
from .regions import FULL, Extents
from .reshaping import reshaped
from .tiles import Tile, whole


@impl("assemble")
def assemble(m: Machine, op: Op) -> Tile:
    """The valid region of the first operand is written at the offsets."""
    _, target = m.target(op)
    source = m.read(op.operands[0])
    offsets = m.dims(op.attrs["offsets"])
    extents = source.valid
    _check_stops(m, op, source)
    if not regions.count(extents):
        return target
    stops = tuple([o + n for o, n in zip(offsets, extents, strict=True)])
    for axis, (low, high, capacity) in enumerate(zip(offsets, stops, target.data.shape, strict=True)):
        if low < 0 or high > capacity:
            m.fault("PTO452", axis=axis, low=low, high=high, size=high - low, capacity=capacity, extents=shown(extents))
    target.data[tuple([slice(o, s) for o, s in zip(offsets, stops, strict=True)])] = source.body
    if target.defined is not None or source.defined is not None:
        target.defined = regions.paint(target.defined, target.valid, offsets, source.defined, extents, owned=True)
    beyond_valid(m, op, target, offsets, stops)
    m.stored(op, offsets, stops, whole=whole(source))
    return target


def beyond_valid(m: Machine, op: Op, target: Tile, low: Extents, high: Extents) -> None:
    """A store outside of the destination's valid region: a parameter keeps it for the caller; in another tensor nothing
    could ever read it, so it is a fault."""
    for axis, (stop, extent) in enumerate(zip(high, target.valid, strict=True)):
        if stop > extent:
            if m.parameter(op) < 0:
                sizes = [b - a for a, b in zip(low, high, strict=True)]
                fields = {"low": low[axis], "high": stop, "size": sizes[axis], "capacity": extent}
                m.fault("PTO452", axis=axis, extents=shown(sizes), **fields)
            target.clean = False


def _check_stops(m: Machine, op: Op, source: Tile) -> None:
    """``o[a:b] = v``: b - a must be the extent of v on that axis, or its valid extent."""
    for axis, wanted in enumerate(op.attrs.get("extents") or ()):
        if wanted is None:
            continue
        extent = m.scalars.of(wanted)
        if extent not in (source.data.shape[axis], source.valid[axis]):
            m.fault("PTO453", axis=axis, extent=extent, capacity=source.data.shape[axis], have=source.valid[axis])


@impl("move")
def move(m: Machine, op: Op) -> Tile:
    """``o[:] = x``: x's valid region goes to the origin of o, which takes over the valid shape."""
    into, target = m.target(op)
    value = op.operands[0]
    if value is into:
        return target
    source = m.read(value)
    if source.data.shape != target.data.shape:
        if not source.full or source.data.size != target.data.size:
            m.fault("PTO462", op="move", shapes=shown(source.valid), want=shown(target.data.shape))
        source = reshaped(m, op, source, target.data.shape, None)
    index = tuple([slice(n) for n in source.valid])
    target.data[index] = source.body
    target.valid = source.valid
    target.clean = False
    target.defined = source.defined.copy() if isinstance(source.defined, np.ndarray) else source.defined
    m.stored(op, (0,) * len(source.valid), source.valid, whole=whole(source))
    return target


@impl("write_scalar")
def write_scalar(m: Machine, op: Op) -> Tile:
    """One element takes a run-time integer."""
    into, target = m.target(op)
    scalar = op.operands[0]
    assert not isinstance(scalar, Value)
    index = checked_index(m, m.dims(op.attrs["index"]), target.data.shape, into.var)
    dtype = into.type.dtype
    target.data[index] = scalar.value if isinstance(scalar, Imm) else stored(m, scalar, dtype)
    stops = tuple([i + 1 for i in index])
    if target.defined is not None:
        target.defined = regions.paint(target.defined, target.valid, index, FULL, (1,) * len(index), owned=True)
    beyond_valid(m, op, target, index, stops)
    m.stored(op, index, stops)
    return target
