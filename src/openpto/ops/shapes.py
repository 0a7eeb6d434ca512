"""Shapes and valid extents of results: broadcasting, windows, minima; all of it also for symbolic extents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

from openpto.ir import affine
from openpto.ir import expr as ex
from openpto.ir.affine import Interval
from openpto.ir.expr import Dim, Expr
from openpto.ir.trace import Trace

Shape = tuple[Dim, ...]


def index_bounds(trace: Trace) -> dict[Expr, Interval]:
    """What is known about the indices of the loops being recorded, where both bounds and the step are."""
    known: dict[Expr, Interval] = {}
    for loop in trace.loops:
        step = loop.step.concrete()
        if step is None or step == 0:
            continue
        low, high = affine.bounds(loop.start, known), affine.bounds(loop.stop, known)
        first, last = (low[0], high[1] - 1) if step > 0 else (high[0] + 1, low[1])
        if ex.INT64_MIN < first <= last < ex.INT64_MAX:
            known[loop.index] = (first, last)
    return known


def is_full(valid: Dim, extent: Dim) -> bool:
    """Whether the valid extent provably is the whole axis."""
    return affine.equal(valid, extent)


def all_full(valid: Sequence[Dim], shape: Sequence[Dim]) -> bool:
    """Whether the whole tile is provably valid."""
    return all(is_full(v, s) for v, s in zip(valid, shape, strict=True))


def provably_cut(valid: Dim, extent: Dim) -> bool:
    """Whether the valid extent is certainly less than the axis."""
    return affine.provable_ge(extent, ex.binary("add", valid, 1))


def smaller(a: Dim, b: Dim) -> Dim:
    """``min(a, b)``, folded where the order is provable."""
    if affine.provable_ge(b, a):
        return a
    if affine.provable_ge(a, b):
        return b
    return ex.as_dim(ex.binary("min", a, b))


def minimum_valid(extents: Sequence[Dim], full: Dim) -> Dim:
    """The least of the valid extents of operands that have the same extent ``full``."""
    result = extents[0]
    for extent in extents[1:]:
        if is_full(result, full):
            result = extent
        elif not is_full(extent, full):
            result = smaller(result, extent)
    return result


def window_valid(valid: Dim, offset: Dim, extent: Dim, known: Mapping[Expr, Interval]) -> Dim:
    """``min(max(valid - offset, 0), extent)``: what a window at ``offset`` sees of a valid extent."""
    if isinstance(valid, int) and isinstance(extent, int) and isinstance(offset, int) and offset >= 0:
        return min(max(valid - offset, 0), extent)
    left = affine.simplify(ex.binary("sub", valid, offset))
    if affine.provable_ge(left, extent, known):
        return extent
    if not affine.provable_ge(left, 0, known):
        left = ex.as_dim(ex.binary("max", left, 0))
    return ex.as_dim(ex.binary("min", left, extent))


def broadcast(shapes: Sequence[Sequence[int]]) -> tuple[int, ...] | None:
    """The common shape, ranks padded with ones on the left; None if there is none."""
    rank = max(len(s) for s in shapes)
    padded = [(1,) * (rank - len(s)) + tuple(s) for s in shapes]
    result = []
    for axis in range(rank):
        extents = {s[axis] for s in padded} - {1}
        if len(extents) > 1:
            return None
        result.append(extents.pop() if extents else 1)
    return tuple(result)


def broadcast_valid(
    operands: Sequence[tuple[Sequence[Dim], Sequence[Dim]]], result: Sequence[Dim]
) -> tuple[Shape, list[tuple[int, Dim, Dim]]]:
    """Valid extents of a broadcast result, and the axes where two operands provably differ: (axis, extent, extent).

    ``operands`` are (shape, valid) pairs. Per axis the operands with the full extent count, a broadcast one does not.
    """
    rank = len(result)
    valid: list[Dim] = []
    differing: list[tuple[int, Dim, Dim]] = []
    for axis in range(rank):
        extents: list[Dim] = []
        for shape, own in operands:
            at = axis - (rank - len(shape))
            if at >= 0 and affine.equal(shape[at], result[axis]):
                extents.append(own[at])
        extents = extents or [result[axis]]
        differing += [
            (axis, extents[0], other) for other in extents[1:] if affine.difference(extents[0], other) not in (0, None)
        ]
        valid.append(minimum_valid(extents, result[axis]))
    return tuple(valid), differing


def carried_valid(shape: Sequence[int], valid: Sequence[Dim], target: Sequence[int]) -> Shape | None:
    """Valid extents after a row-major reshape if the valid region stays a box for every size, else None.

    The valid elements must be a prefix of the row-major order (only the outermost non-unit axis may be cut), and the
    target's outermost non-unit axis must divide it without a rest.
    """
    outer = next((i for i, extent in enumerate(shape) if extent != 1), None)
    if outer is None or not all_full((*valid[:outer], *valid[outer + 1 :]), (*shape[:outer], *shape[outer + 1 :])):
        return None
    goal = next((i for i, extent in enumerate(target) if extent != 1), None)
    if goal is None:
        return None
    inner, rest = prod(shape[outer + 1 :]), prod(target[goal + 1 :])
    if rest == 0 or inner % rest:
        return None
    extent = affine.simplify(ex.binary("mul", valid[outer], inner // rest))
    return tuple(extent if i == goal else size for i, size in enumerate(target))


def element_count(shape: Sequence[Dim]) -> Dim:
    """Number of elements."""
    total: Dim = 1
    for extent in shape:
        total = ex.as_dim(ex.binary("mul", total, extent))
    return affine.simplify(total)


def shape_text(shape: Sequence[Dim]) -> str:
    """``[8, n]`` for messages."""
    return "[" + ", ".join(ex.text(d) for d in shape) + "]"
