"""Tiles and the memories of the chips: UB (PTO304), cube tiles (PTO321 to PTO326).

Only sums that are certain are told: shapes, dtypes and tile values are constants, and what a run may do with less (take
over the buffer of an operand) is granted. Without a chip in the settings a tile has to exceed the largest one.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from openpto.device import (
    CHIPS,
    Chip,
    CubeUse,
    Demand,
    TileBuffer,
    VectorUse,
    align,
    cube_demands,
    documented_l1,
    least_bytes,
    scratch_bytes,
    tile_of,
    vector_bytes,
    vector_demand,
)
from openpto.diagnostics.conversions import in_steps
from openpto.lint import api
from openpto.lint.hooks import Binary, Call, on, on_call, on_operation
from openpto.lint.results import REDUCTIONS, dtype_of, flag, result
from openpto.lint.values import UNKNOWN, Tensor, Value, number, numbers_of
from openpto.lint.walk import Walk

BYTES = {
    "DT_BOOL": 1, "DT_INT8": 1, "DT_UINT8": 1, "DT_INT16": 2, "DT_UINT16": 2, "DT_FP16": 2, "DT_BF16": 2,
    "DT_INT32": 4, "DT_UINT32": 4, "DT_FP32": 4, "DT_INT64": 8, "DT_UINT64": 8, "DT_FP8E4M3": 1, "DT_FP8E5M2": 1,
    "DT_HF8": 1,
}  # fmt: skip
"""Bytes per element; types of four bits are left out."""
BY_ARGUMENTS = frozenset({"pow", "where", "cast", "quantize", "dequantize", "div", "exp2"})
"""Operations whose scratch space depends on arguments or on the chip: they are judged by their operands alone."""
OPERATORS = frozenset({"add", "sub", "mul", "eq", "ne", "lt", "le", "gt", "ge"})


def chip_of(walk: Walk, memory: str) -> Chip:
    """The chip that is chosen, else the one with the largest memory."""
    chosen = CHIPS.get(walk.judge.selection.chip or "")
    return chosen or max(CHIPS.values(), key=lambda chip: int(getattr(chip, memory)))


# UB


@on_operation
def vector_memory(walk: Walk, call: Call) -> None:
    """PTO304 of a function."""
    operation = api.operation(call.name)
    if operation is None or "." in call.name or not (operation.pointwise or call.name in REDUCTIONS):
        return
    inputs = [call.value(p.name) for p in operation.parameters if isinstance(call.value(p.name), Tensor)]
    _vector(walk, call.node, call.name, inputs, result(call))


@on(Binary)
def operator_memory(walk: Walk, seen: Binary) -> None:
    """PTO304 of `a + b`."""
    if seen.name in OPERATORS:
        inputs = [value for value in (seen.left, seen.right) if isinstance(value, Tensor)]
        made = inputs[0] if len(inputs) == 1 else UNKNOWN
        _vector(walk, seen.node, seen.name, inputs, made)


def _vector(walk: Walk, node: ast.AST, op: str, inputs: Sequence[Value], made: Value) -> None:
    tile = walk.tiles.vec
    values = [number(value) for value in tile] if isinstance(tile, tuple) else []
    sizes = [value for value in values if value is not None]
    operands = [operand for operand in dict.fromkeys(inputs) if isinstance(operand, Tensor)]
    shapes = [_extents(operand) for operand in operands]
    known = [shape for shape in shapes if shape is not None]
    if not known or len(known) < len(shapes) or any(operand.choices for operand in operands):
        return
    rank = max(map(len, known))
    if len(sizes) < len(values) or not sizes or min(sizes) <= 0 or len(sizes) < rank:
        return
    size = [BYTES.get(operand.dtype or "", 0) for operand in operands]
    if not all(size):
        return
    need = _Need(op, known, size, _size_of_result(made, op), "INT" in (operands[0].dtype or ""))
    chip = chip_of(walk, "ub")
    if need.bytes(sizes) > chip.ub:
        shown = need.demand(sizes).formula(chip.ub, chip.name)
        least = min(other.ub for other in CHIPS.values() if other is chip or not walk.judge.selection.chip)
        suggest = ", ".join(map(str, _largest(replace(need, reuse=False), sizes, least)))
        walk.report("PTO304", node, tile=", ".join(map(str, sizes)), op=op, formula=shown, suggest=suggest)


@dataclass(frozen=True, slots=True)
class _Need:
    """What an operation on operands of known shapes and element sizes needs of UB.

    result    bytes per element of its result, 0 where it is not counted
    reuse     whether the result takes the place of an operand that nobody else needs
    """

    op: str
    shapes: Sequence[tuple[int, ...]]
    sizes: Sequence[int]
    result: int
    integer: bool
    reuse: bool = True

    @property
    def rank(self) -> int:
        return max(map(len, self.shapes))

    def buffers(self, tile: Sequence[int]) -> tuple[list[TileBuffer], list[TileBuffer]]:
        """Tiles that are read, and the one that is written."""
        pieces = [tile_of(shape, tile[self.rank - len(shape) :]) for shape in self.shapes]
        sources = [TileBuffer(piece, size, self.reuse) for piece, size in zip(pieces, self.sizes, strict=True)]
        padded = [(1,) * (self.rank - len(piece)) + piece for piece in pieces]
        widest = tuple(max(extents) for extents in zip(*padded, strict=True))
        return sources, [TileBuffer(widest, self.result)] if self.result else []

    def bytes(self, tile: Sequence[int]) -> int:
        sources, results = self.buffers(tile)
        if self.op in BY_ARGUMENTS | REDUCTIONS:
            return vector_bytes(sources, results)
        use = VectorUse(self.op, sources[0].shape, self.sizes[0], integer=self.integer)
        return max(vector_bytes(sources, results, scratch_bytes(use)), least_bytes(use))

    def demand(self, tile: Sequence[int]) -> Demand:
        sources, results = self.buffers(tile)
        return vector_demand(sources, results, self.bytes(tile) - vector_bytes(sources, results))


def _largest(need: _Need, tile: Sequence[int], limit: int) -> list[int]:
    """The largest tile that fits: the outer axes become smaller first, the last one in steps of 16."""
    made = list(tile)
    for axis in range(need.rank):
        step = 16 if axis == need.rank - 1 else 1
        for value in range(made[axis] // step * step, 0, -step):
            made[axis] = value
            if need.bytes(made) <= limit:
                return made
    return made


def _size_of_result(made: Value, op: str) -> int:
    """Bytes per element of the result, if its dtype is known; that of a reduction is small and left out."""
    return BYTES.get(made.dtype or "", 0) if isinstance(made, Tensor) and op not in REDUCTIONS else 0


def _extents(tensor: Tensor) -> tuple[int, ...] | None:
    """A shape of constants."""
    extents = [None if dim is None else dim.value for dim in tensor.shape or ()]
    found = [extent for extent in extents if extent is not None]
    return tuple(found) if found and len(found) == len(extents) else None


# The cube


@on_call("matmul")
def cube_function(walk: Walk, call: Call) -> None:
    """The cube tile of `pypto.matmul`."""
    a_trans = flag(call, "a_trans")
    _cube(walk, call.node, call.value("input"), call.value("mat2"), a_trans)


@on(Binary)
def cube_operator(walk: Walk, seen: Binary) -> None:
    """The cube tile of `a @ b`."""
    if seen.name == "matmul":
        _cube(walk, seen.node, seen.left, seen.right, False)


def _cube(walk: Walk, node: ast.AST, a: Value, b: Value, a_trans: bool | None) -> None:
    parts = walk.tiles.cube
    axes = [numbers_of(part) for part in parts] if isinstance(parts, tuple) else []
    if len(axes) != 3 or any(axis is None for axis in axes):
        return
    m, k, n = (axis for axis in axes if axis is not None)
    if len(m) != 2 or len(n) != 2 or len(k) not in (2, 3) or min(*m, *k, *n) <= 0:
        return
    if not (_relations(walk, node, m, k, n) or _steps(walk, node, m, k, n)):
        _sizes(walk, node, m, k, n, (a, b, _depth(a, a_trans)))


def _depth(a: Value, a_trans: bool | None) -> int | None:
    shape = _extents(a) if isinstance(a, Tensor) else None
    return None if shape is None or a_trans is None or len(shape) < 2 else shape[-2 if a_trans else -1]


def _relations(walk: Walk, node: ast.AST, m: list[int], k: list[int], n: list[int]) -> bool:
    """PTO321: L1 is a multiple of L0 on every axis."""
    pairs = [("mL0", "mL1", m[0], m[1]), ("nL0", "nL1", n[0], n[1]), ("kL0", "kL1a", k[0], k[1])]
    if len(k) == 3:
        pairs.append(("kL0", "kL1b", k[0], k[2]))
    for inner_name, outer_name, inner, outer in pairs:
        if inner > outer or outer % inner:
            named = {"m": list(m), "k": list(k), "n": list(n)}
            named[inner_name[0]] = [inner, *[max(outer // inner, 1) * inner] * (len(named[inner_name[0]]) - 1)]
            walk.report(
                "PTO321", node, inner_name=inner_name, outer_name=outer_name, inner=inner, outer=outer, op="matmul",
                suggest=_shown(named),
            )  # fmt: skip
            return True
    return False


def _steps(walk: Walk, node: ast.AST, m: list[int], k: list[int], n: list[int]) -> bool:
    """PTO322: K and N are cut into pieces of 16."""
    if k[0] % 16 == 0 and n[0] % 16 == 0:
        return False
    aligned = {"m": list(m), "k": [align(v, 16) for v in k], "n": [align(v, 16) for v in n]}
    walk.report("PTO322", node, kL0=k[0], nL0=n[0], op="matmul", suggest=_shown(aligned))
    return True


def _sizes(
    walk: Walk, node: ast.AST, m: list[int], k: list[int], n: list[int], operands: tuple[Value, Value, int | None]
) -> None:
    """PTO323 (rows of 32 bytes), PTO325 (the two kL1), PTO324 (L0A, L0B, L0C, L1), PTO326 (the documented sum)."""
    a, b, depth = operands
    size_a, size_b = (BYTES.get(v.dtype or "", 0) if isinstance(v, Tensor) else 0 for v in (a, b))
    if size_a != size_b:  # unknown, or refused for another reason
        size_a = size_b = 0
    for name, extent, size in (("kL0", k[0], size_a), ("nL0", n[0], size_b)):
        if size and extent * size % 32:
            step = 32 // size
            wider = {"m": list(m), "k": [align(v, step) for v in k], "n": [align(v, step) for v in n]}
            fields: dict[str, Any] = {"bytes": extent * size, "formula": f"{extent} x {size} B = {extent * size} B"}
            walk.report("PTO323", node, name=name, op="matmul", suggest=_shown(wider), **fields)
            return
    small, large = sorted((k[1], k[-1]))
    known = isinstance(a, Tensor) and a.shape is not None
    if large % small and known and depth is not None and large < depth:
        same = {"m": list(m), "k": [k[0], small, small], "n": list(n)}
        walk.report("PTO325", node, a=k[1], b=k[-1], op="matmul", suggest=_shown(same))
        return
    use = CubeUse(m, [k[0], k[1], k[-1]], n, size_a or 1, size_b or 1, depth)
    for field, demand in cube_demands(use):
        known_sizes = field == "l0c" or (size_a and size_b and (field != "l1" or depth is not None))
        chip = chip_of(walk, field)
        have: int = getattr(chip, field)
        if known_sizes and demand.need > have:
            formula, smaller = demand.formula(have, chip.name), _fitting(m, k, n, field)
            tile = _shown({"m": m, "k": k, "n": n})
            walk.report(
                "PTO324", node, memory=demand.memory, tile=tile, op="matmul", formula=formula, suggest=_shown(smaller)
            )  # fmt: skip
            return
    if size_a and size_b and depth is not None:
        documented, chip = documented_l1(use), chip_of(walk, "l1")
        if documented.need > chip.l1:
            walk.report("PTO326", node, op="matmul", formula=documented.formula(chip.l1))


def _fitting(m: list[int], k: list[int], n: list[int], field: str) -> dict[str, list[int]]:
    """A tile with half of what fills the memory, the relations between L0 and L1 kept."""
    made = {"m": list(m), "k": list(k), "n": list(n)}
    axis = {"l0a": "k", "l0b": "k", "l0c": "m", "l1": "k"}[field]
    if field == "l1":
        made["k"] = [k[0], *[max(value // 2 // k[0], 1) * k[0] for value in k[1:]]]
    elif made[axis][0] % 32 == 0:
        made[axis][0] //= 2
    return made


def _shown(axes: dict[str, list[int]]) -> str:
    return ", ".join(str(list(axes[axis])) for axis in "mkn")


# Conversions


@on_call("cast")
def conversions(walk: Walk, call: Call) -> None:
    """PTO265: a pair of types that no chip converts."""
    source, target = call.tensor("input"), dtype_of(call.value("dtype"))
    if (
        source is None
        or source.dtype is None
        or target is None
        or source.dtype == target
        or target not in (api.members("") or ())
    ):
        return
    if target not in api.casts(source.dtype):
        how = in_steps(source.dtype, target)
        walk.report("PTO265", call.node, source=source.dtype, target=target, how=how)
