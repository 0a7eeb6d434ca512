"""Sorting along an axis: a stable merge sort of keys and positions, a row at a time, over the valid extent."""

from __future__ import annotations

from openpto.ir.dtypes import DataType
from openpto.ir.nodes import Op, TileType
from openpto.ops import arith

from . import loopir as L
from .build import Arr, copy, count, each, fold_rows, positions
from .elementwise import result_of, warn_undefined
from .handlers import lowers
from .loopir import Index, Peek, Point, Poke, Ptr, Set, Slot
from .lower import AND, TRUE, Lowering
from .scan import key_type, sort_key
from .select import counting
from .tiles import NTile

INT64 = DataType.DT_INT64
PASSES = 62  # widths 1, 2, 4 ... below any extent


class Sorter:
    """Scratch for rows of one length: two pairs of (keys, positions), which the passes of the sort swap."""

    def __init__(self, low: Lowering, capacity: Index, length: Index, dtype: DataType) -> None:
        self.low = low
        self.length = length
        self.key = key_type(dtype)
        self.first = counting(low, capacity)
        names = [low.b.name(n) for n in ("keys", "order", "keys.to", "order.to", "swap")]
        self.keys, self.order, self.keys_to, self.order_to, self.swap = names
        self.memory = [
            low.fresh(TileType((), kind), (capacity,), (capacity,)).arr.at
            for kind in (self.key, INT64, self.key, INT64)
        ]

    def sort(self, row: Arr, dtype: DataType, descending: bool) -> Ptr:
        """Positions of the sorted elements of ``row``; valid until the next row is sorted."""
        b = self.low.b
        slots = (self.keys, self.order, self.keys_to, self.order_to)
        for slot, at in zip(slots, self.memory, strict=True):
            b.add(Point(slot, at))
        key = sort_key(arith.var(dtype))
        each(b, (self.length,), [row], ~key if descending else key, Arr(Ptr(self.keys, 0, self.key), (1,)))
        copy(b, (self.length,), self.first, Arr(Ptr(self.order, 0, INT64), (1,)))
        width = b.name("width")
        b.add(Set(width, 1))
        with b.loop(PASSES, hint="pass"), b.when(L.binary("lt", Slot(width), self.length)):
            double = b.hold(L.mul(Slot(width), 2))
            with b.loop(self.length, 0, double, hint="block") as start:
                self._merge(start, Slot(width), double)
            self._exchange(self.keys, self.keys_to, self.key)
            self._exchange(self.order, self.order_to, INT64)
            b.add(Set(width, L.mul(Slot(width), 2)))
        return Ptr(self.order, 0, INT64)

    def _exchange(self, one: str, other: str, dtype: DataType) -> None:
        b = self.low.b
        b.add(Point(self.swap, Ptr(one, 0, dtype)))
        b.add(Point(one, Ptr(other, 0, dtype)))
        b.add(Point(other, Ptr(self.swap, 0, dtype)))

    def _merge(self, start: Index, width: Index, double: Index) -> None:
        """Two sorted neighbours become one; of equal keys the left one comes first."""
        b = self.low.b
        middle = b.hold(L.binary("min", L.add(start, width), self.length), "middle")
        end = b.hold(L.binary("min", L.add(start, double), self.length), "end")
        i, j = b.name("left"), b.name("right")
        b.add(Set(i, start))
        b.add(Set(j, middle))
        last = L.sub(self.length, 1)  # a cursor at the end of its part must not read past the row
        with b.loop(end, start, hint="to") as to:
            at_left = Ptr(self.keys, L.binary("min", Slot(i), last), self.key)
            at_right = Ptr(self.keys, L.binary("min", Slot(j), last), self.key)
            ordered = L.binary("le", Peek(at_left), Peek(at_right))
            right_done = L.binary("ge", Slot(j), end)
            left = L.binary("and", L.binary("lt", Slot(i), middle), L.binary("or", right_done, ordered))
            taken = b.hold(left, "taken")
            source = b.hold(L.Pick(taken, Slot(i), Slot(j)), "from")
            b.add(Poke(Ptr(self.keys_to, to, self.key), Peek(Ptr(self.keys, source, self.key))))
            b.add(Poke(Ptr(self.order_to, to, INT64), Peek(Ptr(self.order, source, INT64))))
            b.add(Set(i, L.add(Slot(i), taken)))
            b.add(Set(j, L.add(Slot(j), L.sub(1, taken))))


@lowers("topk", "topk_indices")
def topk(low: Lowering, op: Op) -> NTile:
    """The first k of the sorted row: the elements, or their positions."""
    source = low.read(op.operands[0])
    k: int = op.attrs["k"]
    type = result_of(op).type
    shape = low.shape(type)
    valid = (*source.valid[:-1], k)
    have = source.valid[-1]
    enough = L.binary("or", L.binary("ge", have, k), L.binary("eq", low.b.hold(count(valid)), 0))
    low.check(enough, "PTO466", lambda n: {"k": k, "have": n}, have)
    made = low.fresh(type, shape, valid, source.mask is not None)
    sorter = Sorter(low, source.shape[-1], have, source.dtype)
    if k:
        with positions(low.b, valid[:-1]) as at:
            row = source.arr.moved((*at, 0))
            order = sorter.sort(Arr(row.at, source.arr.strides[-1:]), source.dtype, op.attrs["largest"])
            out = made.arr.moved((*at, 0))
            _take(low, op, order, Arr(row.at, source.arr.strides[-1:]), Arr(out.at, made.arr.strides[-1:]), k)
    whole_rows(low, op, source, len(valid) - 1, made)
    return made


def _take(low: Lowering, op: Op, order: Ptr, row: Arr, out: Arr, length: Index) -> None:
    with low.b.loop(length, hint="n") as n:
        where = low.b.hold(Peek(L.shifted(order, n)), "where")
        goal = out.moved((n,)).at
        if op.name == "topk":
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
    sorter = Sorter(low, source.shape[axis], length, source.dtype)
    with positions(low.b, (*source.valid[:axis], *source.valid[axis + 1 :])) as at:
        origin = (*at[:axis], 0, *at[axis:])
        row = Arr(source.arr.moved(origin).at, (source.arr.strides[axis],))
        order = sorter.sort(row, source.dtype, op.attrs["descending"])
        out = Arr(made.arr.moved(origin).at, (made.arr.strides[axis],))
        _take(low, op, order, row, out, length)
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
