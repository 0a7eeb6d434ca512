"""Reshape, squeeze and unsqueeze: the same elements under another shape."""

from __future__ import annotations

from collections.abc import Sequence

from openpto.ir.nodes import Op, TileType, Value
from openpto.runtime.places import shown

from . import loopir as L
from . import races
from .build import Arr, compact, copy, count, fill
from .elementwise import explicit_valid, result_of
from .handlers import lowers
from .loopir import Index
from .lower import Lowering
from .movement import FALSE, all_of, shared
from .tiles import NTile, zero

Extents = tuple[Index, ...]


@lowers("reshape")
def reshape(low: Lowering, op: Op) -> NTile:
    """Row-major under a new shape; how the valid region moves is told by :func:`reshaped`."""
    value = op.operands[0]
    assert isinstance(value, Value)
    source = low.tile(value)
    races.touch(low, value.var, [0] * len(source.valid), source.valid, False)
    shape = low.shape(result_of(op).type)
    given = op.attrs.get("valid")
    valid = None if given is None else explicit_valid(low, shape, given)
    return shared(low, op, reshaped(low, op, source, shape, valid))


def reshaped(low: Lowering, op: Op, source: NTile, shape: Extents, valid: Extents | None) -> NTile:
    """The reference's rules (see its doc string): carried, packed or capacity order, decided on run-time sizes."""
    have, want = low.b.hold(count(source.shape)), low.b.hold(count(shape))
    if have != want:
        rank = len(source.shape)
        low.check(
            L.binary("eq", have, want),
            "PTO463",
            lambda *v: {"have": shown(v[:rank]), "want": shown(v[rank:-1]), "count": v[-1]},
            *source.shape,
            *shape,
            have,
        )
    if source.full and (valid is None or source.mask is None):
        looked = _another_look(low, op, source, shape, shape if valid is None else valid)
        if looked is not None:
            return looked
        flat = _flat(low, source)
        mask = None if flat.mask is None else Arr(flat.mask.at, compact(shape))
        return NTile(
            Arr(flat.arr.at, compact(shape)),
            shape,
            shape if valid is None else valid,
            mask,
            flat.memory,
            flat.marks,
            source.written,
            source.alive,
        )
    return _cut(low, op, source, shape, valid)


def _flat(low: Lowering, source: NTile) -> NTile:
    """``source`` in row-major order without gaps."""
    if source.is_compact and (source.mask is None or _is_compact(source.mask, source.shape)):
        return source
    made = low.like(source, source.mask is not None)
    low.copy_state(source, made)
    return made


def _another_look(low: Lowering, op: Op, source: NTile, shape: Extents, valid: Extents) -> NTile | None:
    """The elements where they are, though there are gaps between them; None if the axes differ by more than extents of
    1, there is a mask, or a loop will read them so often that a copy without gaps pays."""
    if source.is_compact or source.mask is not None or op in low.aliases.repeated:
        return None
    strides = _axes_of(source, shape)
    if strides is None:
        return None
    arr = Arr(source.arr.at, strides)
    return NTile(arr, shape, valid, None, source.memory, None, source.written, source.alive)


def _axes_of(source: NTile, shape: Extents) -> Extents | None:
    """Strides under a shape that differs by extents of 1 only."""
    have = [(n, s) for n, s in zip(source.shape, source.arr.strides, strict=True) if n != 1]
    if [n for n, _ in have] != [n for n in shape if n != 1]:
        return None
    strides = iter(have)
    return tuple(0 if n == 1 else next(strides)[1] for n in shape)


def _is_compact(arr: Arr, shape: Sequence[Index]) -> bool:
    return all(s == c or n == 1 for s, c, n in zip(arr.strides, compact(shape), shape, strict=True))


def _carried(low: Lowering, source: NTile, shape: Extents) -> tuple[Index, Extents] | None:
    """(whether it applies, the extents): a cut of the outermost non-unit axis that stays a box. None if it never does.

    Which axis that is may be known only while the program runs, so every axis has a condition.
    """
    outer, inner = _outermost(low, source.shape)
    goal, rest = _outermost(low, shape)
    some: Index = low.b.hold(L.pick(L.binary("eq", rest, 0), 1, rest))  # nothing may be divided by zero
    if isinstance(inner, int) and isinstance(some, int):
        ratio: Index = inner // some
        divides: Index = int(rest != 0 and inner % some == 0)
    else:
        ratio = L.Bin("div", inner, some)
        divides = L.binary("and", L.binary("ne", rest, 0), L.binary("eq", L.Bin("mod", inner, some), 0))
    full = (
        L.binary("or", at, L.binary("eq", v, n)) for at, v, n in zip(outer, source.valid, source.shape, strict=True)
    )
    applies = all_of(_any_of(outer), _any_of(goal), divides, *full)
    if applies == 0:
        return None
    have: Index = 0
    for at, v in zip(outer, source.valid, strict=True):
        have = L.pick(at, v, have)
    cut = L.mul(have, ratio)
    return applies, tuple(L.pick(at, cut, n) for at, n in zip(goal, shape, strict=True))


def _outermost(low: Lowering, shape: Extents) -> tuple[list[Index], Index]:
    """Per axis whether it is the outermost whose extent is not 1, and the product of the extents inside of it."""
    found: list[Index] = []
    inner: Index = 1
    before: Index = 1  # whether all extents so far are 1
    for n in shape:
        at = low.b.hold(L.binary("and", before, L.binary("ne", n, 1)))
        before = low.b.hold(L.binary("and", before, L.binary("eq", n, 1)))
        inner = L.mul(inner, L.pick(at, 1, n))
        found.append(at)
    return found, low.b.hold(inner)


def _any_of(conditions: Sequence[Index]) -> Index:
    total: Index = 0
    for c in conditions:
        total = L.binary("or", total, c)
    return total


def _cut(low: Lowering, op: Op, source: NTile, shape: Extents, valid: Extents | None) -> NTile:
    """A source that is cut, or whose mask has to follow: elements and mask are written out in capacity order, or
    packed where the author's valid_shape has as many elements as are valid."""
    full = low.b.hold(all_of(*(L.binary("eq", v, n) for v, n in zip(source.valid, source.shape, strict=True))))
    found = _carried(low, source, shape)
    if found is not None and found[0] == 1 and source.mask is None and _prefix(source):
        extents = tuple(low.b.hold(n) for n in found[1])
        if valid is None or valid == extents:
            looked = _another_look(low, op, source, shape, extents)
            if looked is not None:
                return looked
            flat = source if source.is_compact else low.duplicate(source)
            return NTile(
                Arr(flat.arr.at, compact(shape)), shape, extents, None, flat.memory, None, source.written, source.alive
            )
    carries: Index = 0
    carried: Extents = shape
    if found is not None:
        carries, carried = low.b.hold(found[0]), tuple(low.b.hold(n) for n in found[1])
    carries = low.b.hold(L.binary("or", full, carries))
    carried = tuple(low.b.hold(L.Pick(full, s, n)) if n != s else s for n, s in zip(carried, shape, strict=True))
    if valid is None:
        rank = len(source.shape)
        low.note(
            L.binary("eq", carries, 0),
            "PTO434",
            lambda *v: {"have": shown(v[:rank]), "old": shown(v[rank : 2 * rank]), "new": shown(v[2 * rank :])},
            *source.valid,
            *source.shape,
            *shape,
            kind="portability",
        )
        extents = tuple(s if n == s else low.b.hold(L.Pick(carries, n, s)) for n, s in zip(carried, shape, strict=True))
        return _in_capacity_order(low, source, shape, extents)
    matches = all_of(carries, *(L.binary("eq", a, b) for a, b in zip(valid, carried, strict=True)))
    packs = all_of(
        L.binary("eq", matches, 0),
        L.binary("eq", full, 0),
        L.binary("eq", count(valid), low.b.hold(count(source.valid))),
    )
    packs = low.b.hold(packs)
    if packs == 0:
        return _in_capacity_order(low, source, shape, valid)
    return _either(low, source, shape, valid, packs)


def _prefix(source: NTile) -> bool:
    """Whether only the outermost non-unit axis can be cut, so that the valid elements come first in memory."""
    outer = next((i for i, n in enumerate(source.shape) if n != 1), 0)
    return all(v == n for i, (v, n) in enumerate(zip(source.valid, source.shape, strict=True)) if i != outer)


def _in_capacity_order(low: Lowering, source: NTile, shape: Extents, valid: Extents) -> NTile:
    """Every element keeps its place in memory; what was not valid is zero and not defined."""
    staged = low.like(source, masked=True)
    fill(low.b, source.shape, zero(source.dtype), staged.arr)
    copy(low.b, source.valid, source.arr, staged.arr)
    assert staged.mask is not None
    fill(low.b, source.shape, FALSE, staged.mask)
    low.copy_mask(source, staged.mask)
    return NTile(
        Arr(staged.arr.at, compact(shape)),
        shape,
        valid,
        Arr(staged.mask.at, compact(shape)),
        staged.memory,
        staged.marks,
        source.written,
        source.alive,
    )


def _either(low: Lowering, source: NTile, shape: Extents, valid: Extents, packs: Index) -> NTile:
    """Packed if ``packs``: the k-th valid element becomes the k-th; else capacity order."""
    made = low.fresh(TileType((), source.dtype), shape, valid, masked=True)
    assert made.mask is not None
    with low.b.nested() as packed:
        line = low.fresh(TileType((), source.dtype), (count(source.shape),), (count(source.shape),), masked=True)
        assert line.mask is not None
        dense = compact(source.valid)
        copy(low.b, source.valid, source.arr, Arr(line.arr.at, dense))
        low.copy_mask(source, Arr(line.mask.at, dense))
        copy(low.b, valid, Arr(line.arr.at, compact(valid)), made.arr)
        copy(low.b, valid, Arr(line.mask.at, compact(valid)), made.mask)
    with low.b.nested() as plain:
        other = _in_capacity_order(low, source, shape, valid)
        assert other.mask is not None
        copy(low.b, valid, other.arr, made.arr)
        copy(low.b, valid, other.mask, made.mask)
    low.b.add(L.If(packs, tuple(packed), tuple(plain)))
    return NTile(made.arr, shape, valid, made.mask, made.memory, made.marks, source.written, source.alive)


@lowers("squeeze")
def squeeze(low: Lowering, op: Op) -> NTile:
    """Without axes of extent 1; the valid extents of the others are kept."""
    value = op.operands[0]
    assert isinstance(value, Value)
    source = low.tile(value)
    races.touch(low, value.var, [0] * len(source.valid), source.valid, False)
    axes: tuple[int, ...] = op.attrs["axes"]
    low.shape(result_of(op).type)
    keep = [i for i in range(len(source.shape)) if i not in axes]
    empty = all_of(*(L.binary("ne", source.valid[i], 0) for i in axes))
    made = NTile(
        _chosen(source.arr, keep),
        tuple(source.shape[i] for i in keep),
        tuple(source.valid[i] for i in keep),
        None if source.mask is None else _chosen(source.mask, keep),
        source.memory,
        source.marks,
        source.written,
        source.alive,
    )
    if empty != 1:
        return _nothing_if(low, made, L.binary("eq", empty, 0))
    return shared(low, op, made)


def _nothing_if(low: Lowering, tile: NTile, when: Index) -> NTile:
    """A copy whose elements are not defined if ``when``."""
    own = low.fresh(TileType((), tile.dtype), tile.shape, tile.valid, masked=True)
    assert own.mask is not None
    flag = low.b.hold(when)
    with low.b.nested() as nothing:
        fill(low.b, tile.valid, zero(tile.dtype), own.arr)
        fill(low.b, tile.valid, FALSE, own.mask)
    with low.b.nested() as something:
        low.copy_state(tile, own)
    low.b.add(L.If(flag, tuple(nothing), tuple(something)))
    return NTile(own.arr, own.shape, own.valid, own.mask, own.memory, own.marks, tile.written, tile.alive)


def _chosen(arr: Arr, axes: Sequence[int]) -> Arr:
    return Arr(arr.at, tuple(arr.strides[i] for i in axes))


@lowers("unsqueeze")
def unsqueeze(low: Lowering, op: Op) -> NTile:
    """With a new axis of extent 1."""
    value = op.operands[0]
    assert isinstance(value, Value)
    source = low.tile(value)
    races.touch(low, value.var, [0] * len(source.valid), source.valid, False)
    axis: int = op.attrs["dim"]

    def with_axis(arr: Arr) -> Arr:
        return Arr(arr.at, (*arr.strides[:axis], 0, *arr.strides[axis:]))

    made = NTile(
        with_axis(source.arr),
        (*source.shape[:axis], 1, *source.shape[axis:]),
        (*source.valid[:axis], 1, *source.valid[axis:]),
        None if source.mask is None else with_axis(source.mask),
        source.memory,
        source.marks,
        source.written,
        source.alive,
    )
    return shared(low, op, made)
