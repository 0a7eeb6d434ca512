"""Reductions in the one order that defines their bits.

* Over the last axis: 16 lanes. Lane j combines elements j, j + 16, ... in ascending order, starting from the identity
  (sum: -0.0, which changes nothing; prod: 1). Then lanes j and j + 8 are combined, j and j + 4, j + 2, j + 1.
* Over another axis: one accumulator per result, elements in ascending order from the same identity.
* Over several axes: their elements in row-major order form one axis, which counts as the last one if the last axis is
  among them.
* The sum of nothing is +0, the product 1, the maximum -inf or the least integer, the minimum the reverse.
* ``amax``, ``amin``: NaN if any element is NaN; -0 is less than +0. They do not depend on the order.

Integers wrap. Arrays hold the valid elements only.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
LANES = 16
# Below this many elements a step, one numpy call for all steps beats one call each.
NARROW = 128
CHUNK = 4096  # steps that such a call takes at once


def reduce_sum(x: Array, axis: int | Sequence[int], keepdim: bool = False) -> Array:
    """Sum along ``axis`` (or several) of an FP32, FP64 or integer array; same type.

    Raises:
        TypeError: another element type.
    """
    return _ordered(x, axis, keepdim, np.add, -0.0, 0.0)


def reduce_prod(x: Array, axis: int | Sequence[int], keepdim: bool = False) -> Array:
    """Product along ``axis`` (or several) of an FP32, FP64 or integer array; same type.

    Raises:
        TypeError: another element type.
    """
    return _ordered(x, axis, keepdim, np.multiply, 1.0, 1.0)


def reduce_amax(x: Array, axis: int | Sequence[int], keepdim: bool = False) -> Array:
    """Greatest element along ``axis`` (or several) of an FP32, FP64, integer or BOOL array; same type."""
    return _extreme(x, axis, keepdim, greatest=True)


def reduce_amin(x: Array, axis: int | Sequence[int], keepdim: bool = False) -> Array:
    """Least element along ``axis`` (or several) of an FP32, FP64, integer or BOOL array; same type."""
    return _extreme(x, axis, keepdim, greatest=False)


def _axes(x: Array, axis: int | Sequence[int]) -> tuple[int, ...]:
    given = (axis,) if isinstance(axis, int) else tuple(axis)
    return tuple(sorted(range(x.ndim)[a] for a in given))


def _shaped(result: Array, shape: tuple[int, ...], axes: tuple[int, ...], keepdim: bool) -> Array:
    """``result`` holds the kept axes in order; put size 1 where an axis was reduced if ``keepdim``."""
    if not keepdim:
        return result
    return result.reshape([1 if i in axes else n for i, n in enumerate(shape)])


def _ordered(
    x: Array, axis: int | Sequence[int], keepdim: bool, combine: np.ufunc, identity: float, of_nothing: float
) -> Array:
    axes = _axes(x, axis)
    if x.dtype.kind not in "iu" and x.dtype not in (np.float32, np.float64):
        raise TypeError(f"{combine.__name__} reduction of {x.dtype}")
    if x.dtype.kind in "iu":
        return _shaped(np.asarray(combine.reduce(x, axis=axes, dtype=x.dtype)), x.shape, axes, keepdim)
    kept = [i for i in range(x.ndim) if i not in axes]
    count = math.prod(x.shape[i] for i in axes)
    rows = [x.shape[i] for i in kept]
    if count == 0:
        return _shaped(np.full(rows, of_nothing, x.dtype), x.shape, axes, keepdim)
    with np.errstate(all="ignore"):
        if x.ndim - 1 in axes:
            flat = x.transpose([*kept, *axes]).reshape([*rows, count])
            result = _by_lanes(flat, combine, identity)
        else:
            result = _ascending(x.transpose([*axes, *kept]).reshape([count, *rows]), combine)
    return _shaped(result, x.shape, axes, keepdim)


def _by_lanes(x: Array, combine: np.ufunc, identity: float) -> Array:
    *rows, count = x.shape
    steps, rest = divmod(count, LANES)
    if steps:
        split = x[..., : steps * LANES].reshape([*rows, steps, LANES])
        lanes = _ascending(np.moveaxis(split, -2, 0), combine)
    else:
        lanes = np.full([*rows, LANES], identity, x.dtype)
    if rest:
        head = lanes[..., :rest]
        combine(head, x[..., steps * LANES :], out=head)
    half = LANES // 2
    while half:
        lanes = combine(lanes[..., :half], lanes[..., half:])
        half //= 2
    return lanes[..., 0]


def _ascending(x: Array, combine: np.ufunc) -> Array:
    """Combine the elements of axis 0 one after another; it is not empty. Returns a new array."""
    total: Array = np.array(x[0], order="C")
    if total.size >= NARROW:
        for row in x[1:]:
            combine(total, row, out=total)
        return total
    for start in range(1, len(x), CHUNK):
        part = x[start : start + CHUNK]
        # ``accumulate`` is sequential by definition, unlike ``reduce``.
        running = np.concatenate([total[np.newaxis], part])
        total = combine.accumulate(running, axis=0)[-1]
    return total


def _extreme(x: Array, axis: int | Sequence[int], keepdim: bool, greatest: bool) -> Array:
    axes = _axes(x, axis)
    combine: np.ufunc = np.maximum if greatest else np.minimum
    if x.dtype == np.bool_:
        return np.asarray((np.any if greatest else np.all)(x, axis=axes, keepdims=keepdim))
    if x.dtype.kind in "iu":
        info = np.iinfo(x.dtype)
        start = info.min if greatest else info.max
        return _shaped(np.asarray(combine.reduce(x, axis=axes, initial=start)), x.shape, axes, keepdim)
    if x.dtype not in (np.float32, np.float64):
        raise TypeError(f"{combine.__name__} reduction of {x.dtype}")
    keys = ordered_keys(x, greatest)
    worst = ordered_keys(np.array([-np.inf if greatest else np.inf], x.dtype), greatest)[0]
    found = np.asarray(combine.reduce(keys, axis=axes, initial=worst))
    return _shaped(_from_keys(found, x.dtype), x.shape, axes, keepdim)


def ordered_keys(x: Array, nan_is_greatest: bool) -> Array:
    """Integers that compare as the floats do, with -0 below +0 and NaN at the chosen end."""
    integer = np.dtype(f"i{x.dtype.itemsize}")
    info = np.iinfo(integer)
    bits = x.view(integer)
    keys = _folded(bits)
    np.copyto(keys, info.max if nan_is_greatest else info.min, where=x != x)
    return keys


def _folded(bits: Array) -> Array:
    """Negative patterns with all bits but the sign inverted; its own inverse."""
    kind = bits.dtype.type
    result: Array = bits ^ ((bits >> kind(8 * bits.itemsize - 1)) & kind(np.iinfo(bits.dtype).max))
    return np.asarray(result)


def _from_keys(keys: Array, dtype: np.dtype[Any]) -> Array:
    values = _folded(keys).view(dtype)
    return np.where(values != values, dtype.type(np.nan), values)
