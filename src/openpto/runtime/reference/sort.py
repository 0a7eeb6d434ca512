"""Sorting along an axis: stable, over the valid extent."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from openpto.ir.nodes import Op

from . import regions
from .creation import result_of
from .handlers import impl
from .machine import Machine
from .regions import FULL, Region
from .scan import sort_keys
from .tiles import Array, Tile, framed, tile, whole


def order(x: Array, axis: int, descending: bool) -> NDArray[np.int64]:
    """Positions of the elements in sorted order; equal elements keep theirs. A NaN counts as the greatest."""
    keys = sort_keys(x)
    # Inverting all bits reverses the order of integers, without an overflow.
    return np.argsort(np.invert(keys) if descending else keys, axis=axis, kind="stable")


@impl("topk", "topk_indices")
def topk(m: Machine, op: Op) -> Tile:
    """The first k of the sorted row: the elements, or their positions."""
    source = m.read(op.operands[0])
    k: int = op.attrs["k"]
    shape = m.shape(result_of(op).type)
    valid = (*source.valid[:-1], k)
    if source.valid[-1] < k and regions.count(valid):
        m.fault("PTO466", k=k, have=source.valid[-1])
    if not regions.count(valid):
        return tile(np.zeros(shape, np.int32 if op.name == "topk_indices" else source.data.dtype), valid)
    positions = order(source.body, -1, op.attrs["largest"])[..., :k]
    body = positions.astype(np.int32) if op.name == "topk_indices" else np.take_along_axis(source.body, positions, -1)
    return tile(framed(np.ascontiguousarray(body), shape), valid, whole_rows(m, op, source, -1, valid))


@impl("argsort")
def argsort(m: Machine, op: Op) -> Tile:
    """Positions in sorted order."""
    source = m.read(op.operands[0])
    axis: int = op.attrs["axis"]
    body = order(source.body, axis, op.attrs["descending"]).astype(np.int32)
    shape = m.shape(result_of(op).type)
    return tile(framed(body, shape), source.valid, whole_rows(m, op, source, axis, source.valid))


def whole_rows(m: Machine, op: Op, source: Tile, axis: int, valid: tuple[int, ...]) -> Region:
    """Rows that hold an undefined element are not defined."""
    if source.defined is None or whole(source):
        return FULL
    m.warn("PTO431", op, op=op.called)
    at = axis % len(valid)
    rows = regions.to_mask(source.defined, source.valid).all(axis=at, keepdims=True)
    return regions.from_mask(np.broadcast_to(rows, valid).copy())
