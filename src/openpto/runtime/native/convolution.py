"""Windows of the input of a convolution."""

from __future__ import annotations

from math import prod

from openpto.ir.nodes import Op
from openpto.ops.convolution import Geometry

from . import loopir as L
from .build import Arr, compact, copy, fill, positions
from .elementwise import result_of
from .handlers import lowers
from .loopir import Index
from .lower import TRUE, Lowering
from .tiles import NTile, zero


@lowers("windows")
def windows(low: Lowering, op: Op) -> NTile:
    """Zeros, which are defined, and for every kernel position the box of output positions that meets the input."""
    b, source = low.b, low.read(op.operands[0])
    shape = Geometry(*op.attrs["shape"])
    spatial: tuple[int, ...] = op.attrs["spatial"]
    type = result_of(op).type
    extents = low.shape(type)
    made = low.fresh(type, extents, (source.valid[0], *extents[1:]), source.mask is not None)
    fill(b, made.valid, zero(type.dtype), made.arr)
    if made.mask is not None:
        fill(b, made.valid, TRUE, made.mask)
    part = extents[2] // prod(shape.kernel) if isinstance(extents[2], int) else 1
    with positions(b, shape.kernel) as at:
        boxes = [_box(low, source, shape, spatial, axis, p) for axis, p in enumerate(at)]
        for have, goal in ((source.arr, made.arr), (source.mask, made.mask)):
            if have is not None and goal is not None:
                _copy_box(low, shape, spatial, at, boxes, have, goal, (source.valid[0], shape.groups, part))
    return made


Box = tuple[Index, Index, Index]
"""Of one axis: the first output position, how many there are, and the input position of the first."""


def _box(low: Lowering, source: NTile, shape: Geometry, spatial: tuple[int, ...], axis: int, position: Index) -> Box:
    """Output positions o with 0 <= o * stride + position * dilation - padding < extent."""
    b, stride, extent = low.b, shape.strides[axis], source.shape[axis + 2]
    shift = b.hold(L.sub(L.mul(position, shape.dilations[axis]), shape.paddings[axis][0]), "shift")
    before = L.binary("max", L.sub(0, shift), 0)
    first = b.hold(L.Bin("div", L.add(before, stride - 1), stride), "first")
    beyond = L.binary("max", L.add(L.sub(L.sub(extent, 1), shift), stride), 0)
    stop = L.binary("min", L.Bin("div", beyond, stride), spatial[axis])
    count = b.hold(L.binary("max", L.sub(stop, first), 0), "count")
    # An empty box must not point outside: its position counts as 0.
    start = L.binary("max", L.add(L.mul(first, stride), shift), 0)
    return first, count, b.hold(L.Pick(L.binary("eq", count, 0), 0, start), "start")


def _copy_box(
    low: Lowering,
    shape: Geometry,
    spatial: tuple[int, ...],
    at: tuple[Index, ...],
    boxes: list[Box],
    have: Arr,
    goal: Arr,
    outer: tuple[Index, int, int],
) -> None:
    """Copy for all batches, groups and channels what one kernel position sees."""
    batch, groups, part = outer
    number: Index = 0
    for p, k in zip(at, shape.kernel, strict=True):
        number = L.add(L.mul(number, k), p)
    row, column = goal.strides[2], goal.strides[3]
    steps = compact(spatial)
    place: Index = 0
    for (first, _, _), step in zip(boxes, steps, strict=True):
        place = L.add(place, L.mul(first, step))
    target = goal.moved((0, 0, number, place)).at
    source = have.moved((0, 0, *(start for _, _, start in boxes))).at
    n, channel = have.strides[:2]
    extents = (batch, groups, part, *(count for _, count, _ in boxes))
    reads = (n, L.mul(channel, part), channel, *map(L.mul, have.strides[2:], shape.strides))
    writes = (*goal.strides[:2], L.mul(row, prod(shape.kernel)), *(L.mul(column, step) for step in steps))
    copy(low.b, extents, Arr(source, reads), Arr(target, writes))
