"""In-place operations: the last tile operand is changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from openpto.ir.dtypes import DataType
from openpto.ir.expr import Expr
from openpto.ir.nodes import Imm, Op, Value
from openpto.ops import arith

from . import loopir as L
from .build import Arr, Num, copy, count, each, fill, positions
from .elementwise import from_int64, literal, stored
from .handlers import lowers
from .indexing import checked_index, checked_positions
from .loopir import Index
from .lower import TRUE, Lowering, Unsupported, shown
from .movement import FALSE, all_of
from .reshaping import reshaped
from .tiles import NTile, place_mask


def with_mask(low: Lowering, tile: NTile, needed: bool) -> NTile:
    """``tile`` with a mask of its own if one is needed."""
    if not needed or tile.mask is not None:
        return tile
    mask, marks = place_mask(low.b, low.arena, tile.shape, low.no_memory())
    fill(low.b, tile.shape, TRUE, mask)
    return replace(tile, mask=mask, marks=marks)


@lowers("assemble")
def assemble(low: Lowering, op: Op) -> NTile:
    """The valid region of the first operand is written at the offsets."""
    _, target = low.target(op)
    source = low.source(op.operands[0])
    offsets = low.dims(op.attrs["offsets"])
    extents = source.valid
    _check_stops(low, op, source)
    target = with_mask(low, target, source.mask is not None)
    some = low.b.hold(L.binary("ne", low.b.hold(count(extents)), 0))
    with low.b.when(some):
        _check_box(low, offsets, extents, target.shape)
        copy(low.b, extents, source.arr, target.arr.moved(offsets))
        if target.mask is not None:
            low.copy_mask(source, target.mask.moved(offsets))
        beyond_valid(low, op, target, offsets, extents)
        low.stored(op, offsets, extents, low.all_defined(source))
    return replace(target, written=1)


def _check_box(low: Lowering, offsets: Sequence[Index], extents: Sequence[Index], shape: Sequence[Index]) -> None:
    """A box that is written must lie inside the destination."""
    rank = len(shape)
    for axis, (low_end, n, capacity) in enumerate(zip(offsets, extents, shape, strict=True)):
        high = low.b.hold(L.add(low_end, n))
        inside = L.binary("and", L.binary("ge", low_end, 0), L.binary("le", high, capacity))

        def fields(*v: int, axis: int = axis) -> dict[str, object]:
            return {"axis": axis, "low": v[0], "high": v[1], "capacity": v[2], "extents": shown(v[3 : 3 + rank])}

        low.check(inside, "PTO452", fields, low_end, high, capacity, *extents)


def beyond_valid(low: Lowering, op: Op, target: NTile, at: Sequence[Index], extents: Sequence[Index]) -> None:
    """A store outside of the valid region of a tensor that is no parameter is a fault: nothing could ever read it."""
    if low.parameter(op) >= 0:
        return
    rank = len(extents)
    for axis, (start, n, have) in enumerate(zip(at, extents, target.valid, strict=True)):
        if have == target.shape[axis]:
            continue
        stop = low.b.hold(L.add(start, n))

        def fields(*v: int, axis: int = axis) -> dict[str, object]:
            return {"axis": axis, "low": v[0], "high": v[1], "capacity": v[2], "extents": shown(v[3 : 3 + rank])}

        low.check(L.binary("le", stop, have), "PTO452", fields, start, stop, have, *extents)


def _check_stops(low: Lowering, op: Op, source: NTile) -> None:
    """``o[a:b] = v``: b - a must be the extent of v on that axis, or its valid extent."""
    for axis, wanted in enumerate(op.attrs.get("extents") or ()):
        if wanted is None:
            continue
        extent = low.b.hold(low.scalar(wanted))
        capacity, have = source.shape[axis], source.valid[axis]
        fits = L.binary("or", L.binary("eq", extent, capacity), L.binary("eq", extent, have))

        def fields(e: int, c: int, h: int, axis: int = axis) -> dict[str, object]:
            return {"axis": axis, "extent": e, "capacity": c, "have": h}

        low.check(fits, "PTO453", fields, extent, capacity, have)


@lowers("move")
def move(low: Lowering, op: Op) -> NTile:
    """``o[:] = x``: x's valid region goes to the origin of o, which takes over the valid shape."""
    value = op.operands[0]
    into, target = low.target(op)
    if value is into:
        return target
    source = low.source(value)
    if source.shape != target.shape:
        have, want = count(source.shape), count(target.shape)
        if not source.full or have != want:
            _check_same_count(low, source, target)
        source = reshaped(low, op, source, target.shape, None)
    target = with_mask(low, target, source.mask is not None)
    copy(low.b, source.valid, source.arr, target.arr)
    if target.mask is not None:
        low.copy_mask(source, target.mask)
    low.stored(op, [0] * len(source.valid), source.valid, low.all_defined(source))
    return replace(target, valid=tuple(low.b.hold(n) for n in source.valid), written=1)


def _check_same_count(low: Lowering, source: NTile, target: NTile) -> None:
    full = all_of(*(L.binary("eq", v, n) for v, n in zip(source.valid, source.shape, strict=True)))
    ok = L.binary("and", full, L.binary("eq", low.b.hold(count(source.shape)), low.b.hold(count(target.shape))))
    rank = len(source.valid)
    low.check(
        ok,
        "PTO462",
        lambda *v: {"op": "move", "shapes": shown(v[:rank]), "want": shown(v[rank:])},
        *source.valid,
        *target.shape,
    )


@lowers("write_scalar")
def write_scalar(low: Lowering, op: Op) -> NTile:
    """One element takes a run-time integer."""
    into, target = low.target(op)
    scalar = op.operands[0]
    assert not isinstance(scalar, Value)
    index = checked_index(low, low.dims(op.attrs["index"]), target.shape, into.name)
    element = target.arr.moved(index)
    one = Arr(element.at, ())
    if isinstance(scalar, Imm):
        fill(low.b, (), literal(scalar.value, target.dtype), one)
    else:
        assert isinstance(scalar, Expr)
        value = stored(low, scalar, target.dtype)
        each(low.b, (), [Num(value, DataType.DT_INT64)], from_int64(target.dtype), one)
    if target.mask is not None:
        fill(low.b, (), TRUE, Arr(target.mask.moved(index).at, ()))
    beyond_valid(low, op, target, index, [1] * len(index))
    low.stored(op, index, [1] * len(index))
    return replace(target, written=1)


@lowers("scatter")
def scatter(low: Lowering, op: Op) -> NTile:
    """``dst[.., index[i], ..] (op)= src[i]``, elements in row-major order: of equal indices the last one stays."""
    into, target = low.target(op)
    index_value, operand = op.operands[0], op.operands[1]
    index = low.source(index_value)
    axis: int = op.attrs["axis"]
    reduce: str | None = op.attrs.get("reduce")
    extents = index.valid
    source = low.source(operand) if isinstance(operand, Value) else None
    target = with_mask(low, target, source is not None and source.mask is not None)
    some = low.b.hold(L.binary("ne", low.b.hold(count(extents)), 0))
    with low.b.when(some):
        checked_positions(low, index, axis, target.valid[axis], into.name)
        if source is not None:
            _check_fitting(low, source, extents)
        _check_others(low, axis, extents, target)
        _scatter_elements(low, op, index, source, operand, target, axis, reduce)
        _note_scatter(low, op, into, index, source, axis)
    return replace(target, written=1)


def _check_fitting(low: Lowering, source: NTile, extents: Sequence[Index]) -> None:
    fits = all_of(*(L.binary("le", n, have) for n, have in zip(extents, source.valid, strict=True)))
    rank = len(extents)
    low.check(
        fits,
        "PTO462",
        lambda *v: {"op": "scatter", "shapes": shown(v[:rank]), "want": shown(v[rank:])},
        *source.valid,
        *extents,
    )


def _check_others(low: Lowering, axis: int, extents: Sequence[Index], target: NTile) -> None:
    rank = len(extents)
    for a, (n, have) in enumerate(zip(extents, target.valid, strict=True)):
        if a != axis:
            low.check(
                L.binary("le", n, have),
                "PTO452",
                lambda *v, a=a: {
                    "axis": a,
                    "low": 0,
                    "high": v[0],
                    "capacity": v[1],
                    "extents": shown(v[2 : 2 + rank]),
                },
                n,
                have,
                *extents,
            )


def _scatter_elements(
    low: Lowering,
    op: Op,
    index: NTile,
    source: NTile | None,
    operand: object,
    target: NTile,
    axis: int,
    reduce: str | None,
) -> None:
    """One element after another, so that repeated positions follow the order."""
    combine = None
    if reduce is not None:
        x, y = arith.var(target.dtype), arith.var(target.dtype, 1)
        combine = _combined(x, y, reduce)
    with positions(low.b, index.valid) as at:
        where = low.b.hold(L.Peek(index.arr.moved(at).at), "where")
        goal = [p if a != axis else where for a, p in enumerate(at)]
        out = Arr(target.arr.moved(goal).at, ())
        if source is not None:
            value = Arr(source.arr.moved(at).at, ())
            if combine is None:
                copy(low.b, (), value, out)
            else:
                each(low.b, (), [out, value], combine, out)
        else:
            assert isinstance(operand, Imm)
            constant = literal(operand.value, target.dtype)
            if combine is None:
                fill(low.b, (), constant, out)
            else:
                x = arith.var(target.dtype)
                assert reduce is not None
                each(low.b, (), [out], _combined(x, constant, reduce), out)
        if target.mask is not None:
            _scatter_mask(low, source, target, at, goal, reduce)


def _combined(x: arith.Expr, y: arith.Expr, reduce: str) -> arith.Expr:
    if x.dtype in arith.HALVES:
        wide = [arith.convert(v, arith.F32) for v in (x, y)]
        return arith.convert(wide[0] + wide[1] if reduce == "add" else wide[0] * wide[1], x.dtype)
    return x + y if reduce == "add" else x * y


def _scatter_mask(
    low: Lowering,
    source: NTile | None,
    target: NTile,
    at: Sequence[Index],
    goal: Sequence[Index],
    reduce: str | None,
) -> None:
    assert target.mask is not None
    mark = Arr(target.mask.moved(goal).at, ())
    if source is None or source.mask is None:
        if reduce is None:
            fill(low.b, (), TRUE, mark)
        return
    own = Arr(source.mask.moved(at).at, ())
    if reduce is None:
        copy(low.b, (), own, mark)
    else:
        each(low.b, (), [mark, own], arith.var(arith.BOOL) & arith.var(arith.BOOL, 1), mark)


def _note_scatter(low: Lowering, op: Op, into: Value, index: NTile, source: NTile | None, axis: int) -> None:
    """Count the boxes written: each distinct position once."""
    number = low.parameter(op)
    if number < 0:
        return
    if source is not None and source.mask is not None:
        raise Unsupported("a scatter of undefined elements into a parameter")
    total = low.b.name("distinct")
    low.b.add(L.Set(total, 0))
    seen, memory = place_mask(low.b, low.arena, (low.env_extent(into, axis),), low.no_memory())
    fill(low.b, (low.env_extent(into, axis),), FALSE, seen)
    with positions(low.b, index.valid) as at:
        where = low.b.hold(L.Peek(index.arr.moved(at).at), "where")
        mark = seen.moved((where,)).at
        low.b.add(L.Set(total, L.add(L.Slot(total), L.binary("eq", L.Peek(mark), 0))))
        fill(low.b, (), TRUE, Arr(mark, ()))
    low.temporary(memory)
    others: Index = L.Slot(total)
    for a, n in enumerate(index.valid):
        if a != axis:
            others = L.mul(others, n)
    low.b.add(L.Set(f"written{number}", L.add(L.Slot(f"written{number}"), others)))
