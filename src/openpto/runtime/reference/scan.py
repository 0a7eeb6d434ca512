"""Scans and searches along an axis: running sums and products, positions of extremes, whole axes."""

from __future__ import annotations

import numpy as np

from openpto.ir.dtypes import numpy_dtype
from openpto.ir.nodes import Op

from . import regions
from .accumulate import narrowed, widened
from .creation import result_of
from .handlers import impl
from .machine import Machine
from .reduce import ordered_keys
from .regions import FULL, Region
from .tiles import Array, Tile, borrow, framed, tile, whole


@impl("cumsum", "cumprod")
def scan(m: Machine, op: Op) -> Tile:
    """Ascending along the axis; integers in INT64, FP16 and BF16 in FP32 with one rounding per element."""
    source = m.read(op.operands[0])
    axis: int = op.attrs["axis"]
    type = result_of(op).type
    shape, host = m.shape(type), numpy_dtype(type.dtype)
    wide = widened(source.body)
    wide = wide.astype(host) if host.kind == "i" else wide
    combine = np.add if op.name == "cumsum" else np.multiply
    # ``accumulate`` is sequential by definition.
    body = combine.accumulate(wide, axis=axis, dtype=wide.dtype)
    defined: Region = FULL
    if source.defined is not None and not whole(source):
        m.warn("PTO431", op, op=op.called)
        mask = regions.to_mask(source.defined, source.valid)
        defined = regions.from_mask(np.logical_and.accumulate(mask, axis=axis))
    return tile(framed(narrowed(body, host), shape), source.valid, defined)


@impl("argmax", "argmin")
def position(m: Machine, op: Op) -> Tile:
    """The first position of the extreme; a NaN is the extreme, zeros of either sign are equal."""
    source = m.read(op.operands[0])
    axis: int = op.attrs["axis"]
    keepdim: bool = op.attrs["keepdim"]
    shape = m.shape(result_of(op).type)
    rows = regions.count([n for i, n in enumerate(source.valid) if i != axis])
    if source.valid[axis] == 0 and rows:
        m.fault("PTO464", op=op.called, axis=axis)
    keys = sort_keys(source.body, nan_is_greatest=op.name == "argmax")
    if rows:
        choose = np.argmax if op.name == "argmax" else np.argmin
        body = choose(keys, axis=axis, keepdims=keepdim).astype(np.int32)
    else:
        extents = [1 if i == axis else n for i, n in enumerate(source.valid) if keepdim or i != axis]
        body = np.zeros(extents, np.int32)
    defined: Region = FULL
    if source.defined is not None and not whole(source):
        m.warn("PTO431", op, op=op.called)
        defined = regions.reduced(source.defined, source.valid, (axis,))
        if not keepdim:
            defined = regions.without_axes(defined, (axis,))
    return tile(framed(body, shape), body.shape, defined)


def sort_keys(x: Array, *, nan_is_greatest: bool = True) -> Array:
    """Integers in the order of the elements; equal ones where the elements are equal (-0 and +0 are)."""
    wide = widened(x)
    if wide.dtype.kind in "iu":
        return wide
    return ordered_keys(wide + wide.dtype.type(0), nan_is_greatest)


@impl("whole")
def whole_axes(m: Machine, op: Op) -> Tile:
    """The operand, whose named axes must be valid throughout."""
    source = m.read(op.operands[0])
    for axis in op.attrs["axes"]:
        if source.valid[axis] != source.data.shape[axis]:
            m.fault("PTO465", op=op.attrs["asked"], axis=axis, have=source.valid[axis], extent=source.data.shape[axis])
    defined = source.defined.copy() if isinstance(source.defined, np.ndarray) else source.defined
    return borrow(source, source.data, source.valid, defined, clean=source.clean)
