"""Tiles whose memory and run-time shape are chosen while the program runs.

A name that gets a tensor of run-time shape in a branch or a loop body has no size before that. Its tile lives behind a
pointer slot, and the run-time extents of its shape are slots too; whoever gives the tile contents sets them.
"""

from __future__ import annotations

from collections.abc import Sequence

from openpto.ir.dtypes import DataType
from openpto.ir.expr import Dim
from openpto.ir.nodes import TileType
from openpto.ops.arith import BOOL

from . import loopir as L
from .build import Arr, compact
from .loopir import Index, Point, Ptr, Set, Slot
from .lower import Lowering
from .tiles import Memory, NTile, stored_type


def later(low: Lowering, dtype: DataType, shape: Sequence[Dim | Index], masked: bool = False) -> NTile:
    """A tile without a value whose static extents are those of ``shape``; the others are 0 until it gets one."""
    extents: list[Index] = []
    for n in shape:
        if isinstance(n, int):
            extents.append(n)
        else:
            slot = low.b.name("extent")
            low.b.add(Set(slot, 0))
            extents.append(Slot(slot))
    arr, memory = _behind_a_slot(low, stored_type(dtype), extents)
    mask, marks = _behind_a_slot(low, BOOL, extents) if masked else (None, None)
    return NTile(arr, tuple(extents), tuple(extents), mask, memory, marks, written=1, alive=0, late=True)


def _behind_a_slot(low: Lowering, dtype: DataType, extents: Sequence[Index]) -> tuple[Arr, Memory]:
    memory, slot = Memory(), low.b.name("late")
    low.b.add(Point(slot, Ptr("arena", 0, dtype)))
    return Arr(Ptr(slot, 0, dtype, memory.owner), compact(extents)), memory


def moved_out(low: Lowering, source: NTile, like: NTile) -> NTile:
    """``source`` in memory of its own, with the mask that ``like`` has; nothing is copied where it has no value."""
    shape = tuple(n if isinstance(n, int) else fixed(low, L.pick(source.alive, n, 0)) for n in source.shape)
    made = low.fresh(TileType((), like.dtype), shape, source.valid, like.mask is not None)
    with low.b.when(source.alive):
        low.copy_state(source, made)
    return made


def fixed(low: Lowering, value: Index) -> Index:
    """``value`` where later changes of slots do not reach it."""
    if isinstance(value, int):
        return value
    slot = low.b.name("was")
    low.b.add(Set(slot, value))
    return Slot(slot)


def settle(low: Lowering, late: NTile, made: NTile) -> None:
    """Let a late tile stand for ``made``; what waits to be written there is written first, because the two names of
    the memory are not known to be one."""
    low.b.flush()
    for extent, n in zip(late.shape, made.shape, strict=True):
        if isinstance(extent, Slot):
            low.b.add(Set(extent.name, n))
    low.b.add(Point(late.arr.at.base, made.arr.at))
    if late.mask is not None:
        assert made.mask is not None
        low.b.add(Point(late.mask.at.base, made.mask.at))
