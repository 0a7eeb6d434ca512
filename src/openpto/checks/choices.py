"""Which tiles suit an operation best, and why.

Purpose: a few legal tiles to begin with, the most promising first. The order follows the advice for tuning: rows as
long as can be, no cut through an axis that is folded, tiles of 16 to 64 KiB that divide the shape, enough of them for
all cores; for products the estimated time of loads and of the cube.
Non-goals: the best tile. A search on a device finds that.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice, product
from math import log2, prod
from typing import Any

from openpto._records import dataclass
from openpto.checks.access import core
from openpto.checks.buffers import TILED_BY_SOURCE, inputs_of, is_reduction, tiled_shape, tiled_value
from openpto.checks.conv_choices import conv_choices
from openpto.checks.cube_choices import cube_choices
from openpto.checks.memory_map import memory_map
from openpto.checks.query import legal
from openpto.checks.question import Question, Tile, parts
from openpto.checks.workload import MOST_OPERATIONS
from openpto.device import BLOCK, Chip, align, size_text, tile_of
from openpto.diagnostics import T, said
from openpto.ir.dtypes import bytes_of
from openpto.ir.nodes import Op, Value

GOOD_BYTES = (16 * 1024, 64 * 1024)
"""Tiles of this size keep a core busy for longer than it takes to start it."""
SHORT_ROW = 512
"""Rows of fewer bytes are loaded slowly."""
MOST_LEGAL = 200
"""Candidates that are recorded to find legal ones."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A legal tile and what speaks for it, in the language of the user."""

    tile: Tile
    reasons: tuple[str, ...]


def choices(question: Question, chip: Chip, count: int = 3) -> tuple[Choice, ...]:
    """Legal tiles for one chip, the best first; fewer where there are not so many."""
    return tuple(islice(_vector(question, chip) if question.kind == "vector" else _cube(question, chip), count))


def _cube(question: Question, chip: Chip) -> Iterator[Choice]:
    """Tiles of products and convolutions."""
    kernel, _ = question.recorded(None)
    ops, _ = parts(kernel)
    op = next(op for op in ops if core(op.name) == "cube" or "convolution" in op.attrs)
    ranked: Iterator[Any] = cube_choices(op, chip) if question.kind == "cube" else conv_choices(op, chip)
    for tile, reasons in islice(ranked, MOST_LEGAL):
        if legal(question, tile, (chip,)):
            yield Choice(tile, reasons)


# -- vector tiles -----------------------------------------------------------------------------------------------------


def _vector(question: Question, chip: Chip) -> Iterator[Choice]:
    kernel, _ = question.recorded(None)
    ops, uses = parts(kernel)
    parts_in_ub = [op for op in ops if core(op.name) == "vector" and tiled_shape(op)]
    if not parts_in_ub:
        return
    facts = _VectorFacts(parts_in_ub, uses, chip)
    ranked = sorted(facts.candidates(), key=facts.rank)
    for tile in ranked[: MOST_LEGAL * 4]:
        if legal(question, tile, (chip,)):
            yield Choice(tile, tuple(facts.reasons(question, tile)))


class _VectorFacts:
    """What the order of vector tiles depends on: the largest tensor that is cut, folds, operands and cores."""

    def __init__(self, ops: Sequence[Op], uses: Counter[Value], chip: Chip) -> None:
        value = max((value for op in ops for value in _cut_by_tile(op)), key=_size)
        self.extents = _ints(value)
        self.size = bytes_of(value.type.dtype)
        self.step = max(BLOCK // self.size, 1)
        self.folded = {axis for op in ops if is_reduction(op) for axis in _axes(op)}
        self.operands = sum(1 + sum(isinstance(o, Value) for o in op.operands) for op in ops)
        self.chip = chip

    def candidates(self) -> Iterator[tuple[int, ...]]:
        """Powers of two, whole axes and aligned rows."""
        rank = len(self.extents)
        axes = []
        for axis, extent in enumerate(self.extents):
            powers = [1 << bit for bit in range(extent.bit_length()) if 1 << bit < extent]
            if axis == rank - 1:
                powers = [power for power in powers if power % self.step == 0]
                axes.append([*powers, align(extent, self.step)])
            elif axis < rank - 2:
                axes.append(sorted({1, *powers[:4], extent}))
            else:
                axes.append([*powers, extent])
        return product(*axes)

    def bytes(self, tile: tuple[int, ...]) -> int:
        """One operand of the tile."""
        return prod(tile_of(self.extents, tile)) * self.size

    def count(self, tile: tuple[int, ...]) -> int:
        """Tiles of the tensor."""
        return prod(-(-extent // piece) for extent, piece in zip(self.extents, tile, strict=True))

    def uneven(self, tile: tuple[int, ...]) -> list[int]:
        """Axes whose last tile is a part of one."""
        return [a for a, (e, p) in enumerate(zip(self.extents, tile, strict=True)) if p < e and e % p]

    def cut(self, tile: tuple[int, ...]) -> bool:
        """Whether an axis that is folded is cut."""
        return any(tile[axis] < self.extents[axis] for axis in self.folded)

    def row(self, tile: tuple[int, ...]) -> int:
        """Bytes of a row."""
        return min(tile[-1], self.extents[-1]) * self.size

    def rank(self, tile: tuple[int, ...]) -> tuple[Any, ...]:
        """The smallest is the best."""
        size, count = self.bytes(tile), self.count(tile)
        low, high = GOOD_BYTES
        far = max(log2(low / size), log2(size / high), 0.0)
        idle = max(log2(self.chip.vector_cores / 2 / count), 0.0) if size > low else 0.0
        whole = self.row(tile) >= min(SHORT_ROW, self.extents[-1] * self.size)
        many = count * self.operands >= MOST_OPERATIONS
        return self.cut(tile), many, not whole, len(self.uneven(tile)), far + idle, -tile[-1], count

    def reasons(self, question: Question, tile: tuple[int, ...]) -> Iterator[str]:
        """What speaks for a tile, and what against."""
        if self.folded:
            yield said(_CUT if self.cut(tile) else _KEPT)
        if tile[-1] >= self.extents[-1]:
            yield said(_WHOLE, count=self.extents[-1])
        else:
            yield said(_ROWS, size=size_text(self.row(tile)))
        uneven = self.uneven(tile)
        yield said(_UNEVEN, axes=", ".join(map(str, uneven))) if uneven else said(_EVEN)
        yield said(_BYTES, size=size_text(self.bytes(tile)))
        yield said(_CORES, count=self.count(tile), cores=self.chip.vector_cores)
        for memory in memory_map(question, tile, self.chip):
            yield said(_FULL, percent=f"{memory.percent:.0f}")


def _cut_by_tile(op: Op) -> Iterator[Value]:
    """The tensor that the tile refers to, and operands of as many axes, which it cuts too."""
    value = tiled_value(op)
    assert value is not None
    yield value
    if op.name not in TILED_BY_SOURCE:
        yield from (other for other in inputs_of(op) if other.type.rank == value.type.rank)


def _ints(value: Value) -> tuple[int, ...]:
    return tuple(extent for extent in value.type.shape if isinstance(extent, int))


def _size(value: Value) -> tuple[int, int]:
    return value.type.rank, prod(_ints(value))


def _axes(op: Op) -> tuple[int, ...]:
    axes: tuple[int, ...] = op.attrs.get("axes") or ()
    axis = op.attrs.get("axis")
    return axes or ((axis,) if isinstance(axis, int) else ())


_KEPT = T("the folded axis is not cut", "归约轴未被切分")
_CUT = T("the folded axis is cut", "归约轴被切分")
_WHOLE = T("whole rows of {count}", "整行 {count} 个元素")
_ROWS = T("rows of {size}", "每行 {size}")
_EVEN = T("divides the shape", "整除形状")
_UNEVEN = T("leaves a remainder on axis {axes}", "在维度 {axes} 上有余数")
_BYTES = T("{size} per tile", "每个 tile {size}")
_CORES = T("{count} tile(s) for {cores} vector cores", "{count} 个 tile，{cores} 个向量核")
_FULL = T("UB {percent} % full", "UB 占用 {percent}%")
