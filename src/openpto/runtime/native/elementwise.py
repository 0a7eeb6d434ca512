"""Element by element operations, casts and tiles made from nothing."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from openpto._records import replace
from openpto.ir.dtypes import DataType, numpy_dtype
from openpto.ir.expr import Dim, Expr
from openpto.ir.nodes import Imm, Op, Value
from openpto.ops import arith
from openpto.ops.promotion import CONVERT
from openpto.runtime.places import shown
from openpto.runtime.reference.pointwise import expression_of, said_while_tracing

from . import loopir as L
from .build import Input, Lit, Num, broadcast, each, fill
from .handlers import lowers
from .late import later
from .loopir import Compute, Index, Lane, Store, Vector
from .lower import TRUE, Lowering
from .tiles import NTile, stored_type


def result_of(op: Op) -> Value:
    """The tile an op makes."""
    result = op.results[0]
    assert isinstance(result, Value)
    return result


def explicit_valid(low: Lowering, shape: Sequence[Index], dims: Sequence[Dim]) -> tuple[Index, ...]:
    """A valid_shape that the author gave; outside of the shape it is a fault."""
    valid = low.dims(dims)
    ok: Index = 1
    for n, s in zip(valid, shape, strict=True):
        ok = L.binary("and", ok, L.binary("and", L.binary("ge", n, 0), L.binary("le", n, s)))
    rank = len(shape)
    low.check(ok, "PTO455", lambda *v: {"valid": shown(v[:rank]), "shape": shown(v[rank:])}, *valid, *shape)
    return valid


@lowers("pointwise")
def pointwise(low: Lowering, op: Op) -> NTile:
    """The valid extent per axis is the least of the operands that span the axis; a broadcast operand repeats."""
    type = result_of(op).type
    shape = low.shape(type)
    tiles = [low.read(o) for o in op.operands if isinstance(o, Value)]
    valid = _valid(low, op, shape, tiles)
    empty = _repeated_without_elements(tiles, shape)
    masked = any(t.mask is not None for t in tiles) or empty != 0
    inputs = [_input(low, o, shape) for o in op.operands]
    made = low.fresh(type, shape, valid, masked)
    each(low.b, valid, inputs, expression_of(op, type), made.arr)
    if masked:
        join_masks(low, op, tiles, made, empty)
    return made


def _repeated_without_elements(tiles: Sequence[NTile], shape: Sequence[Index]) -> Index:
    """Whether an operand that is repeated along an axis has no valid element there."""
    empty: Index = 0
    for t in tiles:
        for capacity, have, want in zip(t.shape, t.valid, shape[len(shape) - len(t.shape) :], strict=True):
            if capacity == want or (have == capacity and not isinstance(have, int)):
                continue
            repeated = L.binary("and", L.binary("eq", capacity, 1), L.binary("ne", want, 1))
            empty = L.binary("or", empty, L.binary("and", repeated, L.binary("eq", have, 0)))
    return empty


def join_masks(low: Lowering, op: Op, tiles: Sequence[NTile], made: NTile, empty: Index) -> None:
    """An element is defined if what it is made from is."""
    assert made.mask is not None
    parts: list[Input] = [broadcast(low.b, t.mask, t.shape, made.shape) for t in tiles if t.mask is not None]
    if parts:
        expr = arith.var(arith.BOOL)
        for k in range(1, len(parts)):
            expr = expr & arith.var(arith.BOOL, k)
        each(low.b, made.valid, parts, expr, made.mask)
    else:
        fill(low.b, made.valid, TRUE, made.mask)
    with low.b.when(low.b.hold(empty)):
        fill(low.b, made.valid, arith.const(False, arith.BOOL), made.mask)
    if op.name != CONVERT:
        warn_undefined(low, op, made)


def warn_undefined(low: Lowering, op: Op, made: NTile) -> None:
    """Tell once that undefined elements were computed with."""
    name = op.called
    whole = low.b.hold(low.all_defined(made))
    low.note(L.binary("eq", whole, 0), "PTO431", lambda: {"op": name})


def _valid(low: Lowering, op: Op, shape: Sequence[Index], tiles: Sequence[NTile]) -> tuple[Index, ...]:
    """The valid extents of the result; run-time shapes that do not broadcast are a fault."""
    valid = list(shape)
    differ: Index = 0
    fits: Index = 1
    for axis in range(1, len(shape) + 1):
        want = shape[-axis]
        spanning: list[tuple[Index, Index]] = []  # (whether an operand spans the axis, its valid extent)
        for t in tiles:
            if axis > len(t.valid):
                continue
            capacity = t.shape[-axis]
            spans = low.b.hold(L.binary("eq", capacity, want))
            fits = L.binary("and", fits, L.binary("or", spans, L.binary("eq", capacity, 1)))
            if spans != 0:
                spanning.append((spans, t.valid[-axis]))
        least: Index = want
        for spans, n in spanning:
            extent = L.pick(spans, n, want)
            least = extent if least == want else L.binary("min", least, extent)
        for (spans, n), (also, other) in combinations(spanning, 2):
            both = L.binary("and", spans, also)
            differ = L.binary("or", differ, L.binary("and", both, L.binary("ne", n, other)))
        valid[-axis] = low.b.hold(least)
    _check_shapes(low, op, fits, tiles, shape)
    _report_difference(low, op, differ, tiles, valid)
    return tuple(valid)


def _check_shapes(low: Lowering, op: Op, fits: Index, tiles: Sequence[NTile], shape: Sequence[Index]) -> None:
    ranks = [len(t.shape) for t in tiles]
    name = op.called

    def fields(*values: int) -> dict[str, object]:
        *shapes, want = _split(values, ranks)
        return {"op": name, "shapes": ", ".join(shapes), "want": want}

    low.check(fits, "PTO462", fields, *(n for t in tiles for n in t.shape), *shape)


def _split(values: Sequence[int], ranks: Sequence[int]) -> list[str]:
    """Extents of several tensors one after the other, as texts; what is left is the last."""
    parts, at = [], 0
    for rank in ranks:
        parts.append(shown(values[at : at + rank]))
        at += rank
    return [*parts, shown(values[at:])]


def _report_difference(low: Lowering, op: Op, differ: Index, tiles: Sequence[NTile], valid: Sequence[Index]) -> None:
    if said_while_tracing(op):
        return
    ranks = [len(t.valid) for t in tiles]
    name = op.called

    def fields(*values: int) -> dict[str, object]:
        *extents, used = _split(values, ranks)
        return {"op": name, "extents": ", ".join(extents), "used": used}

    flat = [n for t in tiles for n in t.valid]
    low.note(differ, "PTO432", fields, *flat, *valid, kind="portability")


def _input(low: Lowering, operand: Value | Imm | Expr, shape: Sequence[Index]) -> Input:
    if isinstance(operand, Value):
        tile = low.env[operand]
        return broadcast(low.b, tile.arr, tile.shape, shape)
    if isinstance(operand, Imm):
        return Lit(literal(operand.value, operand.dtype))
    return Num(low.b.hold(low.scalar(operand)), DataType.DT_INT64)


def literal(value: float | int | bool, dtype: DataType) -> arith.Expr:
    """A constant lane of any element type."""
    if dtype in arith.HALVES:
        bits = np.asarray(value, np.float32).astype(numpy_dtype(dtype)).view(np.uint16)
        return arith.make(arith.Op.BITCAST, dtype, (arith.const(int(bits), arith.U16),))
    if stored_type(dtype) is not dtype:
        return arith.const(int(np.asarray([value]).astype(numpy_dtype(dtype)).view(np.uint8)[0]), arith.U8)
    return arith.const(value, dtype)


@lowers("unset")
def unset(low: Lowering, op: Op) -> NTile:
    """A name without a value."""
    type = result_of(op).type
    if not type.is_static:
        return later(low, type.dtype, type.shape)
    shape = low.shape(type)
    made = low.fresh(type, shape, shape)
    return NTile(made.arr, made.shape, made.valid, None, made.memory, None, 1, 0)


@lowers("alloc")
def alloc(low: Lowering, op: Op) -> NTile:
    """A declared tensor: nothing defined, not written."""
    type = result_of(op).type
    shape = low.shape(type)
    return replace(low.fresh(type, shape, shape), written=0)


@lowers("full")
def full(low: Lowering, op: Op) -> NTile:
    """One value in the whole valid region."""
    type = result_of(op).type
    shape = low.shape(type)
    given = op.attrs.get("valid")
    valid = shape if given is None else explicit_valid(low, shape, given)
    made = low.fresh(type, shape, valid)
    operand = op.operands[0]
    assert not isinstance(operand, Value)
    if isinstance(operand, Imm):
        fill(low.b, valid, literal(operand.value, type.dtype), made.arr)
    else:
        value = stored(low, operand, type.dtype)
        each(low.b, valid, [Num(value, DataType.DT_INT64)], from_int64(type.dtype), made.arr)
    return made


def stored(low: Lowering, scalar: Expr, dtype: DataType) -> Index:
    """A run-time integer about to become an element; out of the range of an integer type it is a fault."""
    value = low.b.hold(low.scalar(scalar))
    if dtype in arith.INTEGERS:
        least, most = arith.int_range(dtype)
        if dtype is not DataType.DT_INT64:
            inside = L.binary("and", L.binary("ge", value, least), L.binary("le", value, min(most, 2**63 - 1)))
            low.check(inside, "PTO409", lambda v: {"value": v, "dtype": dtype.name, "low": least, "high": most}, value)
    return value


def from_int64(dtype: DataType) -> arith.Expr:
    """The expression that turns an INT64 lane into an element of ``dtype``."""
    x = arith.var(DataType.DT_INT64)
    if dtype is DataType.DT_INT64:
        return x
    if dtype in arith.HALVES:
        return arith.convert(arith.convert(x, arith.F32), dtype)
    return arith.convert(x, dtype)


@lowers("arange")
def arange(low: Lowering, op: Op) -> NTile:
    """``start + i * step``; for floats the product and the sum are rounded one after the other, FP16 and BF16 are
    computed in FP32 and rounded once."""
    type = result_of(op).type
    wide = arith.F32 if type.dtype in arith.HALVES else type.dtype
    (length,) = shape = low.shape(type)
    start, step = op.operands
    assert isinstance(start, Imm)
    assert isinstance(step, Imm)
    made = low.fresh(type, shape, shape)
    first, stride = literal(start.value, wide), literal(step.value, wide)
    expr = arith.rounded(first + from_int64(wide) * stride, type.dtype)
    low.b.add(Vector(length, (Lane("i"), Compute("y", expr, ("i",)), Store(made.arr.at, 1, "y"))))
    return made
