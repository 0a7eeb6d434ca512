"""Tile shapes: whether every operation has one, and whether its buffers fit on the chip.

Purpose: refuse operations without a usable vector or cube tile, tiles of the wrong rank, misaligned tiles, and tiles
whose buffers exceed UB, L0A, L0B, L0C or L1.
Precondition: a verified kernel; every operation carries the scope it was recorded in.
Postcondition: nothing is changed. Without a platform a tile has to fit one of the chips; if it does not fit all of
them a warning names those it needs.
Non-goals: cost.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from openpto.checks.access import access, core, operations
from openpto.checks.buffers import check_ub, count_uses, inputs_of, is_reduction, numbers, tiled_shape
from openpto.checks.convolution import check_convolution
from openpto.checks.cube import check_cube
from openpto.device import Chip, chips_of
from openpto.diagnostics import fail, portability
from openpto.ir.dtypes import bytes_of
from openpto.ir.nodes import Kernel, Op, Value

BYTEWISE = frozenset({"pack", "unpack"})
"""Operations that are recorded as moves and go through vector tiles on a device."""

READS_WHOLE_BLOCKS = frozenset({"gcd"})
WRITES_WHOLE_BLOCKS = frozenset({"isfinite", "isnan"})
"""Operations element by element that do not pad the rows of their tile."""


@dataclass(frozen=True)
class Tiles:
    """The pass; see the module's header. `platform` is the chip chosen by the user, None for any."""

    platform: str | None = None

    def run(self, kernel: Kernel) -> None:
        """Check one kernel. Raises PTO301-305 and PTO320-327; reports PTO306 and PTO307."""
        chips = chips_of(self.platform)
        uses = count_uses(kernel)
        moves: list[Op] = []
        for op in operations(kernel.body):
            unit = core(op.name)
            if unit == "move" and not (op.name == "bitcast" and op.site.asked in BYTEWISE):
                moves.append(op)
            elif unit == "move":
                _checked_tile(op, inputs_of(op)[0].type.rank)
            elif unit == "vector":
                _check_vector(op, chips, uses)
            elif "convolution" in op.attrs:
                check_convolution(op, chips)
            elif unit == "cube":
                check_cube(op, chips)
        for op in moves:  # last: a warning says little beside a refusal for the same reason
            _check_move(op)


# -- vector operations ------------------------------------------------------------------------------------------------


def _check_vector(op: Op, chips: tuple[Chip, ...], uses: Counter[Value]) -> None:
    shape = tiled_shape(op)
    if shape is None:
        return
    tile = _checked_tile(op, len(shape))
    _check_last_axis(op, tile, len(shape))
    check_ub(op, tile, chips, uses)


def _checked_tile(op: Op, rank: int) -> tuple[int, ...]:
    """The vector tile in force, which has a positive value per axis (PTO301 to PTO303)."""
    tile, name = op.scope.vec, op.site.asked or op.name
    if tile is None:
        fail("PTO301", site=op.site, op=name, rank=rank, suggest=", ".join(_axis_names(rank)))
    if any(value <= 0 for value in tile):
        fail("PTO302", site=op.site, op=name, tile=numbers(tile))
    if len(tile) < rank and op.name != "index_put_":  # there the missing values are the whole extents
        fail("PTO303", site=op.site, op=name, tile=numbers(tile), have=len(tile), rank=rank)
    return tile


def _check_last_axis(op: Op, tile: tuple[int, ...], rank: int) -> None:
    """Reductions and a few others need whole 32-byte blocks along the last axis of the tile."""
    if is_reduction(op) or op.name in READS_WHOLE_BLOCKS:
        rows = inputs_of(op)
    elif op.name in WRITES_WHOLE_BLOCKS:
        rows = [result for result in op.results if isinstance(result, Value)]
    else:
        return
    size = bytes_of(rows[0].type.dtype)
    if rank and tile[rank - 1] * size % 32:
        step = 32 // size
        fail(
            "PTO305",
            site=op.site,
            op=op.site.asked or op.name,
            last=tile[rank - 1],
            bytes=tile[rank - 1] * size,
            step=step,
            suggest=numbers((*tile[: rank - 1], -(-tile[rank - 1] // step) * step)),
        )


# -- data movement ----------------------------------------------------------------------------------------------------


def _check_move(op: Op) -> None:
    """Toolchain 0.2 asks for a tile where data only move; the newer one takes the tile of the neighbours."""
    scope = op.scope
    if scope.vec is None and scope.cube is None and scope.conv is None and access(op).reads:
        portability("PTO306", site=op.site, op=op.site.asked or op.name)


# -- shared -----------------------------------------------------------------------------------------------------------


def _axis_names(rank: int) -> list[str]:
    names = ["<rows>", "<cols>"] if rank == 2 else [f"<axis {axis}>" for axis in range(rank)]
    return names or ["<size>"]
