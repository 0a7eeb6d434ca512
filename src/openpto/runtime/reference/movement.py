"""Operations that read tiles from another side, without arithmetic: windows, permutations, copies."""

from __future__ import annotations

import numpy as np

from openpto.ir.dtypes import bytes_of, numpy_dtype
from openpto.ir.nodes import Imm, Op, Value
from openpto.runtime.places import shown

from . import regions
from .creation import explicit_valid, result_of
from .handlers import impl
from .machine import Machine
from .regions import FULL, Extents, Region
from .tiles import Array, Tile, borrow, framed, tile, zero_padded


@impl("view")
def view(m: Machine, op: Op) -> Tile:
    """A window; what reaches past the source's valid region is not valid."""
    value = op.operands[0]
    assert isinstance(value, Value)
    source = m.source(value)
    shape = m.shape(result_of(op).type)
    offsets = m.dims(op.attrs["offsets"])
    if min(offsets, default=0) < 0:
        axis = next(i for i, o in enumerate(offsets) if o < 0)
        m.fault("PTO450", axis=axis, offset=offsets[axis], offsets=shown(offsets))
    left = tuple([max(v - o, 0) for v, o in zip(source.valid, offsets, strict=True)])
    inferred = tuple([min(n, s) for n, s in zip(left, shape, strict=True)])
    given = op.attrs.get("valid")
    valid = inferred if given is None else explicit_valid(m, shape, given)
    if valid != inferred and regions.count(valid):
        for axis, (n, rest) in enumerate(zip(valid, left, strict=True)):
            if n > rest and axis in op.attrs.get("index_axes", ()):
                name, extent = m.name_of(value.var), source.valid[axis]
                m.fault("PTO408", name=name, index=shown(offsets), axis=axis, extent=extent)
            if n > rest:
                m.fault("PTO451", axis=axis, want=n, offset=offsets[axis], have=source.valid[axis], rest=rest)
    stops = tuple([o + n for o, n in zip(offsets, valid, strict=True)])
    m.note_read(value, offsets, stops)
    defined = regions.window(source.defined, offsets, valid) if regions.count(valid) else FULL
    inside = all(o + n <= c for o, n, c in zip(offsets, shape, source.data.shape, strict=True))
    if inside and (valid == shape or (valid == inferred and (source.clean or source.full))):
        data = source.data[tuple([slice(o, o + n) for o, n in zip(offsets, shape, strict=True)])]
        return borrow(source, data, valid, defined)
    body = source.data[tuple([slice(o, s) for o, s in zip(offsets, stops, strict=True)])]
    if not regions.count(valid):
        body = np.empty(valid, source.data.dtype)
    return tile(framed(body, shape) if valid != shape else body.copy(), valid, defined)


@impl("clone")
def clone(m: Machine, op: Op) -> Tile:
    """The same contents as an object of its own; the copy is made when either is written."""
    source = m.read(op.operands[0])
    defined = source.defined.copy() if isinstance(source.defined, np.ndarray) else source.defined
    return borrow(source, source.data, source.valid, defined, clean=source.clean)


@impl("permute")
def permute(m: Machine, op: Op) -> Tile:
    """Axes in another order."""
    source = m.read(op.operands[0])
    perm = op.attrs["perm"]
    valid = tuple([source.valid[p] for p in perm])
    data = source.data.transpose(perm)
    return borrow(source, data, valid, regions.permuted(source.defined, perm), clean=source.clean)


@impl("expand_clone")
def expand_clone(m: Machine, op: Op) -> Tile:
    """Axes of extent 1 repeated; the others keep their valid extent."""
    source = m.read(op.operands[0])
    shape = m.shape(result_of(op).type)
    capacity = source.data.shape
    if any(c not in (1, s) for c, s in zip(capacity, shape, strict=True)):
        m.fault("PTO462", op="expand_clone", shapes=shown(capacity), want=shown(shape))
    carried = tuple([n if c == s else s for n, c, s in zip(source.valid, capacity, shape, strict=True)])
    given = op.attrs.get("valid")
    valid = carried if given is None else explicit_valid(m, shape, given)
    for axis, (n, have) in enumerate(zip(valid, carried, strict=True)):
        if n > have and regions.count(valid):
            m.fault("PTO451", axis=axis, want=n, offset=0, have=have, rest=have)
    extents = tuple([v if c == s else 1 for v, c, s in zip(valid, capacity, shape, strict=True)])
    body = zero_padded(source)[tuple([slice(n) for n in extents])]
    data = framed(np.broadcast_to(body, valid), shape)
    if 0 in source.valid and regions.count(valid):
        defined: Region = regions.nothing(len(valid))
    else:
        defined = regions.spread(source.defined, source.valid, valid)
    return tile(data if data.flags.owndata else data.copy(), valid, defined)


@impl("concat")
def concat(m: Machine, op: Op) -> Tile:
    """Tiles one after the other; each must fill its extent on that axis."""
    tiles = [m.read(o) for o in op.operands]
    axis: int = op.attrs["axis"]
    shape = m.shape(result_of(op).type)
    first = tiles[0]
    for number, t in enumerate(tiles):
        if t.valid[axis] != t.data.shape[axis]:
            m.fault("PTO457", number=number, axis=axis, have=t.valid[axis], capacity=t.data.shape[axis])
        if _others(t.valid, axis) != _others(first.valid, axis):
            m.fault("PTO458", number=number, have=shown(t.valid), first=shown(first.valid), axis=axis)
    body = np.concatenate([t.body for t in tiles], axis)
    if body.shape[axis] != shape[axis]:
        m.fault("PTO462", op="concat", shapes=", ".join(shown(t.data.shape) for t in tiles), want=shown(shape))
    defined: Region = FULL
    if any(t.defined is not None for t in tiles):
        defined = regions.from_mask(np.concatenate([regions.to_mask(t.defined, t.valid) for t in tiles], axis))
    return tile(framed(body, shape), body.shape, defined)


def _others(extents: Extents, axis: int) -> Extents:
    return extents[:axis] + extents[axis + 1 :]


@impl("fillpad")
def fillpad(m: Machine, op: Op) -> Tile:
    """The whole shape is valid; what was not gets the value."""
    source = m.read(op.operands[0])
    fill = op.operands[1]
    assert isinstance(fill, Imm)
    shape = source.data.shape
    if source.full:
        defined = source.defined.copy() if isinstance(source.defined, np.ndarray) else source.defined
        return borrow(source, source.data, shape, defined)
    data = np.full(shape, fill.value, source.data.dtype)
    data[tuple([slice(n) for n in source.valid])] = source.body
    origin = (0,) * len(shape)
    defined = regions.paint(FULL, shape, origin, source.defined, source.valid, owned=True)
    return tile(data, shape, defined)


@impl("bitcast")
def bitcast(m: Machine, op: Op) -> Tile:
    """The same bytes as another element type; the last axis scales. Every NaN shows the canonical bits."""
    value = op.operands[0]
    assert isinstance(value, Value)
    source = m.read(value)
    type = result_of(op).type
    old, new = bytes_of(value.type.dtype), bytes_of(type.dtype)
    rows, last = source.valid[:-1], source.valid[-1]
    if last * old % new:
        m.fault("PTO456", have=last, old=value.type.dtype.name, new=type.dtype.name, ratio=new // old)
    valid = (*rows, last * old // new)
    flat = np.ascontiguousarray(_canonical(zero_padded(source)))
    data = flat.view(numpy_dtype(type.dtype))
    defined = _rescaled(source.defined, source.valid, valid)
    if np.may_share_memory(data, source.data):
        return borrow(source, data, valid, defined)
    return tile(data, valid, defined)


def _canonical(data: Array) -> Array:
    if data.dtype.kind != "f" and data.dtype.kind != "V":
        return data
    nans = data != data
    if not nans.any():
        return data
    data = data.copy()
    data[nans] = np.nan
    bits = {2: 0x7E00, 4: 0x7FC00000, 8: 0x7FF8000000000000}.get(data.dtype.itemsize)
    if bits is not None and data.dtype.kind == "f":
        data.view(f"u{data.dtype.itemsize}")[nans] = bits
    return data


def _rescaled(region: Region, old: Extents, new: Extents) -> Region:
    if region is None:
        return FULL
    mask = regions.to_mask(region, old)
    if new[-1] >= old[-1]:
        return regions.from_mask(np.repeat(mask, new[-1] // max(old[-1], 1), axis=-1))
    ratio = old[-1] // max(new[-1], 1)
    return regions.from_mask(np.all(mask.reshape(*new, ratio), axis=-1))
