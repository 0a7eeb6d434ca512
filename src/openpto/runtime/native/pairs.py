"""Sorting of value and position pairs: groups of 32 elements, and runs of pairs four at a time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from openpto._records import replace
from openpto.ir.dtypes import DataType
from openpto.ir.nodes import Op
from openpto.ops.pairs import GROUP, WAYS

from . import loopir as L
from .build import Arr, copy, positions
from .elementwise import result_of
from .handlers import lowers
from .loopir import Index, Peek, Poke, Ptr, Set, Slot
from .lower import Lowering
from .sort import whole_rows
from .sorter import Sorter
from .tiles import NTile


@lowers("sort32")
def sort32(low: Lowering, op: Op) -> NTile:
    """Each group sorted from the greatest down, its elements followed by their positions as bits."""
    source = low.read(op.operands[0])
    length = source.valid[-1]
    made = _made(low, op, source, low.b.hold(L.mul(length, 2)))
    first: int = op.attrs["index"]
    with _runs(low, source, made, length, GROUP, 1) as (row, out, start, order, size), low.b.loop(size, hint="n") as n:
        where = low.b.hold(L.add(Peek(L.shifted(order, n)), start), "where")
        pair = low.b.hold(L.mul(L.add(start, n), 2), "pair")
        copy(low.b, (), Arr(row.moved((where,)).at, ()), Arr(out.moved((pair,)).at, ()))
        word = out.moved((L.add(pair, 1),)).at
        low.b.add(Poke(replace(word, dtype=DataType.DT_INT32), L.add(where, first)))
    whole_rows(low, op, source, len(made.valid) - 1, made)
    return made


@lowers("mrgsort")
def mrgsort(low: Lowering, op: Op) -> NTile:
    """Each four neighbouring runs of pairs as one run."""
    source = low.read(op.operands[0])
    pairs = low.b.hold(L.Bin("div", source.valid[-1], 2))
    made = _made(low, op, source, low.b.hold(L.mul(pairs, 2)))
    run = WAYS * op.attrs["mergesize"]
    with _runs(low, source, made, pairs, run, 2) as (row, out, start, order, size), low.b.loop(size, hint="n") as n:
        where = low.b.hold(L.mul(L.add(Peek(L.shifted(order, n)), start), 2), "where")
        pair = low.b.hold(L.mul(L.add(start, n), 2), "pair")
        for word in (0, 1):
            have, goal = row.moved((L.add(where, word),)), out.moved((L.add(pair, word),))
            copy(low.b, (), Arr(have.at, ()), Arr(goal.at, ()))
    whole_rows(low, op, source, len(made.valid) - 1, made)
    return made


def _made(low: Lowering, op: Op, source: NTile, extent: Index) -> NTile:
    type = result_of(op).type
    return low.fresh(type, low.shape(type), (*source.valid[:-1], extent), source.mask is not None)


@contextmanager
def _runs(
    low: Lowering, source: NTile, made: NTile, length: Index, run: int, step: int
) -> Iterator[tuple[Arr, Arr, Index, Ptr, Index]]:
    """For every ``run`` of the ``length`` sort keys of a row, ``step`` words apart: the row of the source and of the
    result, the number of the first key, the sorted order of the keys of the run, and how many there are."""
    b = low.b
    size = b.name("size")
    b.add(Set(size, 0))
    sorter = Sorter(low, run, source.dtype)
    with positions(b, source.valid[:-1]) as at, b.loop(length, 0, run, hint="run") as start:
        b.add(Set(size, L.binary("min", run, L.sub(length, start))))
        row, out = source.arr.moved((*at, 0)), made.arr.moved((*at, 0))
        row, out = Arr(row.at, source.arr.strides[-1:]), Arr(out.at, made.arr.strides[-1:])
        keys = Arr(row.moved((L.mul(start, step),)).at, (L.mul(row.strides[0], step),))
        yield row, out, start, sorter.sort(keys, Slot(size), True), Slot(size)
