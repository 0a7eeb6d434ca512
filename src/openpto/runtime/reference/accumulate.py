"""Read-modify-write at positions that may repeat: in order, each step rounded on its own.

FP16 and BF16 are carried in FP32 from the first step at a position to its last and rounded once, at the end.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from openpto.ir.dtypes import DataType, from_numpy, numpy_dtype
from openpto.ops import arith

from .convert import convert_array
from .evaluate import evaluate
from .tiles import Array

Step = Callable[[arith.Expr, arith.Expr], arith.Expr]
_F32 = numpy_dtype(DataType.DT_FP32)


def add(a: arith.Expr, b: arith.Expr) -> arith.Expr:
    """One step of a sum."""
    return a + b


def multiply(a: arith.Expr, b: arith.Expr) -> arith.Expr:
    """One step of a product."""
    return a * b


def widened(x: Array) -> Array:
    """FP16 and BF16 as FP32; anything else as it is."""
    if _type(x) not in arith.HALVES:
        return x
    out = np.empty(x.shape, _F32)
    convert_array(x, out)
    return out


def narrowed(x: Array, target: np.dtype[Any]) -> Array:
    """``x`` rounded to a 16-bit float type; ``x`` itself if it has the type."""
    if x.dtype == target:
        return x
    out = np.empty(x.shape, target)
    convert_array(x, out)
    return out


def scaled(values: Array, factor: Any) -> Array:
    """``values * factor`` in FP32 for FP16 and BF16 (not rounded to them), else in their own type."""
    wide = widened(values)
    if factor == 1:
        return wide
    dtype = _type(wide)
    return evaluate(arith.build(multiply, dtype, dtype), [np.ascontiguousarray(wide), factor])


def added(x: Array, y: Array) -> Array:
    """``x + y``, rounded once to their type."""
    a, b = np.ascontiguousarray(widened(x)), np.ascontiguousarray(widened(y))
    dtype = _type(a)
    return narrowed(evaluate(arith.build(add, dtype, dtype), [a, b]), x.dtype)


def accumulate(data: Array, where: tuple[Array, ...], values: Array, step: Step) -> None:
    """``data[where] = step(data[where], values)``, one occurrence of an index after the other, in row-major order.

    ``where`` are index arrays that broadcast to the shape of ``values``; ``values`` have the type of ``data`` or, for
    FP16 and BF16, FP32.
    """
    flat = np.ravel_multi_index(tuple(np.broadcast_arrays(*where)), data.shape).reshape(-1)
    updates = np.ascontiguousarray(widened(values)).reshape(-1)
    touched, slots = np.unique(flat, return_inverse=True)
    home = np.unravel_index(touched, data.shape)
    totals = widened(data[home])
    order = np.argsort(slots, kind="stable")
    counts = np.bincount(slots)
    if len(counts) < counts.max():
        _slot_by_slot(totals, updates[order], counts, step)
    else:
        _round_by_round(totals, slots[order], updates[order], counts, step)
    data[home] = narrowed(totals, data.dtype)


def _slot_by_slot(totals: Array, updates: Array, counts: NDArray[np.int64], step: Step) -> None:
    """Few places, many updates each: ``updates`` are sorted by place, and each place goes through its own."""
    combine = np.add if step is add else np.multiply
    stops = np.cumsum(counts)
    for slot, (stop, count) in enumerate(zip(stops, counts, strict=True)):
        running = np.concatenate([totals[slot : slot + 1], updates[stop - count : stop]])
        # ``accumulate`` is sequential by definition, unlike ``reduce``.
        totals[slot] = combine.accumulate(running, dtype=running.dtype)[-1]


def _round_by_round(
    totals: Array, slots: NDArray[np.int64], updates: Array, counts: NDArray[np.int64], step: Step
) -> None:
    """Few updates each: round k takes update number k of every place that has one; all are sorted by place."""
    dtype = _type(totals)
    expression = arith.build(step, dtype, dtype)
    ranks = np.arange(len(slots)) - np.repeat(np.cumsum(counts) - counts, counts)
    by_rank = np.argsort(ranks, kind="stable")
    stops = np.cumsum(np.bincount(ranks))
    start = 0
    for stop in stops:
        chosen = by_rank[start:stop]
        at = slots[chosen]
        totals[at] = evaluate(expression, [totals[at], updates[chosen]])
        start = stop


def _type(x: Array) -> DataType:
    found = from_numpy(x.dtype)
    assert found is not None
    return found
