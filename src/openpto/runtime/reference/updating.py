"""In-place operations whose places are told by index tensors or that add: the last tile operand is changed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from openpto.ir.nodes import Imm, Op, Value
from openpto.runtime.places import shown

from . import regions
from .accumulate import Step, accumulate, add, added, multiply, scaled
from .handlers import impl
from .indexing import checked_positions
from .machine import Machine
from .regions import FULL, Extents, Region
from .storing import beyond_valid
from .tiles import Array, Tile, whole

_STEPS: dict[str | None, Step | None] = {None: None, "add": add, "multiply": multiply}


@impl("scatter")
def scatter(m: Machine, op: Op) -> Tile:
    """``dst[.., index[i], ..] (op)= src[i]``, elements in row-major order: of equal indices the last one stays."""
    into, target = m.target(op)
    index = m.read(op.operands[0])
    source = op.operands[1]
    axis: int = op.attrs["axis"]
    extents = index.valid
    if not regions.count(extents):
        return target
    positions = checked_positions(m, index, axis, target.valid[axis], into.var)
    if isinstance(source, Value):
        values, region = _fitting(m, op, m.read(source), extents)
    else:
        assert isinstance(source, Imm)
        values, region = np.full(extents, source.value, target.data.dtype), FULL
    _inside(m, target, extents, skip=(axis,))
    grid = list(np.ogrid[tuple([slice(n) for n in extents])])
    grid[axis] = positions
    step = _STEPS[op.attrs.get("reduce")]
    _update(target, tuple(grid), values, region, step)
    _note_slices(m, op, into, positions, axis, extents, region, reads=step is not None)
    return target


@impl("index_add_")
def index_add(m: Machine, op: Op) -> Tile:
    """``dst[.., index[i], ..] += alpha * src[.., i, ..]``, in the order of the index."""
    into, target = m.target(op)
    index, source = m.read(op.operands[0]), m.read(op.operands[1])
    alpha = op.operands[2]
    assert isinstance(alpha, Imm)
    axis: int = op.attrs["axis"]
    extents = (*source.valid[:axis], index.valid[0], *source.valid[axis + 1 :])
    if not regions.count(extents):
        return target
    positions = checked_positions(m, index, axis, target.valid[axis], into.var)
    values, region = _fitting(m, op, source, extents)
    _inside(m, target, extents, skip=(axis,))
    grid = list(np.ogrid[tuple([slice(n) for n in extents])])
    grid[axis] = positions.reshape([-1 if a == axis else 1 for a in range(len(extents))])
    # The order of accumulation is that of the index, whichever axis it stands for.
    slices = tuple([np.moveaxis(np.broadcast_to(g, extents), axis, 0) for g in grid])
    moved = region if region is None or axis == 0 else np.moveaxis(regions.to_mask(region, extents), axis, 0)
    _update(target, slices, np.moveaxis(scaled(values, alpha.value), axis, 0), moved, add)
    _note_slices(m, op, into, positions, axis, extents, region, reads=True)
    return target


@impl("index_put_")
def index_put(m: Machine, op: Op) -> Tile:
    """``dst[i0[k], i1[k], ..] (+)= values[k]``, in the order of k."""
    into, target = m.target(op)
    *lists, source = [m.read(o) for o in op.operands[:-1]]
    length = lists[0].valid[0]
    if any(places.valid != (length,) for places in lists):
        m.fault("PTO462", op=op.called, shapes=", ".join(shown(i.valid) for i in lists), want=shown((length,)))
    extents = (length, *source.valid[1:])
    positions = [checked_positions(m, places, axis, target.valid[axis], into.var) for axis, places in enumerate(lists)]
    if not regions.count(extents):
        return target
    values, region = _fitting(m, op, source, extents)
    _write_rows(m, op, into, target, positions, values, region, add if op.attrs["accumulate"] else None)
    return target


@impl("scatter_update")
def scatter_update(m: Machine, op: Op) -> Tile:
    """Row ``index[i, j]`` of the store takes the row of the source that belongs to (i, j)."""
    into, target = m.target(op)
    index, source = m.read(op.operands[0]), m.read(op.operands[1])
    columns = index.data.shape[1]
    paged = target.data.ndim == 4
    size = target.data.shape[1] if paged else 1
    rows = checked_positions(m, index, 0, target.valid[0] * size, into.var).reshape(-1)
    if not len(rows) or not source.valid[-1]:
        return target
    i, j = (part.reshape(-1) for part in np.indices(index.valid))
    mask = regions.to_mask(source.defined, source.valid) if source.defined is not None else None
    if paged:
        needed: Extents = (*index.valid, 1, source.valid[3])
        picked: tuple[Array, ...] = (i, j)
        positions = [rows // size, rows % size]
    else:
        needed = (int((i * columns + j).max()) + 1, source.valid[1])
        picked = (i * columns + j,)
        positions = [rows]
    if any(n > have for n, have in zip(needed, source.valid, strict=True)):
        m.fault("PTO462", op=op.called, shapes=shown(source.valid), want=shown(needed))
    region = FULL if mask is None else regions.from_mask(mask[picked])
    _write_rows(m, op, into, target, positions, source.body[picked], region, None)
    return target


@impl("atomic_add")
def atomic_add(m: Machine, op: Op) -> Tile:
    """The valid region of the first operand is added at the offsets."""
    _, target = m.target(op)
    source = m.read(op.operands[0])
    offsets = m.dims(op.attrs["offsets"])
    extents = source.valid
    if not regions.count(extents):
        return target
    stops = tuple([o + n for o, n in zip(offsets, extents, strict=True)])
    for axis, (low, high, capacity) in enumerate(zip(offsets, stops, target.data.shape, strict=True)):
        if low < 0 or high > capacity:
            m.fault("PTO452", axis=axis, low=low, high=high, size=high - low, capacity=capacity, extents=shown(extents))
    beyond_valid(m, op, target, offsets, stops)
    box = target.data[regions.slices(offsets, stops)]
    box[...] = added(box, source.body)
    if target.defined is not None or source.defined is not None:
        inside = all(stop <= n for stop, n in zip(stops, target.valid, strict=True))
        own = regions.window(target.defined, offsets, extents) if inside else FULL
        both = regions.intersect(own, source.defined, extents)
        target.defined = regions.paint(target.defined, target.valid, offsets, both, extents, owned=True)
    m.added(op, offsets, stops, whole=whole(source))
    return target


# Shared parts


def _fitting(m: Machine, op: Op, source: Tile, extents: Extents) -> tuple[Array, Region]:
    """The part of ``source`` that the index covers."""
    if any(n > have for n, have in zip(extents, source.valid, strict=True)):
        m.fault("PTO462", op=op.called, shapes=shown(source.valid), want=shown(extents))
    region = regions.window(source.defined, (0,) * len(extents), extents)
    return source.body[tuple([slice(n) for n in extents])], region


def _inside(m: Machine, target: Tile, extents: Extents, skip: Sequence[int]) -> None:
    """The box that is written does not reach past the valid region on the axes without an index."""
    for axis, (n, have) in enumerate(zip(extents, target.valid, strict=True)):
        if axis not in skip and n > have:
            m.fault("PTO452", axis=axis, low=0, high=n, size=n, capacity=have, extents=shown(extents))


def _update(target: Tile, where: tuple[Array, ...], values: Array, region: Region, step: Step | None) -> None:
    """``target[where] = values``, or one step after the other; and the same for what is defined."""
    if step is None:
        target.data[where] = values
    else:
        accumulate(target.data, where, values, step)
    if target.defined is None and region is None:
        return
    mask = regions.to_mask(target.defined, target.valid).copy()
    stored = regions.to_mask(region, values.shape)
    if step is None:
        mask[where] = stored
    else:
        np.logical_and.at(mask, where, stored)
    target.defined = regions.from_mask(mask)


def _write_rows(
    m: Machine,
    op: Op,
    into: Value,
    target: Tile,
    positions: Sequence[NDArray[np.int64]],
    values: Array,
    region: Region,
    step: Step | None,
) -> None:
    """``target[p0[k], p1[k], ..] (op)= values[k]``; the trailing axes of a row begin at the origin."""
    trailing = values.shape[1:]
    rank = target.data.ndim
    leading = rank - len(trailing)
    _inside(m, target, (0,) * leading + trailing, skip=range(leading))
    lead = [p.reshape([-1, *[1] * len(trailing)]) for p in positions]
    inner = list(np.ogrid[tuple([slice(n) for n in trailing])]) if trailing else []
    where = (*lead, *[g[np.newaxis] for g in inner])
    _update(target, where, values, region, step)
    for row in np.unique(np.stack(positions, 1), axis=0):
        low = (*[int(p) for p in row], *[0] * len(trailing))
        high = (*[int(p) + 1 for p in row], *trailing)
        if step is not None:
            m.note_read(into, low, high)
        m.stored(op, low, high, whole=region is None)


def _note_slices(
    m: Machine, op: Op, into: Value, positions: Array, axis: int, extents: Extents, region: Region, *, reads: bool
) -> None:
    """Log the slices that were written, one box per position."""
    origin = (0,) * len(extents)
    for position in np.unique(positions):
        low = (*origin[:axis], int(position), *origin[axis + 1 :])
        high = (*extents[:axis], int(position) + 1, *extents[axis + 1 :])
        if reads:
            m.note_read(into, low, high)
        m.stored(op, low, high, whole=region is None)
