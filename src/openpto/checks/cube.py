"""The rules of the cube tile (set_cube_tile_shapes) for one matmul, in the order in which toolchains ask them."""

from __future__ import annotations

from openpto.device import Chip, CubeNeed, cube_need
from openpto.diagnostics import fail, warn
from openpto.ir.dtypes import DataType, bytes_of
from openpto.ir.enums import TileOpFormat
from openpto.ir.nodes import CubeTile, Op, Value

_UNSET = CubeTile((0, 0), (0, 0, 0), (0, 0))
_SPLIT_K_OUTPUTS = frozenset({DataType.DT_FP32, DataType.DT_INT32})


def check_cube(op: Op, chips: tuple[Chip, ...]) -> None:
    """Refuse a matmul whose cube tile is missing, inconsistent, misaligned or too large; a, b are its first tiles."""
    a, b = [operand for operand in op.operands if isinstance(operand, Value)][:2]
    tile = op.scope.cube or _UNSET
    if min(*tile.m, *tile.k, *tile.n) <= 0:
        fail("PTO320", site=op.site, op=op.name, **_values(tile))
    _check_elements(op, tile)
    _check_relations(op, tile)
    _check_bytes(op, tile, a, b)
    _check_shared_k(op, tile, _depth(op, a))
    _check_fractal(op, tile, a, b)
    _check_capacity(op, tile, chips, cube_need(tile.m, tile.k, tile.n, _size(op, a), _size(op, b), _depth(op, a)))
    if tile.split_k:
        _check_split_k(op)


def _check_elements(op: Op, tile: CubeTile) -> None:
    if op.attrs.get("microscaled") and tile.k[0] % 64:
        fail("PTO329", site=op.site, kL0=tile.k[0])
    if tile.k[0] % 16 or tile.n[0] % 16:
        fail("PTO322", site=op.site, op=op.name, kL0=tile.k[0], nL0=tile.n[0])


def _check_relations(op: Op, tile: CubeTile) -> None:
    """0 < L0 <= L1 and L1 a multiple of L0 for every axis."""
    pairs = (
        ("m", "mL1", tile.m),
        ("n", "nL1", tile.n),
        ("k", "kL1a", tile.k[:2]),
        ("k", "kL1b", (tile.k[0], tile.k[-1])),
    )
    for axis, outer_name, (inner, outer) in pairs:
        if inner > outer or outer % inner:
            name = f"{axis}L0"
            fail("PTO321", site=op.site, op=op.name, inner_name=name, inner=inner, outer_name=outer_name, outer=outer)


def _check_bytes(op: Op, tile: CubeTile, a: Value, b: Value) -> None:
    """Rows of L0 tiles take whole blocks of 32 bytes; this bites for types of one byte."""
    checks = [("kL0", tile.k[0] * _size(op, a)), ("nL0", tile.n[0] * _size(op, b))]
    if op.attrs.get("a_trans"):
        checks.append(("mL0", tile.m[0] * _size(op, a)))
    for name, amount in checks:
        if amount % 32:
            fail("PTO323", site=op.site, op=op.name, name=name, bytes=amount)


def _check_shared_k(op: Op, tile: CubeTile, depth: int | None) -> None:
    """Two L1 tiles of K have to hold all of K, or one be a multiple of the other."""
    small, large = sorted((tile.k[1], tile.k[-1]))
    if large % small and not (depth is not None and large >= depth):
        fail("PTO325", site=op.site, op=op.name, a=tile.k[1], b=tile.k[-1])


def _check_capacity(op: Op, tile: CubeTile, chips: tuple[Chip, ...], need: CubeNeed) -> None:
    memories = (
        ("L0A", need.l0a, "l0a"),
        ("L0B", need.l0b, "l0b"),
        ("L0C", need.l0c, "l0c"),
        ("L1", max(need.l1_a, need.l1_b), "l1"),
        ("bias table", tile.n[0] * 4 if op.attrs.get("bias") else 0, "bias_table"),
        ("scale table", tile.n[0] * 8 if op.attrs.get("scale_tensor") else 0, "scale_table"),
    )
    for memory, amount, field in memories:
        fitting = [chip for chip in chips if amount <= getattr(chip, field)]
        if not fitting:
            have = max(getattr(chip, field) for chip in chips)
            fail("PTO324", site=op.site, op=op.name, memory=memory, need=amount, have=have, tile=_text(tile))
        if len(fitting) < len(chips):
            names = ", ".join(chip.name for chip in fitting)
            warn("PTO307", site=op.site, op=op.name, memory=memory, need=amount, chips=names)
    if need.l1_sum > max(chip.l1 for chip in chips):
        warn("PTO326", site=op.site, op=op.name, need=need.l1_sum, have=max(chip.l1 for chip in chips))


def _check_fractal(op: Op, tile: CubeTile, a: Value, b: Value) -> None:
    """Tiles of an operand in NZ take whole fractals: 32 bytes of its inner axis, 16 elements of its outer axis."""
    (m, k, n), swapped = (tile.m[0], tile.k[0], tile.n[0]), op.attrs.get
    for value, outer, inner in (
        (a, *((("kL0", k), ("mL0", m)) if swapped("a_trans") else (("mL0", m), ("kL0", k)))),
        (b, *((("nL0", n), ("kL0", k)) if swapped("b_trans") else (("kL0", k), ("nL0", n)))),
    ):
        if value.type.fmt is not TileOpFormat.TILEOP_NZ:
            continue
        if inner[1] * _size(op, value) % 32:
            fail("PTO323", site=op.site, op=op.name, name=inner[0], bytes=inner[1] * _size(op, value))
        if outer[1] % 16:
            fail("PTO323", site=op.site, op=op.name, name=outer[0], bytes=outer[1] * _size(op, value))


def _check_split_k(op: Op) -> None:
    result = op.results[0]
    if isinstance(result, Value) and result.type.dtype not in _SPLIT_K_OUTPUTS:
        fail("PTO327", site=op.site, op=op.name, dtype=result.type.dtype.name)


def _depth(op: Op, a: Value) -> int | None:
    """K, the shared extent, where it is known."""
    extent = a.type.shape[-2 if op.attrs.get("a_trans") else -1]
    return extent if isinstance(extent, int) else None


def _size(op: Op, value: Value) -> int:
    """Bytes of an element on the chip; an operand may be held wider here."""
    size: int = op.attrs.get("element_bytes", bytes_of(value.type.dtype))
    return size


def _values(tile: CubeTile) -> dict[str, int]:
    m, k, n = tile.m, tile.k, tile.n
    return {"kL0": k[0], "kL1a": k[1], "kL1b": k[-1], "mL0": m[0], "mL1": m[1], "nL0": n[0], "nL1": n[1]}


def _text(tile: CubeTile) -> str:
    return f"{list(tile.m)}, {list(tile.k)}, {list(tile.n)}"
