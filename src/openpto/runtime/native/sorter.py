"""Sorting rows: keys that compare as the elements do, moved together with their positions.

Method: of a row of which only the first k are wanted, a key that separates these is found by halving the range of keys
and counting, sixteen at a time. Runs are ordered by counting how many come before each element, and then merged.
"""

from __future__ import annotations

from openpto.ir.dtypes import DataType
from openpto.ir.nodes import TileType
from openpto.ops import arith

from . import loopir as L
from .build import Arr, copy, each
from .loopir import Index, Peek, Point, Poke, Ptr, Set, Slot
from .lower import Lowering
from .scan import key_type, sort_key
from .select import counting

INT32, INT64 = DataType.DT_INT32, DataType.DT_INT64
PASSES = 62  # widths RUN, 2 * RUN ... below any extent
RUN = 64
"""Elements that are ordered by counting, for each, how many come before it; longer rows merge runs of this length."""


class Sorter:
    """Scratch for rows of up to ``capacity`` elements: two pairs of (keys, positions), which the passes swap."""

    def __init__(self, low: Lowering, capacity: Index, dtype: DataType) -> None:
        self.low = low
        self.dtype = dtype
        self.key = key_type(dtype)
        self.first = counting(low, capacity)
        names = [low.b.name(n) for n in ("keys", "order", "keys.to", "order.to", "swap")]
        self.keys, self.order, self.keys_to, self.order_to, self.swap = names
        self.memory = [
            low.fresh(TileType((), kind), (capacity,), (capacity,)).arr.at
            for kind in (self.key, INT64, self.key, INT64)
        ]
        self.tally = low.fresh(TileType((), INT32), (1,), (1,)).arr.at

    def sort(self, row: Arr, length: Index, descending: bool) -> Ptr:
        """Positions of the sorted elements of ``row``; valid until the next row is taken."""
        self._load(row, length, descending)
        self._order(length)
        return Ptr(self.order, 0, INT64)

    def best(self, row: Arr, length: Index, k: int, descending: bool) -> Ptr:
        """Positions of the first ``k`` elements of the sorted ``row``, which has at least ``k``."""
        self._load(row, length, descending)
        if length != k:
            self._keep(length, k)
        self._order(k)
        return Ptr(self.order, 0, INT64)

    def _load(self, row: Arr, length: Index, descending: bool) -> None:
        b = self.low.b
        slots = (self.keys, self.order, self.keys_to, self.order_to)
        for slot, at in zip(slots, self.memory, strict=True):
            b.add(Point(slot, at))
        key = sort_key(arith.var(self.dtype))
        each(b, (length,), [row], ~key if descending else key, Arr(Ptr(self.keys, 0, self.key), (1,)))
        copy(b, (length,), self.first, Arr(Ptr(self.order, 0, INT64), (1,)))

    # -- the k least keys ----------------------------------------------------------------------------------------

    def _keep(self, length: Index, k: int) -> None:
        """Leave the ``k`` elements that a stable sort would put first, in the order of their positions."""
        b = self.low.b
        bound = self._bound(length, k)
        self._count(Ptr(self.keys, 0, self.key), length, bound, _less(self.key))
        ties, at = b.name("ties"), b.name("at")
        b.add(Set(ties, L.sub(k, self._counted())))
        b.add(Set(at, 0))
        with b.loop(length, hint="from") as i:
            key = b.hold(Peek(Ptr(self.keys, i, self.key)), "key")
            equal = b.hold(L.binary("and", L.binary("eq", key, bound), L.binary("gt", Slot(ties), 0)), "equal")
            b.add(Poke(Ptr(self.keys_to, Slot(at), self.key), key))
            b.add(Poke(Ptr(self.order_to, Slot(at), INT64), i))
            b.add(Set(ties, L.sub(Slot(ties), equal)))
            b.add(Set(at, L.add(Slot(at), L.binary("or", equal, L.binary("lt", key, bound)))))
            # the last one kept may be followed by others: what they leave at k is within the row, and not looked at
        self._exchange(self.keys, self.keys_to, self.key)
        self._exchange(self.order, self.order_to, INT64)

    def _bound(self, length: Index, k: int) -> Slot:
        """A key that at least ``k`` keys do not exceed, and that fewer than ``k`` are below: found by halving."""
        b = self.low.b
        least, most = arith.int_range(self.key)
        below, above, middle = b.name("below"), b.name("above"), b.name("middle")
        b.add(Set(below, least))
        b.add(Set(above, most))
        with b.loop(arith.width(self.key), hint="bit"), b.when(L.binary("lt", Slot(below), Slot(above))):
            half = L.Bin("div", L.sub(Slot(above), Slot(below)), 2)
            b.add(Set(middle, L.add(Slot(below), half)))
            self._count(Ptr(self.keys, 0, self.key), length, Slot(middle), _not_above(self.key))
            found = b.name("found")
            b.add(Set(found, self._counted()))
            enough = L.binary("ge", Slot(found), k)
            b.add(Set(above, L.Pick(enough, Slot(middle), Slot(above))))
            further = L.Pick(enough, Slot(below), L.add(Slot(middle), 1))
            b.add(Set(below, L.Pick(L.binary("eq", Slot(found), k), Slot(middle), further)))
        return Slot(above)

    def _count(self, keys: Ptr, length: Index, bound: Index, hit: arith.Expr, place: Index = 0) -> None:
        """How many ``hit(key, bound, number, place)``; see :meth:`_counted`."""
        names = [self.low.b.name(n) for n in ("key", "bound", "number", "place", "hit", "hits")]
        key, against, number, before, one, hits = names
        self.low.b.add(
            L.Vector(
                length,
                (
                    L.Load(key, keys, 1),
                    L.Splat(against, bound, self.key),
                    L.Lane(number),
                    L.Splat(before, place, INT64),
                    L.Compute(one, arith.select(hit, _ONE, _NONE), (key, against, number, before)),
                    L.Fold(hits, _SUM, one),
                ),
                (L.Acc(hits, _NONE, _SUM, self.tally),),
            )
        )

    def _counted(self) -> Index:
        return Peek(self.tally)

    # -- order ---------------------------------------------------------------------------------------------------

    def _order(self, length: Index) -> None:
        """Sort what is in the scratch."""
        b = self.low.b
        with b.loop(length, 0, RUN, hint="run") as start:
            self._rank(start, b.hold(L.sub(L.binary("min", L.add(start, RUN), length), start), "size"))
        self._exchange(self.keys, self.keys_to, self.key)
        self._exchange(self.order, self.order_to, INT64)
        if isinstance(length, int) and length <= RUN:
            return
        width = b.name("width")
        b.add(Set(width, RUN))
        with b.loop(PASSES, hint="pass"), b.when(L.binary("lt", Slot(width), length)):
            double = b.hold(L.mul(Slot(width), 2))
            with b.loop(length, 0, double, hint="block") as start:
                self._merge(start, Slot(width), double, length)
            self._exchange(self.keys, self.keys_to, self.key)
            self._exchange(self.order, self.order_to, INT64)
            b.add(Set(width, L.mul(Slot(width), 2)))

    def _exchange(self, one: str, other: str, dtype: DataType) -> None:
        b = self.low.b
        b.add(Point(self.swap, Ptr(one, 0, dtype)))
        b.add(Point(one, Ptr(other, 0, dtype)))
        b.add(Point(other, Ptr(self.swap, 0, dtype)))

    def _rank(self, start: Index, size: Index) -> None:
        """A run in order: every element goes behind those that are less, and behind equal ones before it."""
        b = self.low.b
        with b.loop(size, hint="n") as n:
            at = b.hold(L.add(start, n), "at")
            key = b.hold(Peek(Ptr(self.keys, at, self.key)), "key")
            self._count(Ptr(self.keys, start, self.key), size, key, _before(self.key), n)
            goal = b.hold(L.add(start, self._counted()), "to")
            b.add(Poke(Ptr(self.keys_to, goal, self.key), key))
            b.add(Poke(Ptr(self.order_to, goal, INT64), Peek(Ptr(self.order, at, INT64))))

    def _merge(self, start: Index, width: Index, double: Index, length: Index) -> None:
        """Two sorted neighbours become one; of equal keys the left one comes first."""
        b = self.low.b
        middle = b.hold(L.binary("min", L.add(start, width), length), "middle")
        end = b.hold(L.binary("min", L.add(start, double), length), "end")
        i, j = b.name("left"), b.name("right")
        b.add(Set(i, start))
        b.add(Set(j, middle))
        last = L.sub(length, 1)  # a cursor at the end of its part must not read past the row
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


_NONE, _ONE = arith.const(0, INT32), arith.const(1, INT32)
_SUM = arith.build(lambda a, b: a + b, INT32, INT32)


def _less(key: DataType) -> arith.Expr:
    return arith.var(key) < arith.var(key, 1)


def _not_above(key: DataType) -> arith.Expr:
    return arith.var(key) <= arith.var(key, 1)


def _before(key: DataType) -> arith.Expr:
    """Whether an element comes before the one whose key is the bound and whose number is the place."""
    earlier = arith.var(INT64, 2) < arith.var(INT64, 3)
    return arith.select(earlier, _not_above(key), _less(key))
