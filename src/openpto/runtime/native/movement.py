"""Operations that read tiles from another side: windows, permutations, copies, other shapes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from openpto._records import replace
from openpto.ir.dtypes import DataType, bytes_of, numpy_dtype
from openpto.ir.nodes import Imm, Op, TileType, Value
from openpto.ops import arith
from openpto.runtime.places import shown

from . import loopir as L
from . import races
from .build import Arr, broadcast, compact, copy, count, each, fill
from .elementwise import explicit_valid, literal, result_of
from .handlers import lowers
from .loopir import Index, Ptr
from .lower import TRUE, Lowering
from .tiles import NTile, meets, numbers, place_mask, stored_type

FALSE = arith.const(False, arith.BOOL)


def all_of(*conditions: Index) -> Index:
    """Conjunction of truth values."""
    unknown = [c for c in conditions if c != 1]
    total: Index = unknown[0] if unknown else 1
    for c in unknown[1:]:
        total = L.binary("and", total, c)
    return total


def shared(low: Lowering, op: Op, made: NTile) -> NTile:
    """``made``, which looks at its source's memory, or a copy of it where the source may be written meanwhile."""
    if low.aliases.allows(op):
        return made
    own = low.fresh(TileType((), made.dtype), made.shape, made.valid, made.mask is not None)
    low.copy_state(made, own)
    return replace(own, written=made.written, alive=made.alive)


@lowers("view")
def view(low: Lowering, op: Op) -> NTile:
    """A window; what reaches past the source's valid region is not valid."""
    value = op.operands[0]
    assert isinstance(value, Value)
    source = low.source(value)
    type = result_of(op).type
    shape = low.shape(type)
    offsets = low.dims(op.attrs["offsets"])
    check_offsets(low, offsets)
    left = [low.b.hold(L.binary("max", L.sub(v, o), 0)) for v, o in zip(source.valid, offsets, strict=True)]
    inferred = [low.b.hold(L.binary("min", n, s)) for n, s in zip(left, shape, strict=True)]
    given = op.attrs.get("valid")
    valid: Sequence[Index] = inferred
    if given is not None:
        valid = explicit_valid(low, shape, given)
        _check_window(low, op, value, source, offsets, left, valid)
    races.touch(low, value.var, offsets, [L.add(o, n) for o, n in zip(offsets, valid, strict=True)], False)
    arr = source.arr.moved(offsets)
    if any(not isinstance(o, int) for o in offsets):
        arr = Arr(low.b.point(arr.at, "window"), arr.strides)
    mask = None
    if source.mask is not None and not _clear(source, offsets, shape):
        mask = source.mask.moved(offsets)
        mask = Arr(low.b.point(mask.at, "window"), mask.strides)
    return shared(low, op, NTile(arr, shape, tuple(valid), mask, source.memory, source.marks if mask else None))


def _clear(source: NTile, offsets: Sequence[Index], shape: Sequence[Index]) -> bool:
    """Whether a window certainly holds defined elements only."""
    low, extents = numbers(offsets), numbers(shape)
    if source.holes is None or low is None or extents is None:
        return False
    return not meets(source.holes, low, [a + n for a, n in zip(low, extents, strict=True)])


def check_offsets(low: Lowering, offsets: Sequence[Index]) -> None:
    """A window begins inside of what it is taken from (PTO450)."""
    ok = all_of(*(L.binary("ge", o, 0) for o in offsets))

    def fields(*o: int) -> dict[str, object]:
        axis = next(i for i, x in enumerate(o) if x < 0)
        return {"axis": axis, "offset": o[axis], "offsets": shown(o)}

    low.check(ok, "PTO450", fields, *offsets)


def _check_window(
    low: Lowering,
    op: Op,
    value: Value,
    source: NTile,
    offsets: Sequence[Index],
    left: Sequence[Index],
    valid: Sequence[Index],
) -> None:
    """An explicit valid_shape may not reach past what is valid in the source, unless the window is empty."""
    empty = low.b.hold(L.binary("eq", low.b.hold(count(valid)), 0))
    index_axes = op.attrs.get("index_axes", ())
    name, rank = low.name_of(value.var), len(valid)
    for axis, (n, rest) in enumerate(zip(valid, left, strict=True)):
        if n == rest:
            continue
        ok = L.binary("or", empty, L.binary("le", n, rest))
        if axis in index_axes:

            def outside(*v: int, axis: int = axis) -> dict[str, object]:
                return {"name": name, "index": shown(v[:rank]), "axis": axis, "extent": v[rank]}

            low.check(ok, "PTO408", outside, *offsets, source.valid[axis])
        else:

            def beyond(*v: int, axis: int = axis) -> dict[str, object]:
                return {"axis": axis, "want": v[0], "offset": v[1], "have": v[2], "rest": v[3]}

            low.check(ok, "PTO451", beyond, n, offsets[axis], source.valid[axis], rest)


@lowers("clone")
def clone(low: Lowering, op: Op) -> NTile:
    """The same contents as an object of its own."""
    return shared(low, op, low.read(op.operands[0]))


@lowers("permute")
def permute(low: Lowering, op: Op) -> NTile:
    """Axes in another order."""
    source = low.read(op.operands[0])
    perm = op.attrs["perm"]
    mask = None if source.mask is None else _permuted(source.mask, perm)
    made = NTile(
        _permuted(source.arr, perm),
        tuple(source.shape[p] for p in perm),
        tuple(source.valid[p] for p in perm),
        mask,
        source.memory,
        source.marks,
    )
    return shared(low, op, made)


def _permuted(arr: Arr, perm: Sequence[int]) -> Arr:
    return Arr(arr.at, tuple(arr.strides[p] for p in perm))


@lowers("expand_clone")
def expand_clone(low: Lowering, op: Op) -> NTile:
    """Axes of extent 1 repeated; the others keep their valid extent."""
    source = low.read(op.operands[0])
    type = result_of(op).type
    shape = low.shape(type)
    spans = [low.b.hold(L.binary("eq", c, s)) for c, s in zip(source.shape, shape, strict=True)]
    rank = len(shape)
    low.check(
        all_of(*(L.binary("or", same, L.binary("eq", c, 1)) for same, c in zip(spans, source.shape, strict=True))),
        "PTO462",
        lambda *v: {"op": "expand_clone", "shapes": shown(v[:rank]), "want": shown(v[rank:])},
        *source.shape,
        *shape,
    )
    carried = [low.b.hold(L.pick(same, n, s)) for same, n, s in zip(spans, source.valid, shape, strict=True)]
    given = op.attrs.get("valid")
    valid: Sequence[Index] = carried
    if given is not None:
        valid = explicit_valid(low, shape, given)
        with low.b.when(low.b.hold(L.binary("ne", low.b.hold(count(valid)), 0))):
            for axis, (n, have) in enumerate(zip(valid, carried, strict=True)):
                if n != have:
                    low.check(
                        L.binary("le", n, have),
                        "PTO451",
                        lambda a, b, axis=axis: {"axis": axis, "want": a, "offset": 0, "have": b, "rest": b},
                        n,
                        have,
                    )
    empty = all_of(*(L.binary("ne", n, 0) for n in source.valid))
    masked = source.mask is not None or empty != 1
    made = low.fresh(type, shape, valid, masked)
    copy(low.b, valid, broadcast(low.b, source.arr, source.shape, shape), made.arr)
    if made.mask is not None:
        _expand_mask(low, source, made, empty)
    return made


def _expand_mask(low: Lowering, source: NTile, made: NTile, filled: Index) -> None:
    assert made.mask is not None
    if source.mask is None:
        fill(low.b, made.valid, TRUE, made.mask)
    else:
        copy(low.b, made.valid, broadcast(low.b, source.mask, source.shape, made.shape), made.mask)
    with low.b.when(L.binary("eq", filled, 0)):
        fill(low.b, made.valid, FALSE, made.mask)


@lowers("concat")
def concat(low: Lowering, op: Op) -> NTile:
    """Tiles one after the other; each must fill its extent on that axis."""
    tiles = [low.read(o) for o in op.operands]
    axis: int = op.attrs["axis"]
    type = result_of(op).type
    shape = low.shape(type)
    first, rank = tiles[0], len(shape)
    for number, t in enumerate(tiles):
        low.check(
            L.binary("eq", t.valid[axis], t.shape[axis]),
            "PTO457",
            lambda a, b, number=number: {"number": number, "axis": axis, "have": a, "capacity": b},
            t.valid[axis],
            t.shape[axis],
        )
        same = all_of(
            *(L.binary("eq", a, b) for k, (a, b) in enumerate(zip(t.valid, first.valid, strict=True)) if k != axis)
        )
        low.check(
            same,
            "PTO458",
            lambda *v, number=number: {
                "number": number,
                "have": shown(v[:rank]),
                "first": shown(v[rank:]),
                "axis": axis,
            },
            *t.valid,
            *first.valid,
        )
    valid = list(first.valid)
    valid[axis] = shape[axis]
    made = low.fresh(type, shape, valid, any(t.mask is not None for t in tiles))
    at: Index = 0
    for t in tiles:
        offset = [0 if k != axis else at for k in range(rank)]
        copy(low.b, t.valid, t.arr, made.arr.moved(offset))
        if made.mask is not None:
            low.copy_mask(t, made.mask.moved(offset))
        at = L.add(at, t.shape[axis])
    return made


@lowers("fillpad")
def fillpad(low: Lowering, op: Op) -> NTile:
    """The whole shape is valid; what was not gets the value."""
    source = low.read(op.operands[0])
    operand = op.operands[1]
    assert isinstance(operand, Imm)
    if source.full:
        return shared(low, op, source)
    made = low.fresh(result_of(op).type, source.shape, source.shape, source.mask is not None)
    fill(low.b, source.shape, literal(operand.value, source.dtype), made.arr)
    copy(low.b, source.valid, source.arr, made.arr)
    if made.mask is not None:
        fill(low.b, source.shape, TRUE, made.mask)
        low.copy_mask(source, made.mask)
    return made


@lowers("bitcast")
def bitcast(low: Lowering, op: Op) -> NTile:
    """The same bytes as another element type; the last axis scales. Every NaN shows the canonical bits."""
    value = op.operands[0]
    assert isinstance(value, Value)
    source = low.read(value)
    type = result_of(op).type
    old, new = bytes_of(value.type.dtype), bytes_of(type.dtype)
    last = source.valid[-1]
    low.check(
        L.binary("eq", L.binary("mod", L.mul(last, old), new) if not isinstance(last, int) else last * old % new, 0),
        "PTO456",
        lambda n: {"have": n, "old": value.type.dtype.name, "new": type.dtype.name, "ratio": new // old},
        last,
    )
    scaled = last * old // new if isinstance(last, int) else low.b.hold(L.Bin("div", L.mul(last, old), new))
    plain = low.fresh(value.type, source.shape, source.valid)
    each(low.b, source.valid, [source.arr], _canonical(value.type.dtype), plain.arr)
    shape = low.shape(type)
    at = plain.arr.at
    assert isinstance(at.offset, int)
    arr = Arr(Ptr(at.base, at.offset * old // new, stored_type(type.dtype), at.owner), compact(shape))
    made = NTile(arr, shape, (*source.valid[:-1], scaled), None, plain.memory)
    if source.mask is None:
        return made
    mask, marks = place_mask(low.b, low.arena, shape, low.no_memory())
    _rescale_mask(low, source, made, mask, old, new)
    return replace(made, mask=mask, marks=marks)


def _rescale_mask(low: Lowering, source: NTile, made: NTile, mask: Arr, old: int, new: int) -> None:
    assert source.mask is not None
    strides = source.mask.strides
    if old >= new:  # each old element becomes several
        for k in range(old // new):
            target = Arr(L.shifted(mask.at, k), (*mask.strides[:-1], old // new))
            copy(low.b, source.valid, source.mask, target)
        return
    ratio = new // old
    parts = [
        Arr(L.shifted(source.mask.at, L.mul(strides[-1], k)), (*strides[:-1], L.mul(strides[-1], ratio)))
        for k in range(ratio)
    ]
    expr = arith.var(arith.BOOL)
    for k in range(1, ratio):
        expr = expr & arith.var(arith.BOOL, k)
    each(low.b, made.valid, parts, expr, mask)


def _canonical(dtype: DataType) -> arith.Expr:
    if stored_type(dtype) is not dtype:
        return _canonical_byte(dtype)
    x = arith.var(dtype)
    if dtype in arith.REALS:
        return arith.select(arith.is_nan(x), arith.nan(dtype), x)
    if dtype is arith.F16 or dtype is arith.BF16:
        quiet = 0x7E00 if dtype is arith.F16 else 0x7FC0
        wide = arith.convert(x, arith.F32)
        nan = arith.bitcast(arith.const(quiet, arith.U16), dtype)
        return arith.select(arith.is_nan(wide), nan, x)
    return x


def _canonical_byte(dtype: DataType) -> arith.Expr:
    """The same for a float of eight bits, held as a byte."""
    x = arith.var(arith.U8)
    host = numpy_dtype(dtype)
    if host.kind in "iu":
        return x
    patterns = np.arange(256, dtype=np.uint8)
    values = patterns.view(host).astype(np.float32)
    quiet = int(np.array([np.nan], host).view(np.uint8)[0])
    expr = x
    for pattern in patterns[values != values]:
        expr = arith.select(arith.eq(x, int(pattern)), arith.const(quiet, arith.U8), expr)
    return expr
