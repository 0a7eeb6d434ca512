"""Tile shapes: whether every operation has one, and whether its buffers fit on the chip.

Purpose: refuse operations without a usable vector or cube tile, tiles of the wrong rank, misaligned tiles, and tiles
whose buffers exceed UB, L0A, L0B, L0C or L1.
Precondition: a verified kernel; every operation carries the scope it was recorded in.
Postcondition: nothing is changed. Without a platform a tile has to fit one of the chips; if it does not fit all of
them a warning names those it needs.
Non-goals: scratch space of single operations, convolution tiles, cost.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from openpto.checks.access import access, blocks, core, operations
from openpto.checks.cube import check_cube
from openpto.device import Chip, TileBuffer, chips_of, tile_of, vector_bytes
from openpto.diagnostics import fail, portability, warn
from openpto.ir.dtypes import bytes_of
from openpto.ir.expr import Dim
from openpto.ir.nodes import If, Kernel, Loop, Op, Value
from openpto.ops import OPS
from openpto.ops.registry import Reduce

CONVOLUTION = frozenset({"conv"})
PIECEWISE = frozenset(
    {"concat", "gather", "scatter", "index_select", "index_add_", "index_put_", "scatter_update", "paged_rows"}
)
"""Operations that fetch or copy their operands piece by piece: these do not meet in UB."""

TILED_BY_SOURCE = frozenset({"index_put_", "index_add_", "scatter_update"})
"""Updates whose tile cuts what is written, the operand before the tensor that is changed."""

SEARCHES = frozenset({"argmax", "argmin"})

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
        uses = _count_uses(kernel)
        moves: list[Op] = []
        for op in operations(kernel.body):
            unit = core(op.name)
            if unit == "move":
                moves.append(op)
            elif unit == "vector" and op.name not in CONVOLUTION:
                _check_vector(op, chips, uses)
            elif unit == "cube" and op.name not in CONVOLUTION:
                check_cube(op, chips)
        for op in moves:  # last: a warning says little beside a refusal for the same reason
            _check_move(op)


# -- vector operations ------------------------------------------------------------------------------------------------


def _check_vector(op: Op, chips: tuple[Chip, ...], uses: Counter[Value]) -> None:
    shape = _tiled_shape(op)
    if shape is None:
        return
    tile = op.scope.vec
    rank = len(shape)
    if tile is None:
        fail("PTO301", site=op.site, op=op.name, rank=rank, suggest=", ".join(_axis_names(rank)))
    if any(value <= 0 for value in tile):
        fail("PTO302", site=op.site, op=op.name, tile=_numbers(tile))
    if len(tile) < rank and op.name != "index_put_":  # there the missing values are the whole extents
        fail("PTO303", site=op.site, op=op.name, tile=_numbers(tile), have=len(tile), rank=rank)
    _check_last_axis(op, tile, rank)
    if op.name not in PIECEWISE:
        _check_ub(op, tile, chips, uses)


def _is_reduction(op: Op) -> bool:
    """True for folds and searches along axes, whose tile refers to their input."""
    return op.name in SEARCHES or (op.name in OPS and isinstance(OPS[op.name].arithmetic, Reduce))


def _tiled_shape(op: Op) -> tuple[Dim, ...] | None:
    """The shape that the tile values pair with: of the result, for some operations of an input."""
    inputs = [operand for operand in op.operands if isinstance(operand, Value)]
    if _is_reduction(op) and inputs:
        return inputs[0].type.shape
    if op.name in TILED_BY_SOURCE:
        return inputs[-2].type.shape
    results = [result for result in op.results if isinstance(result, Value)]
    return results[0].type.shape if results else None


def _check_last_axis(op: Op, tile: tuple[int, ...], rank: int) -> None:
    """Reductions and a few others need whole 32-byte blocks along the last axis of the tile."""
    if _is_reduction(op) or op.name in READS_WHOLE_BLOCKS:
        rows = [operand for operand in op.operands if isinstance(operand, Value)]
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
            op=op.name,
            last=tile[rank - 1],
            bytes=tile[rank - 1] * size,
            step=step,
            suggest=_numbers((*tile[: rank - 1], -(-tile[rank - 1] // step) * step)),
        )


def _check_ub(op: Op, tile: tuple[int, ...], chips: tuple[Chip, ...], uses: Counter[Value]) -> None:
    need = _ub_bytes(op, tile, uses)
    fitting = [chip for chip in chips if need <= chip.ub]
    if not fitting:
        largest = max(chips, key=lambda chip: chip.ub)
        fail(
            "PTO304",
            site=op.site,
            op=op.name,
            tile=_numbers(tile),
            need=need,
            have=largest.ub,
            chip=largest.name,
            suggest=_numbers(_smaller_tile(op, tile, largest.ub, uses)),
        )
    if len(fitting) < len(chips):
        names = ", ".join(chip.name for chip in fitting)
        warn("PTO307", site=op.site, op=op.name, memory="UB", need=need, chips=names)


def _ub_bytes(op: Op, tile: tuple[int, ...], uses: Counter[Value]) -> int:
    inputs = dict.fromkeys(operand for operand in op.operands if isinstance(operand, Value))
    outputs = [result for result in op.results if isinstance(result, Value)]
    rank = len(_tiled_shape(op) or ())
    read_tile = _permuted(tile, op.attrs["perm"]) if "perm" in op.attrs else tile
    return vector_bytes(
        [_buffer(value, read_tile, rank, reusable=uses[value] <= 1) for value in inputs],
        [_buffer(value, tile, rank, reusable=False) for value in outputs],
    )


def _permuted(tile: tuple[int, ...], perm: tuple[int, ...]) -> tuple[int, ...]:
    """The tile of the operand of a permutation; `tile` belongs to its result."""
    return tuple(tile[perm.index(axis)] for axis in range(len(perm)))


def _buffer(value: Value, tile: tuple[int, ...], rank: int, *, reusable: bool) -> TileBuffer:
    """The piece of one operand; axes that a lower rank lacks are the leading ones, as in broadcasting."""
    extents = [extent if isinstance(extent, int) else 2**31 for extent in value.type.shape]
    own_tile = tile[max(rank - len(extents), 0) :]
    piece = tile_of(extents, own_tile) + tuple(extents[len(own_tile) :])
    return TileBuffer(piece, bytes_of(value.type.dtype), reusable)


def _smaller_tile(op: Op, tile: tuple[int, ...], limit: int, uses: Counter[Value]) -> tuple[int, ...]:
    """Halve the largest value until the operation fits."""
    smaller = list(tile)
    while _ub_bytes(op, tuple(smaller), uses) > limit and max(smaller) > 1:
        largest = smaller.index(max(smaller))
        smaller[largest] = -(-smaller[largest] // 2)
    return tuple(smaller)


# -- data movement ----------------------------------------------------------------------------------------------------


def _check_move(op: Op) -> None:
    """Toolchain 0.2 asks for a tile where data only move; the newer one takes the tile of the neighbours."""
    scope = op.scope
    if scope.vec is None and scope.cube is None and access(op).reads:
        portability("PTO306", site=op.site, op=op.name)


# -- shared -----------------------------------------------------------------------------------------------------------


def _count_uses(kernel: Kernel) -> Counter[Value]:
    """How many consumers each value has. A parameter's tile is copied in for each consumer, so it counts as one."""
    uses: Counter[Value] = Counter()
    for part in blocks(kernel.body):
        for stmt in part.body:
            if isinstance(stmt, Op):
                uses.update({operand for operand in stmt.operands if isinstance(operand, Value)})
            elif isinstance(stmt, Loop):
                uses.update(_tiles(state for carry in stmt.carries for state in (carry.init, carry.yielded)))
            elif isinstance(stmt, If):
                uses.update(_tiles(state for merge in stmt.merges for state in (merge.then, merge.other)))
    for param in kernel.params:
        uses[param.value] = min(uses[param.value], 1)
        if param.final is not param.value:
            uses[param.final] += 1
    return uses


def _tiles(states: Iterable[object]) -> list[Value]:
    return [state for state in states if isinstance(state, Value)]


def _axis_names(rank: int) -> list[str]:
    names = ["<rows>", "<cols>"] if rank == 2 else [f"<axis {axis}>" for axis in range(rank)]
    return names or ["<size>"]


def _numbers(values: Iterable[int]) -> str:
    return ", ".join(map(str, values))
