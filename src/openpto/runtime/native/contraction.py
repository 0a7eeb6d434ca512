"""Matrix products: micro-kernel calls per batch position, then the epilogue on the block of C."""

from __future__ import annotations

from collections.abc import Sequence

from openpto.ir.dtypes import DataType
from openpto.ir.enums import TransMode
from openpto.ir.nodes import Op, TileType, Value
from openpto.ops import arith
from openpto.ops.arith import F32

from . import loopir as L
from .build import Arr, Lit, copy, each, fold_rows, positions
from .elementwise import literal, result_of, warn_undefined
from .handlers import lowers
from .loopir import Call, Index
from .lower import AND, TRUE, Lowering, Unsupported, shown
from .tiles import NTile

RELU = arith.build(lambda x: arith.maximum(x, 0.0), F32)


@lowers("matmul")
def matmul(low: Lowering, op: Op) -> NTile:
    """``a @ b`` with its epilogue; where the valid K extents differ the smaller one counts."""
    operand, type = op.operands[0], result_of(op).type
    assert isinstance(operand, Value)
    if operand.type.dtype is not DataType.DT_FP32 or type.dtype is not DataType.DT_FP32:
        raise Unsupported(f"matmul of {operand.type.dtype} to {type.dtype}")
    if op.attrs.get("trans_mode", TransMode.CAST_NONE) is not TransMode.CAST_NONE:
        raise Unsupported("matmul with trans_mode")
    tiles = [low.read(o) for o in op.operands if isinstance(o, Value)]
    left, right = tiles[0], tiles[1]
    bias = tiles[2] if op.attrs.get("bias") else None
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
    shape = low.shape(type)
    batch = _batch(low, left, right, a[1], b[1])
    m, n = a[1][-2], b[1][-1]
    made = low.fresh(type, shape, (*batch, m, n), any(t.mask is not None for t in tiles))
    _products(low, a, b, made, batch, (m, n, k), (left, right))
    _epilogue(low, op, made, bias)
    if made.mask is not None:
        _join_masks(low, op, made, (left, right, bias), k, batch)
    return made


Matrix = tuple[Arr, tuple[Index, ...]]


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


def _epilogue(low: Lowering, op: Op, made: NTile, bias: NTile | None) -> None:
    """Each step is one FP32 operation: + bias, x scale, ReLU."""
    valid = made.valid
    if bias is not None:
        n = valid[-1]
        low.check(
            L.binary("ge", bias.valid[-1], n),
            "PTO462",
            lambda *v: {"op": "matmul", "shapes": f"bias {shown(v[:-1])}", "want": f"{v[-1]} valid columns"},
            *bias.valid,
            n,
        )
        rank, own = len(valid), len(bias.shape)
        strides = [0 if c == 1 else s for c, s in zip(bias.shape, bias.arr.strides, strict=True)]
        spread = Arr(bias.arr.at, (*(0 for _ in range(rank - own)), *strides))
        each(low.b, valid, [made.arr, spread], arith.build(lambda x, y: x + y, F32, F32), made.arr)
    scale = op.attrs.get("scale")
    if scale is not None:
        factor = Lit(literal(scale, F32))
        each(low.b, valid, [made.arr, factor], arith.build(lambda x, y: x * y, F32, F32), made.arr)
    if op.attrs.get("relu"):
        each(low.b, valid, [made.arr], RELU, made.arr)


def _join_masks(
    low: Lowering,
    op: Op,
    made: NTile,
    tiles: tuple[NTile, NTile, NTile | None],
    k: Index,
    batch: Sequence[Index],
) -> None:
    """Rows of a and columns of b (and of the bias) that hold an undefined element make theirs undefined."""
    left, right, bias = tiles
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
    if bias is not None and bias.mask is not None:
        lead_axes = len(made.valid) - len(bias.shape)
        own = [0 if c == 1 else s for c, s in zip(bias.shape, bias.mask.strides, strict=True)]
        parts.append(Arr(bias.mask.at, (*(0 for _ in range(lead_axes)), *own)))
    expr = arith.var(arith.BOOL)
    for index in range(1, len(parts)):
        expr = expr & arith.var(arith.BOOL, index)
    each(low.b, made.valid, parts, expr, made.mask)
    warn_undefined(low, op, made)
