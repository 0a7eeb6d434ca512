"""Tiles made by position: slices by an index list, one-hot rows, triangles, every second element."""

from __future__ import annotations

from openpto.ir.dtypes import DataType
from openpto.ir.nodes import Imm, Op, TileType, Value
from openpto.ops import arith
from openpto.runtime.places import shown

from . import loopir as L
from .build import Arr, Num, copy, each, fill, positions
from .elementwise import result_of, warn_undefined
from .handlers import lowers
from .indexing import checked_positions
from .loopir import Compute, Index, Lane, Store, Vector
from .lower import TRUE, Lowering
from .movement import shared
from .tiles import NTile, zero

INT64 = DataType.DT_INT64


@lowers("index_select")
def index_select(low: Lowering, op: Op) -> NTile:
    """The axes of the index replace the axis of the source."""
    value = op.operands[0]
    assert isinstance(value, Value)
    source, index = low.read(value), low.read(op.operands[1])
    axis: int = op.attrs["axis"]
    type = result_of(op).type
    shape = low.shape(type)
    checked_positions(low, index, axis, source.valid[axis], value.var)
    before, after = source.valid[:axis], source.valid[axis + 1 :]
    made = low.fresh(type, shape, (*before, *index.valid, *after), source.mask is not None)
    with positions(low.b, index.valid) as at:
        where = low.b.hold(L.Peek(index.arr.moved(at).at), "where")
        pairs = [(source.arr, made.arr)]
        if made.mask is not None:
            assert source.mask is not None
            pairs.append((source.mask, made.mask))
        for have, out in pairs:
            rank = len(have.strides)
            origin = have.moved([where if a == axis else 0 for a in range(rank)])
            goal = out.moved([*(0 for _ in before), *at, *(0 for _ in after)])
            others = (*have.strides[:axis], *have.strides[axis + 1 :])
            rest = (*out.strides[:axis], *out.strides[axis + len(at) :])
            copy(low.b, (*before, *after), Arr(origin.at, others), Arr(goal.at, rest))
    return made


def counting(low: Lowering, length: Index) -> Arr:
    """0, 1, 2 ... in INT64."""
    line = low.fresh(TileType((), INT64), (length,), (length,)).arr
    low.b.add(Vector(length, (Lane("i"), Compute("y", arith.var(INT64), ("i",)), Store(line.at, 1, "y"))))
    return line


@lowers("one_hot")
def one_hot(low: Lowering, op: Op) -> NTile:
    """1 at the position of the class; an element that is no class is a fault."""
    source = low.read(op.operands[0])
    type = result_of(op).type
    shape = low.shape(type)
    classes, rank = shape[-1], len(source.valid)
    made = low.fresh(type, shape, (*source.valid, classes), source.mask is not None)
    if made.mask is not None:
        assert source.mask is not None
        copy(low.b, made.valid, Arr(source.mask.at, (*source.mask.strides, 0)), made.mask)
        warn_undefined(low, op, made)
    with positions(low.b, source.valid) as at:
        value = low.b.hold(L.Peek(source.arr.moved(at).at), "class")
        inside = L.binary("and", L.binary("ge", value, 0), L.binary("lt", value, classes))
        if source.mask is not None:
            inside = L.binary("or", inside, L.binary("eq", L.Peek(source.mask.moved(at).at), 0))
        low.check(
            inside,
            "PTO467",
            lambda *v: {"value": v[0], "at": shown(v[2 : 2 + rank]), "classes": v[1]},
            value,
            classes,
            *at,
        )
    line = counting(low, classes)
    numbers = Arr(line.at, (*(0 for _ in range(rank)), 1))
    x = arith.var(source.dtype)
    wide = x if source.dtype is INT64 else arith.convert(x, INT64)
    hit = arith.select(arith.eq(wide, arith.var(INT64, 1)), arith.const(1, type.dtype), arith.const(0, type.dtype))
    each(low.b, made.valid, [Arr(source.arr.at, (*source.arr.strides, 0)), numbers], hit, made.arr)
    return made


@lowers("tril", "triu")
def triangle(low: Lowering, op: Op) -> NTile:
    """Elements on one side of a diagonal; zeros on the other, which are defined whatever was there."""
    source = low.read(op.operands[0])
    operand = op.operands[1]
    assert not isinstance(operand, Value)
    diagonal: Index = int(operand.value) if isinstance(operand, Imm) else low.b.hold(low.scalar(operand))
    rows, columns = source.shape[-2:]
    limit = low.b.hold(L.binary("max", L.binary("min", diagonal, columns), L.sub(0, rows)))
    made = low.fresh(result_of(op).type, source.shape, source.valid, source.mask is not None)
    down, right = counting(low, rows), counting(low, columns)
    lead = (0,) * (len(source.shape) - 2)
    i, j = Arr(down.at, (*lead, 1, 0)), Arr(right.at, (*lead, 0, 1))
    distance = arith.var(INT64, 2) - arith.var(INT64, 1)
    bound = arith.var(INT64, 3)
    kept = distance <= bound if op.name == "tril" else distance >= bound
    element = arith.select(kept, arith.var(source.dtype), zero(source.dtype))
    if made.dtype is not source.dtype:  # a promoted BF16 tile goes on as FP32
        element = arith.convert(element, made.dtype)
    each(low.b, source.valid, [source.arr, i, j, Num(limit, INT64)], element, made.arr)
    if made.mask is not None:
        assert source.mask is not None
        mark = arith.select(kept, arith.var(arith.BOOL), arith.const(True, arith.BOOL))
        each(low.b, source.valid, [source.mask, i, j, Num(limit, INT64)], mark, made.mask)
    return made


@lowers("gathermask", "deinterleave")
def every(low: Lowering, op: Op) -> NTile:
    """Elements of the last axis at a fixed distance; a window on the operand's memory."""
    source = low.read(op.operands[0])
    start, step = op.attrs["start"], op.attrs["step"]

    def thinned(arr: Arr) -> Arr:
        moved = arr.moved([*(0 for _ in arr.strides[:-1]), start])
        return Arr(moved.at, (*arr.strides[:-1], L.mul(arr.strides[-1], step)))

    def left(extent: Index) -> Index:
        return low.b.hold(steps(L.sub(extent, start), step))

    made = NTile(
        thinned(source.arr),
        (*source.shape[:-1], left(source.shape[-1])),
        (*source.valid[:-1], left(source.valid[-1])),
        None if source.mask is None else thinned(source.mask),
        source.memory,
        source.marks,
    )
    return shared(low, op, made)


def steps(extent: Index, step: int) -> Index:
    """How many multiples of ``step`` lie in [0, extent)."""
    if isinstance(extent, int):
        return max(0, -(-extent // step))
    return L.Bin("div", L.binary("max", L.add(extent, step - 1), 0), step)


@lowers("interleave")
def interleave(low: Lowering, op: Op) -> NTile:
    """One half of two tiles merged alternately along the last axis."""
    tiles = [low.read(o) for o in op.operands]
    type = result_of(op).type
    shape = low.shape(type)
    half = shape[-1]
    valid = [low.b.hold(L.binary("min", a, b)) for a, b in zip(tiles[0].valid, tiles[1].valid, strict=True)]
    first: Index = half if op.attrs["half"] else 0
    there = L.binary("max", L.sub(L.mul(valid[-1], 2), first), 0)
    last = low.b.hold(L.binary("min", there, half))
    made = low.fresh(type, shape, (*valid[:-1], last), any(t.mask is not None for t in tiles))
    lead = [0] * (len(shape) - 1)
    for number, t in enumerate(tiles):
        skip = (number + first) % 2 if isinstance(first, int) else low.b.hold(L.Bin("mod", L.add(first, number), 2))
        extents = (*valid[:-1], low.b.hold(steps(L.sub(last, skip), 2)))

        def part(arr: Arr, skip: Index = skip) -> Arr:
            return Arr(arr.moved([*lead, skip]).at, (*arr.strides[:-1], L.mul(arr.strides[-1], 2)))

        begin = L.add(first, skip)
        origin = [*lead, begin // 2 if isinstance(begin, int) else low.b.hold(L.Bin("div", begin, 2))]
        copy(low.b, extents, t.arr.moved(origin), part(made.arr))
        if made.mask is not None and t.mask is None:
            fill(low.b, extents, TRUE, part(made.mask))
        elif made.mask is not None and t.mask is not None:
            copy(low.b, extents, t.mask.moved(origin), part(made.mask))
    return made
