"""Tiles made by position: slices by an index list, one-hot rows, triangles."""

from __future__ import annotations

from openpto.ir.dtypes import DataType
from openpto.ir.nodes import Imm, Op, TileType, Value
from openpto.ops import arith

from . import loopir as L
from .build import Arr, Num, copy, each, positions
from .elementwise import result_of, warn_undefined
from .handlers import lowers
from .indexing import checked_positions
from .loopir import Compute, Index, Lane, Store, Vector
from .lower import Lowering, shown
from .movement import zero
from .tiles import NTile

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
    checked_positions(low, index, axis, source.valid[axis], value.name)
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
    made = low.like(source, source.mask is not None)
    down, right = counting(low, rows), counting(low, columns)
    lead = (0,) * (len(source.shape) - 2)
    i, j = Arr(down.at, (*lead, 1, 0)), Arr(right.at, (*lead, 0, 1))
    distance = arith.var(INT64, 2) - arith.var(INT64, 1)
    bound = arith.var(INT64, 3)
    kept = distance <= bound if op.name == "tril" else distance >= bound
    element = arith.select(kept, arith.var(source.dtype), zero(source.dtype))
    each(low.b, source.valid, [source.arr, i, j, Num(limit, INT64)], element, made.arr)
    if made.mask is not None:
        assert source.mask is not None
        mark = arith.select(kept, arith.var(arith.BOOL), arith.const(True, arith.BOOL))
        each(low.b, source.valid, [source.mask, i, j, Num(limit, INT64)], mark, made.mask)
    return made
