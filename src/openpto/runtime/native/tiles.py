"""Tiles while lowering: where a value lives, and what is known of it.

Everything known is either a Python int or an ``Index`` that the program computes, so one description serves static
and run-time facts.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count

from openpto._records import dataclass, field, replace
from openpto.ir.dtypes import DataType, bytes_of
from openpto.ops import arith
from openpto.ops.arith import BOOL
from openpto.runtime.boxes import Box, outside

from . import loopir as L
from .build import Builder, compact, fill
from .build import count as product
from .loopir import Check, Index, Ptr, Reserve
from .nests import Arr

ALIGN = 64
_COMPUTED = arith.REALS | arith.INTEGERS | arith.HALVES | {BOOL}


def stored_type(dtype: DataType) -> DataType:
    """The type that elements of ``dtype`` are held in: itself, or bytes for a type that is only moved."""
    return dtype if dtype in _COMPUTED else DataType.DT_UINT8


MOST_HOLES = 64


def without(holes: Sequence[Box], low: Sequence[int], high: Sequence[int]) -> tuple[Box, ...] | None:
    """What is left of ``holes`` when a box is filled; None if that becomes too many boxes."""
    left: list[Box] = []
    for hole in holes:
        left.extend(outside(hole, low, high))
    return tuple(left) if len(left) <= MOST_HOLES else None


def meets(holes: Sequence[Box], low: Sequence[int], high: Sequence[int]) -> bool:
    """Whether a box touches a hole."""
    return any(
        all(max(a, c) < min(b, d) for a, b, c, d in zip(begin, end, low, high, strict=True)) for begin, end in holes
    )


def numbers(extents: Sequence[Index]) -> tuple[int, ...] | None:
    """The extents if all are known now."""
    known = tuple(n for n in extents if isinstance(n, int))
    return known if len(known) == len(extents) else None


@dataclass(eq=False, slots=True)
class Memory:
    """One piece of memory. ``offset`` and ``size`` place it in the arena (size 0: elsewhere); ``home`` is the number of
    the kernel parameter that owns it, or -1; ``refs`` counts the values that live in it, ``pins`` other reasons to keep
    it. ``owner`` marks the pointers into it, ``arena`` is where a piece of known size came from."""

    offset: int = 0
    size: int = 0
    home: int = -1
    refs: int = 0
    pins: int = 0
    freed: bool = False
    owner: int = field(default_factory=count(1).__next__)
    arena: Arena | None = None

    def give_back(self) -> None:
        """Its place is free."""
        assert self.arena is not None
        self.arena.give(self)


@dataclass(frozen=True, slots=True)
class NTile:
    """The state of a tensor object at one point of the program.

    arr      elements over the capacity
    shape    capacity per axis
    valid    valid extent per axis
    mask     BOOL per element of the capacity: whether it is defined; None if all valid elements are, once anything is
    written  0 only for a declared tensor that no write has reached: nothing of it is defined then
    alive    0 for a name without a value
    memory   what holds the elements; ``marks`` what holds the mask
    holes    boxes outside of which all is certainly defined, if that is known now; without a mask exactly what is in
             them is undefined, and neither the mask nor the elements there have been written (a bare tile)
    late     whether memory and run-time extents are chosen while the program runs (see ``late.py``)
    """

    arr: Arr
    shape: tuple[Index, ...]
    valid: tuple[Index, ...]
    mask: Arr | None
    memory: Memory
    marks: Memory | None = None
    written: Index = 1
    alive: Index = 1
    holes: tuple[Box, ...] | None = None
    late: bool = False

    @property
    def dtype(self) -> DataType:
        """Element type."""
        return self.arr.dtype

    @property
    def bare(self) -> bool:
        """Whether a mask is still to be written."""
        return self.mask is None and self.holes is not None

    @property
    def blank(self) -> bool:
        """Whether all of it or nothing is defined, as ``written`` says, and no mask or zero says so in memory."""
        return self.mask is None and self.holes is None and self.written != 1

    @property
    def full(self) -> bool:
        """Whether the valid region certainly is the capacity."""
        return self.valid == self.shape

    @property
    def is_compact(self) -> bool:
        """Whether the elements certainly lie in row-major order without gaps."""
        return all(s == c or n == 1 for s, c, n in zip(self.arr.strides, compact(self.shape), self.shape, strict=True))

    def with_valid(self, valid: Sequence[Index]) -> NTile:
        """The same elements with another valid region."""
        return replace(self, valid=tuple(valid))


class Arena:
    """Places memory of known size while the program is written: first fit among what is free at that point. ``base`` is
    the pointer slot of its first byte."""

    def __init__(self, base: str = "arena") -> None:
        self.base = base
        self.free: list[tuple[int, int]] = []
        self.top = 0
        self.high = 0

    def state(self) -> tuple[list[tuple[int, int]], int]:
        """To come back to (the high-water mark stays)."""
        return list(self.free), self.top

    def restore(self, state: tuple[list[tuple[int, int]], int]) -> None:
        """Go back to :meth:`state`."""
        self.free, self.top = list(state[0]), state[1]

    def take(self, size: int) -> Memory:
        """A piece of at least ``size`` bytes."""
        size = max(ALIGN, -(-size // ALIGN) * ALIGN)
        for k, (offset, room) in enumerate(self.free):
            if room >= size:
                self.free[k : k + 1] = [(offset + size, room - size)] if room > size else []
                return Memory(offset, size, arena=self)
        offset = self.top
        self.top += size
        self.high = max(self.high, self.top)
        return Memory(offset, size, arena=self)

    def give(self, memory: Memory) -> None:
        """Take a piece back; neighbours are joined."""
        assert not memory.freed
        memory.freed = True
        pieces = sorted([*self.free, (memory.offset, memory.size)])
        joined: list[tuple[int, int]] = []
        for offset, size in pieces:
            if joined and joined[-1][0] + joined[-1][1] == offset:
                joined[-1] = (joined[-1][0], joined[-1][1] + size)
            else:
                joined.append((offset, size))
        self.free = joined


def place(b: Builder, arena: Arena, shape: Sequence[Index], dtype: DataType, out_of_memory: int) -> tuple[Arr, Memory]:
    """Memory for an array: in the arena if its size is known now, else reserved at run time."""
    total, dtype = product(shape), stored_type(dtype)
    if isinstance(total, int):
        memory = arena.take(total * bytes_of(dtype))
        per_element = bytes_of(dtype)
        at = Ptr(arena.base, memory.offset // per_element, dtype, memory.owner)
    else:
        memory = Memory()
        slot = b.name("heap")
        b.add(Reserve(slot, _checked_product(b, (*shape, bytes_of(dtype)), out_of_memory), out_of_memory))
        at = Ptr(slot, 0, dtype, memory.owner)
    return Arr(at, compact(shape)), memory


def _checked_product(b: Builder, factors: Sequence[Index], site: int) -> Index:
    """A size in bytes that fits 64 bits, else fault ``site``."""
    total: Index = 1
    for n in factors:
        if not isinstance(total, int) or not isinstance(n, int):
            b.add(Check(L.binary("eq", L.Bin("mulover", total, n), 0), site))
        total = b.hold(L.mul(total, n))
    return total


def marked(b: Builder, arena: Arena, tile: NTile, out_of_memory: int) -> NTile:
    """A bare tile with its mask, and zeros where it is undefined."""
    assert tile.holes is not None
    mask, marks = place_mask(b, arena, tile.shape, out_of_memory)
    if tile.holes != (((0,) * len(tile.shape), tile.shape),):
        fill(b, tile.shape, arith.const(True, BOOL), mask)
    for begin, end in tile.holes:
        extents = [stop - start for start, stop in zip(begin, end, strict=True)]
        fill(b, extents, zero(tile.dtype), tile.arr.moved(begin))
        fill(b, extents, arith.const(False, BOOL), mask.moved(begin))
    return replace(tile, mask=mask, marks=marks)


def zero(dtype: DataType) -> arith.Expr:
    """The element with no bit set."""
    if dtype in arith.HALVES:
        return arith.bitcast(arith.const(0, arith.U16), dtype)
    return arith.const_bits(0, stored_type(dtype))


def place_mask(b: Builder, arena: Arena, shape: Sequence[Index], out_of_memory: int) -> tuple[Arr, Memory]:
    """Memory for a mask over ``shape``."""
    return place(b, arena, shape, BOOL, out_of_memory)
