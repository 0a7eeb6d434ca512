"""In-place operations that store blocks and single elements: the last tile operand is changed."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from openpto._records import replace
from openpto.ir.dtypes import DataType
from openpto.ir.expr import Expr
from openpto.ir.nodes import Imm, Op, Value
from openpto.runtime.boxes import Box
from openpto.runtime.places import shown

from . import loopir as L
from .build import Arr, Num, count, each, fill
from .elementwise import from_int64, literal, stored
from .handlers import lowers
from .indexing import checked_index
from .loopir import Index
from .lower import TRUE, Lowering
from .movement import all_of
from .reshaping import reshaped
from .tiles import NTile, numbers, place_mask, without
from .waiting import put


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
    _, target = low.target(op, bare=True)
    source = low.read(op.operands[0])
    offsets = low.dims(op.attrs["offsets"])
    extents = source.valid
    if target.bare and remaining(target, source, offsets, extents) is None:
        target = low.marked(target)
    _check_stops(low, op, source)
    target = with_mask(low, target, source.mask is not None)
    empty = low.b.hold(L.binary("eq", low.b.hold(count(extents)), 0))
    check_box(low, offsets, extents, target.shape, empty)
    put(low, source, target, target.arr.moved(offsets))
    if target.mask is not None:
        low.copy_mask(source, target.mask.moved(offsets))
    beyond_valid(low, op, target, offsets, extents, empty)
    low.stored(op, offsets, extents, low.all_defined(source))
    return filled(replace(target, written=1), source, offsets, extents)


def filled(target: NTile, source: NTile, offsets: Sequence[Index], extents: Sequence[Index]) -> NTile:
    """``target`` with what is known of its holes after a store; without a mask once none is left."""
    if target.holes is None:
        return target
    if source.mask is not None:
        return replace(target, holes=None)
    holes = remaining(target, source, offsets, extents)
    if holes == ():
        return replace(target, holes=None, mask=None, marks=None)
    return target if holes is None else replace(target, holes=holes)


def remaining(
    target: NTile, source: NTile, offsets: Sequence[Index], extents: Sequence[Index]
) -> tuple[Box, ...] | None:
    """The holes of ``target`` after a store, if that is known now."""
    low, size = numbers(offsets), numbers(extents)
    if source.mask is not None or target.holes is None or low is None or size is None:
        return None
    return without(target.holes, low, [a + n for a, n in zip(low, size, strict=True)])


def check_box(
    low: Lowering, offsets: Sequence[Index], extents: Sequence[Index], shape: Sequence[Index], empty: Index = 0
) -> None:
    """A box that is written must lie inside the destination, unless it is empty."""
    for axis, (low_end, n, capacity) in enumerate(zip(offsets, extents, shape, strict=True)):
        inside = L.binary("and", L.binary("ge", low_end, 0), _ends_before(low, low_end, n, capacity))
        low.check(L.binary("or", empty, inside), "PTO452", _box_fields(axis), low_end, capacity, *extents)


def _ends_before(low: Lowering, start: Index, n: Index, capacity: Index) -> Index:
    """Whether ``start + n`` is at most ``capacity``; the sum itself may leave 64 bits."""
    return L.binary("le", start, low.b.hold(L.sub(capacity, n)))


def _box_fields(axis: int) -> Callable[..., dict[str, object]]:
    def fields(start: int, capacity: int, *extents: int) -> dict[str, object]:
        size = extents[axis]
        box = {"axis": axis, "low": start, "high": start + size, "size": size}
        return {**box, "capacity": capacity, "extents": shown(extents)}

    return fields


def beyond_valid(
    low: Lowering, op: Op, target: NTile, at: Sequence[Index], extents: Sequence[Index], empty: Index = 0
) -> None:
    """A store outside of the valid region of a tensor that is no parameter is a fault: nothing could ever read it."""
    if low.parameter(op) >= 0:
        return
    for axis, (start, n, have) in enumerate(zip(at, extents, target.valid, strict=True)):
        if have == target.shape[axis]:
            continue
        ends = _ends_before(low, start, n, have)
        low.check(L.binary("or", empty, ends), "PTO452", _box_fields(axis), start, have, *extents)


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
    into, target = low.target(op, bare=True, blank=True)
    if value is into:
        return target
    source = low.read(value)
    if source.shape != target.shape:
        have, want = count(source.shape), count(target.shape)
        if not source.full or have != want:
            _check_same_count(low, source, target)
        source = reshaped(low, op, source, target.shape, None)
    if source.mask is None:  # only the valid region counts from here on, and all of it is defined
        target = replace(target, mask=None, marks=None)
    target = with_mask(low, target, source.mask is not None)
    put(low, source, target, target.arr)
    if target.mask is not None:
        low.copy_mask(source, target.mask)
    low.stored(op, [0] * len(source.valid), source.valid, low.all_defined(source))
    return replace(target, valid=tuple(low.b.hold(n) for n in source.valid), written=1, holes=None)


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
    index = checked_index(low, low.dims(op.attrs["index"]), target.shape, into.var)
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
    return replace(target, written=1, holes=None)
