"""Single elements, and gathers by index tensors."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from openpto.ir.expr import Expr
from openpto.ir.nodes import Op, Value
from openpto.runtime.places import shown

from . import regions
from .creation import result_of
from .handlers import impl
from .machine import Machine
from .regions import FULL, Extents, Region
from .tiles import Tile, framed, tile, zero_padded


def checked_index(m: Machine, index: Sequence[int], extents: Extents, var: int) -> Extents:
    """``index`` if it lies inside ``extents``; else a fault."""
    for axis, (i, n) in enumerate(zip(index, extents, strict=True)):
        if not 0 <= i < n:
            m.fault("PTO408", name=m.name_of(var), index=shown(index), axis=axis, extent=n)
    return tuple(index)


@impl("read_scalar")
def read_scalar(m: Machine, op: Op) -> int:
    """One element as a run-time integer; it must be defined."""
    value = op.operands[0]
    assert isinstance(value, Value)
    source = m.source(value)
    wanted = [m.scalars.of(o) for o in op.operands[1:] if isinstance(o, Expr)]
    index = checked_index(m, wanted, source.valid, value.var)
    stops = tuple([i + 1 for i in index])
    if not regions.covers(source.defined, index, stops):
        m.fault("PTO402", name=m.name_of(value.var), index=shown(index))
    m.note_read(value, index, stops)
    return int(source.data[index])


@impl("valid_of")
def valid_of(m: Machine, op: Op) -> int | None:
    """The valid extent of an axis; of a name without a value there is none."""
    value = op.operands[0]
    assert isinstance(value, Value)
    axis: int = op.attrs["axis"]
    found = m.env[value]
    return None if found is None else found.valid[axis]


@impl("gather")
def gather(m: Machine, op: Op) -> Tile:
    """``out[i, j, k] = x[..index[i, j, k]..]`` along one axis, for the valid extents of the index."""
    value = op.operands[0]
    assert isinstance(value, Value)
    source, index = m.read(value), m.read(op.operands[1])
    axis: int = op.attrs["axis"]
    shape, valid = m.shape(result_of(op).type), index.valid
    if not regions.count(valid):
        return tile(np.zeros(shape, source.data.dtype), valid)
    positions = checked_positions(m, index, axis, source.valid[axis], value.var)
    cut = tuple([slice(None) if a == axis else slice(n) for a, n in enumerate(valid)])
    beyond = any(a != axis and n > source.valid[a] for a, n in enumerate(valid))
    body = np.take_along_axis((zero_padded(source) if beyond else source.data)[cut], positions, axis)
    defined: Region = FULL
    if beyond or source.defined is not None:
        mask = np.zeros(source.data.shape, np.bool_)
        mask[tuple([slice(n) for n in source.valid])] = regions.to_mask(source.defined, source.valid)
        defined = regions.from_mask(np.take_along_axis(mask[cut], positions, axis))
    return tile(framed(body, shape), valid, defined)


def checked_positions(m: Machine, index: Tile, axis: int, extent: int, var: int) -> NDArray[np.int64]:
    """The valid elements of an index tensor, which must be defined and lie in [0, extent)."""
    hole = regions.first_hole(index.defined, index.valid)
    if hole is not None:
        m.fault("PTO402", name="the index tensor", index=shown(hole))
    body = index.body
    bad = (body < 0) | (body >= extent)
    if bad.any():
        at = tuple(int(i) for i in np.argwhere(bad)[0])
        m.fault("PTO454", value=int(body[at]), at=shown(at), axis=axis, extent=extent, name=m.name_of(var))
    return body.astype(np.int64)
