"""In-place operations: the last tile operand is changed."""

from __future__ import annotations

import numpy as np

from openpto.ir.dtypes import DataType
from openpto.ir.nodes import Imm, Op, Value
from openpto.ops import arith

from . import regions
from .creation import stored
from .evaluate import evaluate
from .handlers import impl
from .indexing import checked_index, checked_positions
from .machine import Machine, shown
from .regions import FULL, Extents
from .reshaping import reshaped
from .tiles import Array, Tile, whole


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
            m.fault("PTO452", axis=axis, low=low, high=high, capacity=capacity, extents=shown(extents))
    target.data[tuple([slice(o, s) for o, s in zip(offsets, stops, strict=True)])] = source.body
    if target.defined is not None or source.defined is not None:
        target.defined = regions.paint(target.defined, target.valid, offsets, source.defined, extents, owned=True)
    _beyond_valid(m, op, target, offsets, stops)
    m.stored(op, offsets, stops, whole=whole(source))
    return target


def _beyond_valid(m: Machine, op: Op, target: Tile, low: Extents, high: Extents) -> None:
    """A store outside of the destination's valid region: a parameter keeps it for the caller; in another tensor nothing
    could ever read it, so it is a fault."""
    for axis, (stop, extent) in enumerate(zip(high, target.valid, strict=True)):
        if stop > extent:
            if m.parameter(op) < 0:
                extents = shown([b - a for a, b in zip(low, high, strict=True)])
                m.fault("PTO452", axis=axis, low=low[axis], high=stop, capacity=extent, extents=extents)
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
    index = checked_index(m, m.dims(op.attrs["index"]), target.data.shape, into.name)
    dtype = into.type.dtype
    target.data[index] = scalar.value if isinstance(scalar, Imm) else stored(m, scalar, dtype)
    stops = tuple([i + 1 for i in index])
    if target.defined is not None:
        target.defined = regions.paint(target.defined, target.valid, index, FULL, (1,) * len(index), owned=True)
    _beyond_valid(m, op, target, index, stops)
    m.stored(op, index, stops)
    return target


@impl("scatter")
def scatter(m: Machine, op: Op) -> Tile:
    """``dst[.., index[i], ..] (op)= src[i]``, elements in row-major order: of equal indices the last one stays."""
    into, target = m.target(op)
    index_value, source = op.operands[0], op.operands[1]
    index = m.read(index_value)
    axis: int = op.attrs["axis"]
    reduce: str | None = op.attrs.get("reduce")
    extents = index.valid
    if not regions.count(extents):
        return target
    positions = checked_positions(m, index, axis, target.valid[axis], into.name)
    if isinstance(source, Value):
        values, region = _fitting(m, m.read(source), extents)
    else:
        assert isinstance(source, Imm)
        values, region = np.full(extents, source.value, target.data.dtype), FULL
    for a, (n, have) in enumerate(zip(extents, target.valid, strict=True)):
        if a != axis and n > have:
            m.fault("PTO452", axis=a, low=0, high=n, capacity=have, extents=shown(extents))
    grid = list(np.ogrid[tuple([slice(n) for n in extents])])
    grid[axis] = positions
    where = tuple(grid)
    if reduce is None:
        target.data[where] = values
    else:
        _accumulate(target.data, where, values, into.type.dtype, reduce)
    if target.defined is not None or region is not None:
        mask = regions.to_mask(target.defined, target.valid).copy()
        if reduce is None:
            mask[where] = regions.to_mask(region, extents)
        else:
            np.logical_and.at(mask, where, regions.to_mask(region, extents))
        target.defined = regions.from_mask(mask)
    origin = [0] * len(extents)
    for position in np.unique(positions):
        low = (*origin[:axis], int(position), *origin[axis + 1 :])
        high = (*extents[:axis], int(position) + 1, *extents[axis + 1 :])
        if reduce is not None:
            m.note_read(into, low, high)
        m.stored(op, low, high, whole=region is None)
    return target


def _fitting(m: Machine, source: Tile, extents: Extents) -> tuple[Array, regions.Region]:
    """The part of ``source`` that the index covers."""
    if any(n > have for n, have in zip(extents, source.valid, strict=True)):
        m.fault("PTO462", op="scatter", shapes=shown(source.valid), want=shown(extents))
    region = regions.window(source.defined, (0,) * len(extents), extents)
    return source.body[tuple([slice(n) for n in extents])], region


def _accumulate(data: Array, where: tuple[Array, ...], values: Array, dtype: DataType, reduce: str) -> None:
    """Read-modify-write, one round per occurrence of an index, so that each step is rounded on its own in order."""
    flat = np.ravel_multi_index(tuple(np.broadcast_arrays(*where)), data.shape).reshape(-1)
    updates = values.reshape(-1)
    expression = arith.build(_ADD if reduce == "add" else _MULTIPLY, dtype, dtype)
    order = np.argsort(flat, kind="stable")
    ranks = np.empty(len(flat), np.int64)
    ordered = flat[order]
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
    lengths = np.diff(np.r_[starts, len(flat)])
    ranks[order] = np.arange(len(flat)) - np.repeat(starts, lengths)
    for occurrence in range(int(ranks.max()) + 1):
        chosen = ranks == occurrence
        index = np.unravel_index(flat[chosen], data.shape)
        data[index] = evaluate(expression, [data[index], np.ascontiguousarray(updates[chosen])])


def _add(a: arith.Expr, b: arith.Expr) -> arith.Expr:
    return a + b


def _multiply(a: arith.Expr, b: arith.Expr) -> arith.Expr:
    return a * b


_ADD, _MULTIPLY = _add, _multiply
