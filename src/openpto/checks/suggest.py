"""Which tile to use instead: a legal one near the one in force, for an operation and everything that shares its tile.

A tile is legal if the checks find nothing wrong with any operation under it, on every chip the kernel may run on; a
tile that only some chips hold is suggested where there is no other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from openpto._records import dataclass, replace
from openpto.checks import cube
from openpto.checks.buffers import inputs_of, numbers, tiled_value
from openpto.checks.conv_nearest import nearest_conv
from openpto.checks.findings import Finding
from openpto.checks.nearest import nearest_cube, nearest_vector
from openpto.checks.vector import row_step
from openpto.device import BLOCK, Chip, cube_step
from openpto.ir.dtypes import bytes_of
from openpto.ir.enums import TileOpFormat
from openpto.ir.nodes import CubeTile, Op, Scope, Value
from openpto.language.tile_shapes import ConvTile
from openpto.ops import OPS
from openpto.ops.registry import Pointwise, Reduce

Change = Callable[[Scope], Scope]
Legal = Callable[[Sequence[Op], Change], bool]
Find = Callable[[Op, tuple[Chip, ...], Counter[Value]], Iterator[Finding]]

START = CubeTile((128, 128), (64, 256, 256), (128, 128))
"""The cube tile that a search starts from where none is set: it suits all types on all chips."""
NOTHING = "..."
"""Stands for a suggestion where no tile is legal."""


@dataclass(frozen=True)
class Suggestions:
    """The search for one kernel or one call.

    ops   all operations, among which those that share a tile are found
    find  what is wrong with the tile of one operation
    """

    ops: Sequence[Op]
    chips: tuple[Chip, ...]
    uses: Counter[Value]
    find: Find

    def text(self, found: Finding) -> str:
        """Arguments of the setter that would mend a finding."""
        tile = self.tile(found)
        return NOTHING if tile is None else tile_text(tile)

    def tile(self, found: Finding) -> tuple[int, ...] | CubeTile | ConvTile | None:
        """The tile to use instead, None if there is none."""
        op = found.op
        if "convolution" in op.attrs:
            return self._conv(op)
        return self._cube(op) if _is_cube(op) else self._vector(op)

    def _vector(self, op: Op) -> tuple[int, ...] | None:
        value, vec = tiled_value(op), op.scope.vec or ()
        if value is None:
            return None
        extents = [extent if isinstance(extent, int) else 2**31 for extent in value.type.shape]
        asked = list(vec[: len(extents)])
        peers = self._alike(other for other in self.ops if other.scope.vec == op.scope.vec and not _is_cube(other))
        needed = max(map(row_step, peers), default=1)
        step = max(BLOCK // bytes_of(value.type.dtype), needed)
        rest = tuple(vec[len(extents) :])
        aligned = step if needed > 1 or (asked and asked[-1] % step == 0) else 1

        def searched(legal: Legal) -> tuple[int, ...] | None:
            def holds(tile: tuple[int, ...]) -> bool:
                return legal(peers, lambda scope: replace(scope, vec=(*tile, *rest)))

            best = nearest_vector(asked, extents, aligned, holds, _kept_axes(op))
            return best or nearest_vector(asked, extents, aligned, holds, frozenset())

        best = searched(self._clean) or searched(self._accepted)
        return None if best is None else (*best, *rest)

    def _cube(self, op: Op) -> CubeTile | None:
        tile = op.scope.cube
        if tile is None or min(*tile.m, *tile.k, *tile.n) <= 0:
            tile = replace(START, split_k=tile is not None and tile.split_k)
        peers = self._alike(other for other in self.ops if other.scope.cube == op.scope.cube and _is_cube(other))
        steps = _cube_steps(op)

        def searched(legal: Legal) -> CubeTile | None:
            return nearest_cube(tile, steps, lambda cut: legal(peers, lambda scope: replace(scope, cube=cut)))

        return searched(self._clean) or searched(self._accepted)

    def _conv(self, op: Op) -> ConvTile | None:
        return nearest_conv(op, lambda tile: self._clean([op], lambda scope: replace(scope, conv=tile)), self.chips)

    def _alike(self, ops: Iterable[Op]) -> list[Op]:
        """One operation of each kind: what the checks see of it is all that counts."""
        kinds: dict[object, Op] = {}
        for op in ops:
            tiles = tuple(operand for operand in op.operands if isinstance(operand, Value))
            used = tuple(self.uses[tile] > 1 for tile in tiles)
            types = tuple(value.type for value in (*tiles, *op.results) if isinstance(value, Value))
            kinds.setdefault((op.name, types, used, len(set(tiles)), repr(sorted(op.attrs.items()))), op)
        return list(kinds.values())

    def _clean(self, ops: Sequence[Op], change: Change) -> bool:
        """Nothing is found on any chip."""
        chips = {replace(chip, name=""): chip for chip in self.chips}.values()  # one of each memory map
        return all(not self._found(op, change, (chip,), warnings=True) for op in ops for chip in chips)

    def _accepted(self, ops: Sequence[Op], change: Change) -> bool:
        """Nothing is refused."""
        return all(not self._found(op, change, self.chips, warnings=False) for op in ops)

    def _found(self, op: Op, change: Change, chips: tuple[Chip, ...], *, warnings: bool) -> bool:
        changed = replace(op, scope=change(op.scope))
        return any(warnings or found.refuses for found in self.find(changed, chips, self.uses))


def _is_cube(op: Op) -> bool:
    return op.name in OPS and OPS[op.name].core == "cube" and "convolution" not in op.attrs


def _kept_axes(op: Op) -> frozenset[int]:
    """Axes that must not be cut: those of operations that look along one, unless it is a fold."""
    decl = OPS.get(op.name)
    if decl is None or isinstance(decl.arithmetic, Pointwise | Reduce) or op.name in ("cast", "permute"):
        return frozenset()
    value = tiled_value(op)
    axis: Any = op.attrs.get("axis")
    return frozenset({axis if isinstance(axis, int) else (value.type.rank - 1 if value is not None else 0)})


def _cube_steps(op: Op) -> tuple[int, int, int]:
    """What the L0 values of m, k and n are multiples of."""
    a, b = inputs_of(op)[:2]
    step_a, step_b = (min(cube_step(cube.size_of(op, value)), 32) for value in (a, b))
    fractal = a.type.fmt is TileOpFormat.TILEOP_NZ
    swapped = bool(op.attrs.get("a_trans"))
    rows = max(step_a if swapped else 1, 16 if fractal else 1)
    deep = cube.GROUPS if op.attrs.get("microscaled") else max(step_a, 16)
    return rows, deep, max(step_b, 16)


def tile_text(tile: tuple[int, ...] | CubeTile | ConvTile) -> str:
    """A tile as arguments of its setter."""
    if isinstance(tile, CubeTile):
        return cube.text(tile) + (", True" if tile.split_k else "")
    if not isinstance(tile, ConvTile):
        return numbers(tile)
    first = f"TileL1Info({numbers(tile.l1)})"
    return first if tile.l0 is None else f"{first}, TileL0Info({numbers(tile.l0)})"


def setter_text(tile: tuple[int, ...] | CubeTile | ConvTile) -> str:
    """The call that sets a tile."""
    kind = "cube" if isinstance(tile, CubeTile) else "conv" if isinstance(tile, ConvTile) else "vec"
    return f"pypto.set_{kind}_tile_shapes({tile_text(tile)})"
