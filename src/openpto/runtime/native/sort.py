"""Sorting along an axis, a row at a time, over the valid extent; stable."""

from __future__ import annotations

from openpto.ir.nodes import Op, TileType
from openpto.ops import arith

from . import loopir as L
from .build import Arr, copy, count, fold_rows, positions
from .elementwise import result_of, warn_undefined
from .handlers import lowers
from .loopir import Index, Peek, Poke, Ptr
from .lower import AND, TRUE, Lowering
from .sorter import Sorter
from .tiles import NTile


@lowers("topk", "topk_indices")
def topk(low: Lowering, op: Op) -> NTile:
    """The first k of the sorted row: the elements, or their positions."""
    source = low.read(op.operands[0])
    k: int = op.attrs["k"]
    valid = (*source.valid[:-1], k)
    have = source.valid[-1]
    enough = L.binary("or", L.binary("ge", have, k), L.binary("eq", low.b.hold(count(valid)), 0))
    low.check(enough, "PTO466", lambda n: {"k": k, "have": n}, have)
    made = low.beside.pop(op, None)
    if made is None:
        made = _best(low, op, source, valid, k)
    else:
        low.unpin(made, temporary=True)
    whole_rows(low, op, source, len(valid) - 1, made)
    return made


def _best(low: Lowering, op: Op, source: NTile, valid: tuple[Index, ...], k: int) -> NTile:
    """The result of ``op``, and that of the next op where it asks for the same rows' positions or elements."""
    wanted = [op]
    following = low.following
    if isinstance(following, Op) and following.name in ("topk", "topk_indices"):
        if following.operands == op.operands and following.attrs == op.attrs:
            wanted.append(following)
    tiles = []
    for each in wanted:
        type = result_of(each).type
        tiles.append(low.fresh(type, low.shape(type), valid, source.mask is not None))
    sorter = Sorter(low, source.shape[-1], source.dtype)
    with positions(low.b, valid[:-1]) as at:
        row = Arr(source.arr.moved((*at, 0)).at, source.arr.strides[-1:])
        order = sorter.best(row, source.valid[-1], k, op.attrs["largest"])
        for each, made in zip(wanted, tiles, strict=True):
            out = Arr(made.arr.moved((*at, 0)).at, made.arr.strides[-1:])
            _take(low, order, row if each.name == "topk" else None, out, k)
    for later, made in zip(wanted[1:], tiles[1:], strict=True):
        low.pin(made)
        low.beside[later] = made
    return tiles[0]


def _take(low: Lowering, order: Ptr, row: Arr | None, out: Arr, length: Index) -> None:
    """The elements of ``row`` in that order, or without a row the positions."""
    with low.b.loop(length, hint="n") as n:
        where = low.b.hold(Peek(L.shifted(order, n)), "where")
        goal = out.moved((n,)).at
        if row is not None:
            copy(low.b, (), Arr(row.moved((where,)).at, ()), Arr(goal, ()))
        else:
            low.b.add(Poke(goal, where))


@lowers("argsort")
def argsort(low: Lowering, op: Op) -> NTile:
    """Positions in sorted order."""
    source = low.read(op.operands[0])
    axis: int = op.attrs["axis"] % len(source.shape)
    type = result_of(op).type
    made = low.fresh(type, low.shape(type), source.valid, source.mask is not None)
    length = source.valid[axis]
    sorter = Sorter(low, source.shape[axis], source.dtype)
    with positions(low.b, (*source.valid[:axis], *source.valid[axis + 1 :])) as at:
        origin = (*at[:axis], 0, *at[axis:])
        row = Arr(source.arr.moved(origin).at, (source.arr.strides[axis],))
        order = sorter.sort(row, length, op.attrs["descending"])
        out = Arr(made.arr.moved(origin).at, (made.arr.strides[axis],))
        _take(low, order, None, out, length)
    whole_rows(low, op, source, axis, made)
    return made


def whole_rows(low: Lowering, op: Op, source: NTile, axis: int, made: NTile) -> None:
    """Rows that hold an undefined element are not defined."""
    if made.mask is None:
        return
    assert source.mask is not None
    lead = (*source.valid[:axis], *source.valid[axis + 1 :])
    shape = (*source.shape[:axis], *source.shape[axis + 1 :])
    rows = low.fresh(TileType((), arith.BOOL), shape, lead).arr
    strides = source.mask.strides
    turned = Arr(source.mask.at, (*strides[:axis], *strides[axis + 1 :], strides[axis]))
    fold_rows(low.b, lead, source.valid[axis], turned, rows, AND, TRUE)
    spread = Arr(rows.at, (*rows.strides[:axis], 0, *rows.strides[axis:]))
    copy(low.b, made.valid, spread, made.mask)
    warn_undefined(low, op, made)
