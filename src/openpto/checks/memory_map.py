"""What one operation puts into which on-chip memory of a chip."""

from __future__ import annotations

from collections import Counter

from openpto._records import dataclass
from openpto.checks.access import core
from openpto.checks.buffers import UbUse, tiled_shape
from openpto.checks.convolution import Facts, conv_demands
from openpto.checks.cube import use_of
from openpto.checks.question import Question, Tile, parts
from openpto.device import Chip, Demand, cube_demands
from openpto.ir.nodes import CubeTile, Op, Value
from openpto.language.tile_shapes import ConvTile


@dataclass(frozen=True, slots=True)
class Memory:
    """One memory: what lies in it, how much it holds, and the operation that needs it (part of the one asked for)."""

    demand: Demand
    have: int
    op: str

    @property
    def percent(self) -> float:
        """How full it is; over 100 for copies that do not lie there at a time."""
        return 100 * self.demand.need / self.have


def memory_map(question: Question, tile: Tile, chip: Chip) -> tuple[Memory, ...]:
    """The memories that a legal tile uses: UB, or L1, L0A, L0B, L0C and the tables of bias and scales.

    Of an operation made of several, UB is shown for the one that needs most. Both copies to L1 are shown; they need not
    lie there at a time.
    """
    kernel, _ = question.recorded(tile)
    ops, uses = parts(kernel)
    if isinstance(tile, CubeTile):
        op = next(op for op in ops if core(op.name) == "cube")
        return _together(list(cube_demands(use_of(op, tile))), chip, op.name)
    if isinstance(tile, ConvTile):
        op = next(op for op in ops if "convolution" in op.attrs)
        return _together(list(conv_demands(Facts(op), tile.l1, tile.l0)), chip, question.decl.name)
    return _in_ub(ops, uses, chip)


def _in_ub(ops: tuple[Op, ...], uses: Counter[Value], chip: Chip) -> tuple[Memory, ...]:
    found = []
    for op in ops:
        vec, shape = op.scope.vec, tiled_shape(op)
        if core(op.name) == "vector" and vec is not None and shape is not None and len(vec) >= len(shape):
            found.append(Memory(UbUse(op, vec, chip, uses).demand(), chip.ub, op.name))
    return (max(found, key=lambda memory: memory.demand.need),) if found else ()


def _together(demands: list[tuple[str, Demand]], chip: Chip, op: str) -> tuple[Memory, ...]:
    """One entry per memory, the large ones first."""
    fields = dict.fromkeys(field for field, _ in demands)
    found = []
    for field in fields:
        pieces = [piece for name, demand in demands if name == field for piece in demand.pieces]
        name = next(demand.memory for other, demand in demands if other == field)
        found.append(Memory(Demand(name, tuple(pieces)), int(getattr(chip, field)), op))
    return tuple(sorted(found, key=lambda memory: -memory.have))
