"""Sorting of value and position pairs: groups of 32 elements, and runs of pairs four at a time."""

from __future__ import annotations

import numpy as np

from openpto.ir.nodes import Op
from openpto.ops.pairs import GROUP, WAYS

from .creation import result_of
from .handlers import impl
from .machine import Machine
from .sort import order, whole_rows
from .tiles import Array, Tile, framed, tile


@impl("sort32")
def sort32(m: Machine, op: Op) -> Tile:
    """Each group sorted from the greatest down, its elements followed by their positions as bits."""
    source = m.read(op.operands[0])
    length = source.valid[-1]
    body = np.empty((*source.valid[:-1], 2 * length), np.float32)
    for start in range(0, length, GROUP):
        group = source.body[..., start : start + GROUP]
        positions = order(group, -1, True)
        pairs = body[..., 2 * start : 2 * start + 2 * group.shape[-1]]
        pairs[..., 0::2] = np.take_along_axis(group, positions, -1)
        pairs.view(np.int32)[..., 1::2] = positions + (op.attrs["index"] + start)
    shape = m.shape(result_of(op).type)
    return tile(framed(body, shape), body.shape, whole_rows(m, op, source, -1, body.shape))


@impl("mrgsort")
def mrgsort(m: Machine, op: Op) -> Tile:
    """Each four neighbouring runs of pairs as one run."""
    source = m.read(op.operands[0])
    pairs = source.valid[-1] // 2
    run = WAYS * op.attrs["mergesize"]
    body = source.body[..., : 2 * pairs].copy()
    for start in range(0, pairs, run):
        part = body[..., 2 * start : 2 * min(start + run, pairs)]
        part[...] = _sorted_pairs(part)
    shape = m.shape(result_of(op).type)
    return tile(framed(body, shape), body.shape, whole_rows(m, op, source, -1, body.shape))


def _sorted_pairs(words: Array) -> Array:
    pairs = words.reshape(*words.shape[:-1], words.shape[-1] // 2, 2)
    positions = order(pairs[..., 0], -1, True)
    return np.take_along_axis(pairs, positions[..., None], -2).reshape(words.shape)
