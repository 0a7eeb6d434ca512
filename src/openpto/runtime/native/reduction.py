"""Reductions in the contract's order (see ``runtime/reference/reduce.py``)."""

from __future__ import annotations

from openpto.ir.dtypes import DataType
from openpto.ir.nodes import Op, TileType
from openpto.ops import arith
from openpto.ops.arith import BOOL, INTEGERS, REALS
from openpto.ops.registry import OPS, Reduce

from . import loopir as L
from .build import Arr, copy, count, fill, fold_columns, fold_rows
from .elementwise import result_of, warn_undefined
from .handlers import lowers
from .lower import Lowering
from .tiles import NTile

_STEPS = {
    "sum": lambda a, b: a + b,
    "prod": lambda a, b: a * b,
    "amax": arith.maximum,
    "amin": arith.minimum,
}


def _identity(kind: str, dtype: DataType) -> tuple[arith.Expr, arith.Expr]:
    """(start of an accumulator, result over nothing)."""
    if kind in ("sum", "prod"):
        if dtype in INTEGERS:
            one = arith.const(0 if kind == "sum" else 1, dtype)
            return one, one
        return (arith.const(-0.0, dtype), arith.const(0.0, dtype)) if kind == "sum" else (arith.const(1.0, dtype),) * 2
    if dtype is BOOL:
        value = arith.const(kind == "amin", BOOL)
    elif dtype in INTEGERS:
        value = arith.const(arith.int_range(dtype)[0 if kind == "amax" else 1], dtype)
    else:
        value = arith.const(float("-inf") if kind == "amax" else float("inf"), dtype)
    return value, value


def _step(kind: str, dtype: DataType) -> arith.Expr:
    if dtype is BOOL:
        x, y = arith.var(BOOL), arith.var(BOOL, 1)
        return x | y if kind == "amax" else x & y
    return arith.build(_STEPS[kind], dtype, dtype)


def _ordered(kind: str, dtype: DataType) -> tuple[arith.Expr, arith.Expr, arith.Expr, arith.Expr]:
    """(step, join, start, finish) of an extreme of floats, found among integers of the same order.

    A fold waits for the one before it, and an integer maximum takes one cycle where the float's, which has to look at
    NaN and at the signs of zeros, takes a dozen. NaN becomes the integer that wins; it has no other place in the order.
    """
    whole = arith.I32 if dtype is arith.F32 else arith.I64
    low, high = arith.int_range(whole)
    wins, loses = (high, float("-inf")) if kind == "amax" else (low, float("inf"))
    pick = arith.maximum if kind == "amax" else arith.minimum

    def key(bits: arith.Expr) -> arith.Expr:
        """Bits of a float to an integer of its place in the order, and back: negative floats are turned round."""
        return bits ^ arith.lshr(bits >> (arith.width(whole) - 1), 1)

    def placed(x: arith.Expr) -> arith.Expr:
        return arith.select(arith.ne(x, x), arith.const(wins, whole), key(arith.bitcast(x, whole)))

    acc, other, x = arith.var(whole), arith.var(whole, 1), arith.var(dtype, 1)
    bits = int(arith.const(loses, dtype).attr or 0)
    start = bits if bits <= high else (bits ^ high) - 2 ** arith.width(whole)
    finish = arith.bitcast(key(acc), dtype)
    return pick(acc, placed(x)), pick(acc, other), arith.const(start, whole), finish


@lowers("reduce")
def reduce(low: Lowering, op: Op) -> NTile:
    """A fold over axes; an axis without valid elements gives the identity."""
    arithmetic = OPS[op.name].arithmetic
    assert isinstance(arithmetic, Reduce)
    source = low.read(op.operands[0])
    axes = tuple(sorted(op.attrs["axes"]))
    keepdim: bool = op.attrs["keepdim"]
    type = result_of(op).type
    shape = low.shape(type)
    rank = len(source.shape)
    kept = [a for a in range(rank) if a not in axes]
    extents = [source.valid[a] for a in kept]
    valid = tuple(source.valid[a] if a in kept else 1 for a in range(rank)) if keepdim else tuple(extents)
    made = low.fresh(type, shape, valid, source.mask is not None)
    out = _result_view(made.arr, kept, keepdim)
    fold(low, arithmetic.kind, source.arr, source, axes, out)
    if made.mask is not None:
        assert source.mask is not None
        fold(low, "amin", source.mask, source, axes, _result_view(made.mask, kept, keepdim))
        warn_undefined(low, op, made)
    return made


def _result_view(arr: Arr, kept: list[int], keepdim: bool) -> Arr:
    return Arr(arr.at, tuple(arr.strides[a] for a in kept)) if keepdim else arr


def fold(low: Lowering, kind: str, arr: Arr, source: NTile, axes: tuple[int, ...], out: Arr) -> None:
    """Reduce ``arr`` (elements or mask of ``source``) over ``axes`` into ``out``, which has the kept axes."""
    b, dtype, rank = low.b, arr.dtype, len(source.shape)
    step, (init, nothing) = _step(kind, dtype), _identity(kind, dtype)
    kept = [a for a in range(rank) if a not in axes]
    extents = [source.valid[a] for a in kept]
    length = low.b.hold(count([source.valid[a] for a in axes]))
    reduced = [a for a in axes if source.valid[a] != 1 or a == rank - 1]
    last = rank - 1 in axes
    order = [*kept, *axes]
    if len(reduced) == 1:
        line = Arr(arr.at, tuple(arr.strides[a] for a in [*kept, reduced[0]]))
    else:  # several axes: their valid elements in row-major order form one
        size = count([source.shape[a] for a in order])
        packed = low.fresh(TileType((), dtype), (size,), (size,))
        ranked = [source.valid[a] for a in order]
        strides = _packed_strides(ranked)
        copy(b, ranked, Arr(arr.at, tuple(arr.strides[a] for a in order)), Arr(packed.arr.at, strides))
        line = Arr(packed.arr.at, (*strides[: len(kept)], 1))
    if last and dtype in REALS and kind in ("amax", "amin"):
        step, join, start, finish = _ordered(kind, dtype)
        fold_rows(b, extents, length, line, out, step, start, finish, join)
    elif last:
        fold_rows(b, extents, length, line, out, step, init)
    else:
        first = Arr(line.at, (line.strides[-1], *line.strides[:-1]))
        fold_columns(b, extents, length, first, out, step, init)
    if init is not nothing:
        with b.when(L.binary("eq", length, 0)):
            fill(b, extents, nothing, out)


def _packed_strides(extents: list[L.Index]) -> tuple[L.Index, ...]:
    strides: list[L.Index] = []
    step: L.Index = 1
    for n in reversed(extents):
        strides.append(step)
        step = L.mul(step, n)
    return tuple(reversed(strides))
