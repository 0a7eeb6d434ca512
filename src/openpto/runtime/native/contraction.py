"""Matrix products: micro-kernel calls per batch position, then the epilogue on the block of C."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from openpto.ir.dtypes import DataType
from openpto.ir.enums import CastMode, SaturationMode, TransMode
from openpto.ir.nodes import Op, TileType, Value
from openpto.ops import arith
from openpto.ops.arith import F32
from openpto.ops.math.conversion import cast_expression, kept_of_scale, tf32_expression
from openpto.runtime.places import shown

from . import loopir as L
from .build import Arr, Lit, copy, each, fill, fold_rows, positions
from .elementwise import literal, result_of, warn_undefined
from .handlers import lowers
from .loopir import Call, Index
from .lower import AND, TRUE, Lowering
from .tiles import NTile

RELU = arith.build(lambda x: arith.maximum(x, 0.0), F32)
Matrix = tuple[Arr, tuple[Index, ...]]
INT8, INT32 = DataType.DT_INT8, DataType.DT_INT32


@dataclass(frozen=True, slots=True)
class Rows:
    """What is added to and multiplied into every row of the result."""

    bias: NTile | None
    scales: NTile | None


@lowers("matmul")
def matmul(low: Lowering, op: Op) -> NTile:
    """``a @ b`` with its epilogue; where the valid K extents differ the smaller one counts."""
    type = result_of(op).type
    tiles = [low.read(o) for o in op.operands if isinstance(o, Value)]
    left, right = tiles[0], tiles[1]
    extras = iter(tiles[2:])
    rows = Rows(next(extras) if op.attrs.get("bias") else None, next(extras) if op.attrs.get("scale_tensor") else None)
    a = _matrix(left, bool(op.attrs.get("a_trans")))
    b = _matrix(right, bool(op.attrs.get("b_trans")))
    k_a, k_b = a[1][-1], b[1][-2]
    k = low.b.hold(L.binary("min", k_a, k_b))
    low.note(
        L.binary("ne", k_a, k_b),
        "PTO433",
        lambda *v: {"a": v[0], "b": v[1], "used": v[2]},
        k_a,
        k_b,
        k,
        kind="portability",
    )
    batch = _batch(low, left, right, a[1], b[1])
    m, n = a[1][-2], b[1][-1]
    for row, name in ((rows.scales, "scale_tensor"), (rows.bias, "bias")):
        if row is not None:
            _check_row(low, row, n, name)
    shape = low.shape(type)
    made = low.fresh(type, shape, (*batch, m, n), any(t.mask is not None for t in tiles))
    if left.dtype is INT8:
        total = _whole_products(low, a, b, made, batch, (m, n, k), (left, right))
    else:
        mode = op.attrs.get("trans_mode", TransMode.CAST_NONE)
        sides = tuple(_entering(low, t, mode) for t in (left, right))
        a = _matrix(sides[0], bool(op.attrs.get("a_trans")))
        b = _matrix(sides[1], bool(op.attrs.get("b_trans")))
        total = made if type.dtype is F32 else low.fresh(TileType((), F32), shape, made.valid)
        _products(low, a, b, total, batch, (m, n, k), (sides[0], sides[1]))
    _epilogue(low, op, total, made, rows)
    if made.mask is not None:
        _join_masks(low, op, made, (left, right, rows.bias, rows.scales), k)
    return made


def _entering(low: Lowering, tile: NTile, mode: TransMode) -> NTile:
    """An operand in FP32: FP16 and BF16 widened, FP32 as it is or rounded to TF32."""
    if tile.dtype is F32 and mode is TransMode.CAST_NONE:
        return tile
    expr = cast_expression(tile.dtype, F32) if mode is TransMode.CAST_NONE else tf32_expression(mode)
    wide = low.fresh(TileType((), F32), tile.shape, tile.valid)
    each(low.b, tile.valid, [tile.arr], expr, wide.arr)
    return wide


def _check_row(low: Lowering, row: NTile, n: Index, name: str) -> None:
    """A bias or scales must have as many valid columns as the result."""
    low.check(
        L.binary("ge", row.valid[-1], n),
        "PTO462",
        lambda *v: {"op": "matmul", "shapes": f"{name} {shown(v[:-1])}", "want": f"{v[-1]} valid columns"},
        *row.valid,
        n,
    )


def _whole_products(
    low: Lowering,
    a: Matrix,
    b: Matrix,
    made: NTile,
    batch: Sequence[Index],
    sizes: tuple[Index, Index, Index],
    tiles: tuple[NTile, NTile],
) -> NTile:
    """INT8 products summed in INT32, wrapping; the order does not matter."""
    m, n, k = sizes
    total = made if made.dtype is INT32 else low.fresh(TileType((), INT32), made.shape, made.valid)
    fill(low.b, total.valid, arith.const(0, INT32), total.arr)
    x, y = (arith.convert(arith.var(INT8, i), INT32) for i in (1, 2))
    step = arith.var(INT32) + x * y
    with positions(low.b, batch) as at, low.b.loop(m, hint="m") as i, low.b.loop(k, hint="k") as p:
        left = a[0].moved((*_place(at, tiles[0]), i, p))
        right = b[0].moved((*_place(at, tiles[1]), p, 0))
        row = total.arr.moved((*at, i, 0))
        line = Arr(row.at, total.arr.strides[-1:])
        each(low.b, (n,), [line, Arr(left.at, (0,)), Arr(right.at, b[0].strides[-1:])], step, line)
    return total


def _matrix(tile: NTile, transposed: bool) -> Matrix:
    """Elements and valid extents with the last two axes as (rows, columns) of the product."""
    strides, valid = tile.arr.strides, tile.valid
    if not transposed:
        return tile.arr, valid
    return Arr(tile.arr.at, (*strides[:-2], strides[-1], strides[-2])), (*valid[:-2], valid[-1], valid[-2])


def _batch(low: Lowering, left: NTile, right: NTile, a: Sequence[Index], b: Sequence[Index]) -> tuple[Index, ...]:
    """Valid batch extents; they are equal, or the capacity of one is 1."""
    batch: list[Index] = []
    for axis in range(len(a) - 2):
        one_left, one_right = left.shape[axis] == 1, right.shape[axis] == 1
        if not one_left and not one_right:
            low.check(
                L.binary("eq", a[axis], b[axis]),
                "PTO462",
                lambda *v: {
                    "op": "matmul",
                    "shapes": f"{shown(v[: len(v) // 2])}, {shown(v[len(v) // 2 :])}",
                    "want": "equal batch extents",
                },
                *a,
                *b,
            )
        if one_left and one_right:
            batch.append(L.binary("min", a[axis], b[axis]))
        else:
            batch.append(b[axis] if one_left else a[axis])
    return tuple(low.b.hold(n) for n in batch)


def _products(
    low: Lowering,
    a: Matrix,
    b: Matrix,
    made: NTile,
    batch: Sequence[Index],
    sizes: tuple[Index, Index, Index],
    tiles: tuple[NTile, NTile],
) -> None:
    m, n, k = sizes
    low.routines.setdefault("gemm_f32")
    rows = b[0]
    if rows.strides[-1] != 1:  # a transposed right operand is laid out along n first
        packed = low.fresh(TileType((), F32), (*tiles[1].shape[:-2], *_swapped(tiles[1], b)), ())
        copy(low.b, b[1], rows, packed.arr)
        rows = packed.arr
    with positions(low.b, batch) as at:
        own = [_place(p, t) for p, t in ((at, tiles[0]), (at, tiles[1]))]
        c = made.arr.moved((*at, 0, 0))
        x, y = a[0].moved((*own[0], 0, 0)), rows.moved((*own[1], 0, 0))
        low.b.add(
            Call(
                "gemm_f32",
                (c.at, made.arr.strides[-2], x.at, x.strides[-2], x.strides[-1], y.at, y.strides[-2], m, n, k),
            )
        )


def _swapped(tile: NTile, b: Matrix) -> tuple[Index, Index]:
    """Capacity of the right operand as (k, n)."""
    swapped = b[0].strides[-2:] != tile.arr.strides[-2:]
    return (tile.shape[-1], tile.shape[-2]) if swapped else (tile.shape[-2], tile.shape[-1])


def _place(position: Sequence[Index], tile: NTile) -> list[Index]:
    return [0 if tile.shape[axis] == 1 else p for axis, p in enumerate(position)]


def _epilogue(low: Lowering, op: Op, total: NTile, made: NTile, rows: Rows) -> None:
    """Steps of one rounding each: + bias, an INT32 that is scaled to FP32, x scale, ReLU, the type of the result."""
    valid, relu = made.valid, bool(op.attrs.get("relu"))
    scale = op.attrs.get("scale")
    if rows.bias is not None:
        bias = arith.var(rows.bias.dtype, 1)
        wide = bias if bias.dtype is total.dtype else arith.convert(bias, F32)
        each(low.b, valid, [total.arr, _spread(rows.bias, valid)], arith.var(total.dtype) + wide, total.arr)
    if total.dtype is INT32:
        scaled = scale is not None or rows.scales is not None
        if relu and not scaled:
            each(low.b, valid, [total.arr], arith.build(lambda x: arith.maximum(x, 0), INT32), total.arr)
        if not scaled:
            return
        total = _as_float(low, total, made)
    if rows.scales is not None:
        factor = _factors(low, rows.scales)
        each(low.b, valid, [total.arr, _spread(factor, valid)], PRODUCT, total.arr)
    elif scale is not None:
        each(low.b, valid, [total.arr, Lit(literal(scale, F32))], PRODUCT, total.arr)
    if relu:
        each(low.b, valid, [total.arr], RELU, total.arr)
    if total.memory is not made.memory:
        expr = cast_expression(F32, made.dtype, CastMode.CAST_RINT, SaturationMode.ON)
        each(low.b, valid, [total.arr], expr, made.arr)


PRODUCT = arith.build(lambda x, y: x * y, F32, F32)


def _as_float(low: Lowering, total: NTile, made: NTile) -> NTile:
    wide = made if made.dtype is F32 else low.fresh(TileType((), F32), made.shape, made.valid)
    each(low.b, made.valid, [total.arr], arith.convert(arith.var(INT32), F32), wide.arr)
    return wide


def _factors(low: Lowering, tensor: NTile) -> NTile:
    """FP32 patterns in the low halves of 64-bit integers, of which the device keeps the upper 19 bits."""
    plain = low.fresh(TileType((), F32), tensor.shape, tensor.valid)
    low_half = arith.convert(arith.var(tensor.dtype), arith.U32)
    each(low.b, tensor.valid, [tensor.arr], arith.bitcast(low_half, F32), plain.arr)
    each(low.b, tensor.valid, [plain.arr], kept_of_scale(), plain.arr)
    return plain


def _spread(row: NTile, valid: Sequence[Index]) -> Arr:
    """A row in front of every row of the result."""
    own = [0 if c == 1 else s for c, s in zip(row.shape, row.arr.strides, strict=True)]
    return Arr(row.arr.at, (*(0 for _ in range(len(valid) - len(own))), *own))


def _join_masks(
    low: Lowering, op: Op, made: NTile, tiles: tuple[NTile, NTile, NTile | None, NTile | None], k: Index
) -> None:
    """Rows of a and columns of b (of the bias, of the scales) that hold an undefined element make theirs undefined."""
    left, right, *added = tiles
    assert made.mask is not None
    m, n = made.valid[-2], made.valid[-1]
    parts: list[Arr] = []
    for tile, extent, trans, is_left in (
        (left, m, bool(op.attrs.get("a_trans")), True),
        (right, n, bool(op.attrs.get("b_trans")), False),
    ):
        if tile.mask is None:
            continue
        lines = tile.mask.strides
        inner = (lines[-1], lines[-2]) if trans == is_left else (lines[-2], lines[-1])
        lead = tile.shape[:-2]
        capacity = tile.shape[-2] if (not trans) == is_left else tile.shape[-1]
        fed = low.fresh(TileType((), arith.BOOL), (*lead, capacity), ())
        fold_rows(low.b, (*tile.valid[:-2], extent), k, Arr(tile.mask.at, (*lines[:-2], *inner)), fed.arr, AND, TRUE)
        own = [0 if c == 1 else s for c, s in zip(lead, fed.arr.strides[:-1], strict=True)]
        parts.append(Arr(fed.arr.at, (*own, 1, 0) if is_left else (*own, 0, 1)))
    for row in added:
        if row is not None and row.mask is not None:
            own = [0 if c == 1 else s for c, s in zip(row.shape, row.mask.strides, strict=True)]
            parts.append(Arr(row.mask.at, (*(0 for _ in range(len(made.valid) - len(row.shape))), *own)))
    expr = arith.var(arith.BOOL)
    for index in range(1, len(parts)):
        expr = expr & arith.var(arith.BOOL, index)
    each(low.b, made.valid, parts, expr, made.mask)
    warn_undefined(low, op, made)
