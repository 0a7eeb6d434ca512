"""Reshape, squeeze and unsqueeze: the same elements under another shape."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from openpto.ir.nodes import Op, Value
from openpto.ops import shapes
from openpto.runtime.places import shown

from . import regions
from .creation import explicit_valid, result_of
from .handlers import impl
from .machine import Machine
from .regions import FULL, Extents, Region
from .tiles import Array, Tile, borrow, framed, tile, zero_padded


@impl("reshape")
def reshape(m: Machine, op: Op) -> Tile:
    """Row-major under a new shape; how the valid region moves is told by :func:`reshaped`."""
    value = op.operands[0]
    assert isinstance(value, Value)
    source = m.tile(value)
    m.note_read(value, (0,) * len(source.valid), source.valid)
    shape = m.shape(result_of(op).type)
    given = op.attrs.get("valid")
    valid = None if given is None else explicit_valid(m, shape, given)
    return reshaped(m, op, source, shape, valid)


def reshaped(m: Machine, op: Op, source: Tile, shape: Extents, valid: Extents | None) -> Tile:
    """``source`` under ``shape``.

    Without ``valid``: fully valid stays so; a cut of the outermost axis alone is carried where it stays a box; else
    the whole shape becomes valid in capacity order, and what was not valid is not defined. With ``valid`` of as many
    elements as are valid now, the k-th valid element stays the k-th; otherwise capacity order, cut to ``valid``.
    """
    if regions.count(shape) != source.data.size:
        m.fault("PTO463", have=shown(source.data.shape), want=shown(shape), count=source.data.size)
    carried = _carried(source, shape)
    if valid is None:
        if carried is None:
            m.portability("PTO434", op, have=shown(source.valid), old=shown(source.data.shape), new=shown(shape))
        valid = shape if carried is None else carried
    elif valid != carried and not source.full and regions.count(valid) == regions.count(source.valid):
        return _packed(source, shape, valid)
    if source.defined is None and (source.full or valid == carried):
        defined = FULL
    elif source.full and valid == shape and _is_nothing(source):
        defined = regions.nothing(len(shape))
    else:
        defined = _in_capacity_order(source, shape, valid)
    data = zero_padded(source).reshape(shape)
    if valid != shape and valid != carried:
        data = framed(data[regions.slices((0,) * len(valid), valid)], shape)
    if np.may_share_memory(data, source.data):
        return borrow(source, data, valid, defined, written=source.written)
    result = tile(data, valid, defined)
    result.written = source.written
    return result


def _packed(source: Tile, shape: Extents, valid: Extents) -> Tile:
    body = np.ascontiguousarray(source.body).reshape(valid)
    defined: Region = FULL
    if source.defined is not None:
        defined = regions.from_mask(regions.to_mask(source.defined, source.valid).reshape(valid).copy())
    data = framed(body, shape)
    return tile(data.copy() if np.may_share_memory(data, source.data) else data, valid, defined)


def _carried(source: Tile, shape: Extents) -> Extents | None:
    """The valid extents under ``shape`` if the valid region stays a box that begins the row-major order, else None."""
    return shape if source.full else _carried_cut(source.data.shape, source.valid, shape)


@lru_cache(maxsize=1024)
def _carried_cut(old: Extents, valid: Extents, new: Extents) -> Extents | None:
    found = shapes.carried_valid(old, valid, new)
    return None if found is None else tuple([n for n in found if isinstance(n, int)])


def _is_nothing(source: Tile) -> bool:
    return bool(source.data.size) and isinstance(source.defined, tuple) and regions.is_empty_box(*source.defined)


def _in_capacity_order(source: Tile, shape: Extents, valid: Extents) -> Region:
    """Defined elements inside ``valid`` when every element keeps its place in memory."""
    mask = np.zeros(source.data.shape, np.bool_)
    mask[regions.slices((0,) * len(source.valid), source.valid)] = regions.to_mask(source.defined, source.valid)
    return regions.from_mask(mask.reshape(shape)[regions.slices((0,) * len(valid), valid)].copy())


@impl("squeeze")
def squeeze(m: Machine, op: Op) -> Tile:
    """Without axes of extent 1; the valid extents of the others are kept."""
    value = op.operands[0]
    assert isinstance(value, Value)
    source = m.tile(value)
    m.note_read(value, (0,) * len(source.valid), source.valid)
    axes: tuple[int, ...] = op.attrs["axes"]
    shape = m.shape(result_of(op).type)
    valid = tuple([n for i, n in enumerate(source.valid) if i not in axes])
    if regions.count(valid) and not regions.count(source.valid):  # nothing was valid, so nothing is defined
        empty = tile(np.zeros(shape, source.data.dtype), valid, regions.nothing(len(valid)))
        empty.written = source.written
        return empty
    data: Array = source.data.reshape(shape)
    defined = regions.without_axes(source.defined, axes) if regions.count(source.valid) else FULL
    return _same_memory(source, data, valid, defined)


@impl("unsqueeze")
def unsqueeze(m: Machine, op: Op) -> Tile:
    """With a new axis of extent 1."""
    value = op.operands[0]
    assert isinstance(value, Value)
    source = m.tile(value)
    m.note_read(value, (0,) * len(source.valid), source.valid)
    axis: int = op.attrs["dim"]
    valid = (*source.valid[:axis], 1, *source.valid[axis:])
    return _same_memory(source, np.expand_dims(source.data, axis), valid, regions.with_axis(source.defined, axis))


def _same_memory(source: Tile, data: Array, valid: Extents, defined: Region) -> Tile:
    if np.may_share_memory(data, source.data):
        return borrow(source, data, valid, defined, written=source.written, clean=source.clean)
    copied = tile(data, valid, defined)
    copied.written, copied.clean = source.written, source.clean
    return copied
