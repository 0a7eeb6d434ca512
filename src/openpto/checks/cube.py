"""The rules of the cube tile (set_cube_tile_shapes) for one matmul, in the order in which toolchains ask them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from openpto.checks.buffers import inputs_of
from openpto.checks.capacity import find_overflows
from openpto.checks.findings import Finding
from openpto.device import MX_SCALES, Chip, CubeUse, cube_demands, documented_l1, scale_demands
from openpto.ir.dtypes import DataType, bytes_of
from openpto.ir.enums import TileOpFormat
from openpto.ir.nodes import CubeTile, Op, Value

UNSET = CubeTile((0, 0), (0, 0, 0), (0, 0))
SPLIT_K_OUTPUTS = frozenset({DataType.DT_FP32, DataType.DT_INT32})
GROUPS = 64
"""Elements of K that a microscaled product takes at a time: two scales."""


def find_cube(op: Op, chips: tuple[Chip, ...]) -> Iterator[Finding]:
    """What is wrong with the cube tile of a matmul; a, b are its first tiles.

    After a tile that is missing nothing more is said; the other rules do not depend on each other.
    """
    tile = op.scope.cube or UNSET
    if min(*tile.m, *tile.k, *tile.n) <= 0:
        yield Finding("PTO320", op, values(tile))
        return
    a, b = inputs_of(op)[:2]
    yield from _elements(op, tile)
    yield from _relations(op, tile)
    yield from _bytes(op, tile, a, b)
    yield from _shared_k(op, tile, depth_of(op))
    yield from _fractals(op, tile, a, b)
    yield from _capacity(op, tile, chips)
    if tile.split_k:
        yield from _split_k(op)


def use_of(op: Op, tile: CubeTile) -> CubeUse:
    """The matmul as the tables of memories know it."""
    a, b = inputs_of(op)[:2]
    bias, scale = bool(op.attrs.get("bias")), bool(op.attrs.get("scale_tensor"))
    return CubeUse(tile.m, tile.k, tile.n, size_of(op, a), size_of(op, b), depth_of(op), bias, scale)


def _elements(op: Op, tile: CubeTile) -> Iterator[Finding]:
    if op.attrs.get("microscaled") and tile.k[0] % GROUPS:
        yield Finding("PTO329", op, {"kL0": tile.k[0]})
    if tile.k[0] % 16 or tile.n[0] % 16:
        yield Finding("PTO322", op, {"kL0": tile.k[0], "nL0": tile.n[0]})


def _relations(op: Op, tile: CubeTile) -> Iterator[Finding]:
    """0 < L0 <= L1 and L1 a multiple of L0 for every axis."""
    pairs = (
        ("m", "mL1", tile.m),
        ("n", "nL1", tile.n),
        ("k", "kL1a", tile.k[:2]),
        ("k", "kL1b", (tile.k[0], tile.k[-1])),
    )
    for axis, outer_name, (inner, outer) in pairs:
        if inner > outer or outer % inner:
            named: dict[str, Any] = {"inner_name": f"{axis}L0", "outer_name": outer_name}
            yield Finding("PTO321", op, {"inner": inner, "outer": outer, **named})


def _bytes(op: Op, tile: CubeTile, a: Value, b: Value) -> Iterator[Finding]:
    """Rows of L0 tiles take whole blocks of 32 bytes; this bites for types of one byte, which 4 bits count as."""
    size_a, size_b = max(size_of(op, a), 1), max(size_of(op, b), 1)
    if op.attrs.get("a_trans") and a.type.fmt is not TileOpFormat.TILEOP_NZ and tile.m[0] * size_a % 32:
        yield Finding("PTO333", op, {"mL0": tile.m[0], **_amount(tile.m[0], size_a)})
    for name, extent, size in (("kL0", tile.k[0], size_a), ("nL0", tile.n[0], size_b)):
        if extent * size % 32:
            yield Finding("PTO323", op, {"name": name, **_amount(extent, size)})


def _amount(extent: int, size: float) -> dict[str, Any]:
    return {"bytes": int(extent * size), "formula": f"{extent} x {size:g} B = {int(extent * size)} B"}


def _shared_k(op: Op, tile: CubeTile, depth: int | None) -> Iterator[Finding]:
    """Two L1 tiles of K have to hold all of K, or one be a multiple of the other."""
    small, large = sorted((tile.k[1], tile.k[-1]))
    if large % small and not (depth is not None and large >= depth):
        yield Finding("PTO325", op, {"a": tile.k[1], "b": tile.k[-1]})


def _fractals(op: Op, tile: CubeTile, a: Value, b: Value) -> Iterator[Finding]:
    """Tiles of an operand in NZ take whole fractals: 32 bytes of its inner axis, 16 elements of its outer axis."""
    (m, k, n), swapped = (tile.m[0], tile.k[0], tile.n[0]), op.attrs.get
    for value, outer, inner in (
        (a, *((("kL0", k), ("mL0", m)) if swapped("a_trans") else (("mL0", m), ("kL0", k)))),
        (b, *((("nL0", n), ("kL0", k)) if swapped("b_trans") else (("kL0", k), ("nL0", n)))),
    ):
        if value.type.fmt is not TileOpFormat.TILEOP_NZ:
            continue
        size = max(size_of(op, value), 1)
        if inner[1] * size % 32:
            yield Finding("PTO323", op, {"name": inner[0], **_amount(inner[1], size)})
        if outer[1] % 16:
            yield Finding("PTO334", op, {"name": outer[0], "extent": outer[1]})


def _capacity(op: Op, tile: CubeTile, chips: tuple[Chip, ...]) -> Iterator[Finding]:
    use = use_of(op, tile)
    yield from find_overflows(op, cube_demands(use), chips, "PTO324", tile=text(tile))
    documented, have = documented_l1(use), max(chip.l1 for chip in chips)
    if documented.need > have:
        shown = documented.formula(have)
        yield Finding("PTO326", op, {"need": documented.need, "have": have, "formula": shown})
    for demand in scale_demands(use) if op.attrs.get("microscaled") else ():
        if demand.need > MX_SCALES:
            fields = {"tile": text(tile), "memory": demand.memory, "formula": demand.formula(MX_SCALES)}
            yield Finding("PTO310", op, fields)


def _split_k(op: Op) -> Iterator[Finding]:
    result = op.results[0]
    if isinstance(result, Value) and result.type.dtype not in SPLIT_K_OUTPUTS:
        yield Finding("PTO327", op, {"dtype": result.type.dtype.name})


def depth_of(op: Op) -> int | None:
    """K, the shared extent, where it is known."""
    extent = inputs_of(op)[0].type.shape[-2 if op.attrs.get("a_trans") else -1]
    return extent if isinstance(extent, int) else None


def size_of(op: Op, value: Value) -> float:
    """Bytes of an element on the chip; an operand may be held wider here."""
    size: float = op.attrs.get("element_bytes", bytes_of(value.type.dtype))
    return size


def values(tile: CubeTile) -> dict[str, int]:
    """The tile as messages name it."""
    m, k, n = tile.m, tile.k, tile.n
    return {"kL0": k[0], "kL1a": k[1], "kL1b": k[-1], "mL0": m[0], "mL1": m[1], "nL0": n[0], "nL1": n[1]}


def text(tile: CubeTile) -> str:
    """The tile as its setter takes it: two values of K where both copies are alike."""
    k = tile.k if tile.k[1] != tile.k[-1] else tile.k[:2]
    return f"{list(tile.m)}, {list(k)}, {list(tile.n)}"
