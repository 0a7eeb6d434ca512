"""How many operations on tiles a kernel becomes.

Purpose: warn where a part of a kernel exceeds what the documentation advises. Compilers split each operation by its
tile, load its operands tile by tile, and compile what stands between two loops as one graph.
Non-goals: time; what a compiler merges.
"""

from __future__ import annotations

from math import prod

from openpto.checks.access import core
from openpto.checks.buffers import inputs_of, tiled_shape
from openpto.checks.findings import Finding
from openpto.ir.nodes import Block, If, Kernel, Loop, Op, Value

MOST_OPERATIONS = 18_000
"""Operations on tiles per graph; beyond, compiling takes long or fails."""


def find_operation_count(kernel: Kernel) -> list[Finding]:
    """PTO311 once per body of a loop, at the operation with most tiles."""
    found: list[Finding] = []
    _report(_count(kernel.body, found), found)
    return found


def tile_counts(op: Op) -> tuple[int, ...]:
    """Tiles along each axis of what the tile cuts; () for what is not cut."""
    unit, scope = core(op.name), op.scope
    if unit == "vector" and scope.vec is not None:
        shape, tile = tiled_shape(op) or (), scope.vec
    elif unit == "cube" and scope.cube is not None and "convolution" not in op.attrs:
        result = next(result for result in op.results if isinstance(result, Value))
        shape = result.type.shape
        tile = (*(1 for _ in shape[:-2]), scope.cube.m[0], scope.cube.n[0])
    else:
        return ()
    if min(tile, default=1) <= 0:  # refused elsewhere
        return ()
    return tuple(-(-extent // piece) for extent, piece in zip(shape, tile, strict=False) if isinstance(extent, int))


def tile_operations(op: Op) -> int:
    """Operations on tiles that an operation becomes: per tile one for each operand and one for itself."""
    counts = tile_counts(op)
    return prod(counts) * (1 + len(inputs_of(op))) if counts else 0


def formula(op: Op) -> str:
    """The count as a product.

    Tiles along axes with one tile are left out.
    """
    counts = [count for count in tile_counts(op) if count > 1] or [1]
    tiles, operands = " x ".join(map(str, counts)), len(inputs_of(op))
    return f"{tiles} tiles x (1 + {operands}) = {tile_operations(op)}"


def _count(block: Block, found: list[Finding]) -> tuple[int, Op | None]:
    """Operations on tiles in a block without those of its loops, which are graphs of their own; and the greatest."""
    total, most = 0, 0
    greatest: Op | None = None
    for stmt in block.body:
        if isinstance(stmt, Loop):
            _report(_count(stmt.body, found), found)
            continue
        if isinstance(stmt, Op):
            part: tuple[int, Op | None] = (tile_operations(stmt), stmt)
        elif isinstance(stmt, If):
            part = max((_count(stmt.then, found), _count(stmt.other, found)), key=lambda branch: branch[0])
        else:
            continue
        count, op = part
        total += count
        if count > most:
            most, greatest = count, op
    return total, greatest


def _report(counted: tuple[int, Op | None], found: list[Finding]) -> None:
    total, greatest = counted
    if total >= MOST_OPERATIONS and greatest is not None:
        fields = {"total": total, "most": MOST_OPERATIONS, "formula": formula(greatest)}
        found.append(Finding("PTO311", greatest, fields))
