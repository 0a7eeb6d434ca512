"""Scans and searches along an axis: running sums and products, positions of extremes, axes that must be whole."""

from __future__ import annotations

from openpto.ir.dtypes import DataType
from openpto.ir.nodes import Op, TileType
from openpto.ops import arith

from . import loopir as L
from .build import Arr, Num, count, each, fill, fold_columns
from .elementwise import result_of, warn_undefined
from .handlers import lowers
from .loopir import Index
from .lower import AND, TRUE, Lowering
from .movement import shared
from .tiles import NTile

INT32, INT64 = DataType.DT_INT32, DataType.DT_INT64


def key_type(dtype: DataType) -> DataType:
    """The integer type that the order of elements of ``dtype`` is compared in."""
    if dtype is arith.F32 or dtype in arith.HALVES:
        return INT32
    return INT64 if dtype is arith.F64 else dtype


def sort_key(x: arith.Expr, nan_is_greatest: bool = True) -> arith.Expr:
    """An integer that compares as the element does; zeros of either sign are equal, a NaN is at the chosen end."""
    if x.dtype in arith.INTEGERS:
        return x
    wide = arith.convert(x, arith.F32) if x.dtype in arith.HALVES else x
    integer = key_type(wide.dtype)
    bits = arith.bitcast(wide + arith.const(0.0, wide.dtype), integer)
    least, most = arith.int_range(integer)
    sign = bits >> (arith.width(integer) - 1)
    folded = bits ^ (sign & arith.const(most, integer))
    return arith.select(arith.is_nan(wide), arith.const(most if nan_is_greatest else least, integer), folded)


def along(arr: Arr, axis: int, k: Index) -> Arr:
    """The slice at position ``k`` of an axis, without that axis."""
    strides = arr.strides
    moved = arr.moved([k if a == axis else 0 for a in range(len(strides))])
    return Arr(moved.at, (*strides[:axis], *strides[axis + 1 :]))


@lowers("cumsum", "cumprod")
def scan(low: Lowering, op: Op) -> NTile:
    """Ascending along the axis; integers in INT64, FP16 and BF16 in FP32 with one rounding per element."""
    source = low.read(op.operands[0])
    axis: int = op.attrs["axis"]
    type = result_of(op).type
    made = low.fresh(type, low.shape(type), source.valid, source.mask is not None)
    enter = arith.convert(arith.var(source.dtype), arith.F32) if source.dtype in arith.HALVES else _exact(source, type)
    total, item = arith.var(enter.dtype), arith.var(enter.dtype, 1)
    step = total + item if op.name == "cumsum" else total * item
    leave = arith.convert(total, type.dtype) if enter.dtype is not type.dtype else total
    _running(low, source, axis, source.arr, made.arr, enter, step, leave)
    if made.mask is not None:
        assert source.mask is not None
        x = arith.var(arith.BOOL)
        _running(low, source, axis, source.mask, made.mask, x, AND, x)
        warn_undefined(low, op, made)
    return made


def _exact(source: NTile, type: TileType) -> arith.Expr:
    x = arith.var(source.dtype)
    return arith.convert(x, type.dtype) if source.dtype in arith.INTEGERS and source.dtype is not type.dtype else x


def _running(
    low: Lowering,
    source: NTile,
    axis: int,
    arr: Arr,
    out: Arr,
    enter: arith.Expr,
    step: arith.Expr,
    leave: arith.Expr,
) -> None:
    """``out[k] = leave(t[k])`` with ``t[0] = enter(arr[0])``, ``t[k] = step(t[k - 1], enter(arr[k]))``."""
    b, length = low.b, source.valid[axis]
    kept = (*source.valid[:axis], *source.valid[axis + 1 :])
    shape = (*source.shape[:axis], *source.shape[axis + 1 :])
    totals = low.fresh(TileType((), enter.dtype), shape, kept).arr
    items = low.fresh(TileType((), enter.dtype), shape, kept).arr
    with b.when(L.binary("gt", length, 0)):
        each(b, kept, [along(arr, axis, 0)], enter, totals)
        each(b, kept, [totals], leave, along(out, axis, 0))
    with b.loop(length, 1, hint="k") as k:
        each(b, kept, [along(arr, axis, k)], enter, items)
        each(b, kept, [totals, items], step, totals)
        each(b, kept, [totals], leave, along(out, axis, k))


@lowers("argmax", "argmin")
def position(low: Lowering, op: Op) -> NTile:
    """The first position of the extreme; a NaN is the extreme, zeros of either sign are equal."""
    source = low.read(op.operands[0])
    axis: int = op.attrs["axis"]
    keepdim: bool = op.attrs["keepdim"]
    type = result_of(op).type
    shape = low.shape(type)
    kept = (*source.valid[:axis], *source.valid[axis + 1 :])
    length, name = source.valid[axis], op.called
    ok = L.binary("or", L.binary("ne", length, 0), L.binary("eq", low.b.hold(count(kept)), 0))
    low.check(ok, "PTO464", lambda: {"op": name, "axis": axis})
    valid = (*source.valid[:axis], 1, *source.valid[axis + 1 :]) if keepdim else kept
    made = low.fresh(type, shape, valid, source.mask is not None)
    out = along(made.arr, axis, 0) if keepdim else made.arr
    _search(low, source, axis, kept, out, greatest=name == "argmax")
    if made.mask is not None:
        assert source.mask is not None
        marks = along(made.mask, axis, 0) if keepdim else made.mask
        strides = source.mask.strides
        first = Arr(source.mask.at, (strides[axis], *strides[:axis], *strides[axis + 1 :]))
        fold_columns(low.b, kept, length, first, marks, AND, TRUE)
        warn_undefined(low, op, made)
    return made


def _search(low: Lowering, source: NTile, axis: int, kept: tuple[Index, ...], out: Arr, greatest: bool) -> None:
    b = low.b
    shape = (*source.shape[:axis], *source.shape[axis + 1 :])
    key = sort_key(arith.var(source.dtype), nan_is_greatest=greatest)
    best = low.fresh(TileType((), key.dtype), shape, kept).arr
    item = low.fresh(TileType((), key.dtype), shape, kept).arr
    x, y = arith.var(key.dtype), arith.var(key.dtype, 1)
    better = y > x if greatest else y < x
    fill(b, kept, arith.const(0, INT32), out)
    with b.when(L.binary("gt", source.valid[axis], 0)):
        each(b, kept, [along(source.arr, axis, 0)], key, best)
    with b.loop(source.valid[axis], 1, hint="k") as k:
        each(b, kept, [along(source.arr, axis, k)], key, item)
        where = arith.select(better, arith.convert(arith.var(INT64, 3), INT32), arith.var(INT32, 2))
        each(b, kept, [best, item, out, Num(k, INT64)], where, out)
        each(b, kept, [best, item], arith.select(better, y, x), best)


@lowers("whole")
def whole(low: Lowering, op: Op) -> NTile:
    """The operand, whose named axes must be valid throughout."""
    source = low.read(op.operands[0])
    asked = op.attrs["asked"]
    for axis in op.attrs["axes"]:
        have, extent = source.valid[axis], source.shape[axis]
        low.check(
            L.binary("eq", have, extent),
            "PTO465",
            lambda *v, axis=axis: {"op": asked, "axis": axis, "have": v[0], "extent": v[1]},
            have,
            extent,
        )
    return shared(low, op, source)
