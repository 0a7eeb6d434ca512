"""The rules of the vector tile (set_vec_tile_shapes) for one operation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from math import prod

from openpto.checks.buffers import find_ub, inputs_of, is_reduction, numbers, tiled_shape
from openpto.checks.findings import Finding
from openpto.device import BLOCK, Chip, size_text, tile_of
from openpto.device.scratch import REDUCTION_TILE
from openpto.ir.dtypes import bytes_of
from openpto.ir.nodes import Op, Value

READS_WHOLE_BLOCKS = frozenset({"gcd"})
WRITES_WHOLE_BLOCKS = frozenset({"isfinite", "isnan"})
"""Operations element by element that do not pad the rows of their tile."""


def find_vector(op: Op, chips: tuple[Chip, ...], uses: Counter[Value]) -> Iterator[Finding]:
    """What is wrong with the vector tile of an operation; after a tile that is missing nothing more is said."""
    shape = tiled_shape(op)
    if shape is None:
        return
    found = find_shape(op, len(shape))
    if found is not None:
        yield found
        return
    tile = op.scope.vec
    assert tile is not None
    yield from _last_axis(op, tile, len(shape))
    if len(tile) >= len(shape):
        yield from find_ub(op, tile, chips, uses)
    if is_reduction(op):
        yield from _reduction(op, tile)


def find_shape(op: Op, rank: int) -> Finding | None:
    """The tile in force lacks a positive value per axis (PTO301 to PTO303)."""
    tile = op.scope.vec
    if tile is None:
        return Finding("PTO301", op, {"rank": rank, "suggest": ", ".join(_axis_names(rank))})
    if any(value <= 0 for value in tile):
        return Finding("PTO302", op, {"tile": numbers(tile)})
    if len(tile) < rank and op.name != "index_put_":  # there the missing values are the whole extents
        return Finding("PTO303", op, {"tile": numbers(tile), "have": len(tile), "rank": rank})
    return None


def row_step(op: Op) -> int:
    """Elements that the last axis of the tile must be a multiple of; 1 where rows are padded."""
    if is_reduction(op) or op.name in READS_WHOLE_BLOCKS:
        rows = inputs_of(op)
    elif op.name in WRITES_WHOLE_BLOCKS:
        rows = [result for result in op.results if isinstance(result, Value)]
    else:
        return 1
    return max(BLOCK // bytes_of(rows[0].type.dtype), 1)


def find_surplus(op: Op) -> Iterator[Finding]:
    """Ones before the values that were meant: the values pair with axes from the left, and the last are ignored.

    Every compiler takes it and the result is right, so that only who asks about a tile is told (PTO312).
    """
    shape, tile = tiled_shape(op) or (), op.scope.vec or ()
    rank = len(shape)
    before = tile[: len(tile) - rank]
    if not before or not rank or any(value != 1 for value in before):
        return
    used, meant = tile[:rank], tile[-rank:]
    extents = [extent for extent in shape if isinstance(extent, int)]
    few, many = (prod(-(-e // p) for e, p in zip(extents, values, strict=False)) for values in (meant, used))
    if many > few:
        given = {"tile": numbers(tile), "used": numbers(used), "suggest": numbers(meant)}
        yield Finding("PTO312", op, {**given, "rank": rank, "many": many, "few": few})


def _last_axis(op: Op, tile: tuple[int, ...], rank: int) -> Iterator[Finding]:
    """Reductions and a few others need whole 32-byte blocks along the last axis of the tile."""
    step = row_step(op)
    if rank and tile[rank - 1] % step:
        last, size = tile[rank - 1], BLOCK // step
        fields = {"last": last, "bytes": last * size, "step": step}
        shown = f"{last} x {size} B = {last * size} B, {last * size} % {BLOCK} = {last * size % BLOCK}"
        yield Finding("PTO305", op, fields | {"formula": shown})


def _reduction(op: Op, tile: tuple[int, ...]) -> Iterator[Finding]:
    """The documented limit for the tile of a reduction."""
    first = inputs_of(op)[0]
    extents = [extent if isinstance(extent, int) else 2**31 for extent in first.type.shape]
    piece, size = tile_of(extents, tile), bytes_of(first.type.dtype)
    need = prod(piece) * size
    if need > REDUCTION_TILE:
        shown = f"{' x '.join(map(str, piece))} x {size} B = {size_text(need)} > {size_text(REDUCTION_TILE)}"
        yield Finding("PTO310", op, {"tile": numbers(tile), "memory": "UB", "formula": shown})


def _axis_names(rank: int) -> list[str]:
    names = ["<rows>", "<cols>"] if rank == 2 else [f"<axis {axis}>" for axis in range(rank)]
    return names or ["<size>"]
