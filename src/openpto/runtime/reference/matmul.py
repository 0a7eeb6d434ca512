"""Matrix products in the one order that defines their bits.

FP32: every element starts at +0.0 and takes ``acc = fma(a[m, k], b[k, n], acc)`` for k ascending; one rounding to FP32
each. INT8 is exact in INT32 (wrapping). The epilogue is one FP32 step each: + bias, x scale, ReLU.

The inner loop runs over k with one multiply, one add and one rounding for a whole block of elements; see ``fma.py``
for why the FP64 sum rounds to the right FP32 value except at midpoints, which are looked for in every step.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .fma import DROPPED, MIDPOINT, MIN_NORMAL, F32Array, F64Array, round_to_odd

Array = NDArray[Any]
BLOCK = 16384  # elements of C that are worked on together; their FP64 temporaries stay in the second-level cache
# If no product can be less than this in magnitude, all its bits lie at or above the last bit of a denormal.
LEAST_SAFE_PRODUCT = 2.0 ** (-149 + 46)
# Products of BF16 values between these are FP32 values.
LEAST_SHORT_PRODUCT, GREATEST_SHORT_PRODUCT = 2.0**-126, 2.0**127


def matmul_f32(
    a: F32Array,
    b: F32Array,
    *,
    bias: F32Array | None = None,
    scale: float | F32Array | None = None,
    relu: bool = False,
    a_trans: bool = False,
    b_trans: bool = False,
    halves: bool = False,
) -> F32Array:
    """``a @ b`` with the epilogue, in FP32.

    Args:
        a: [..., M, K], or [..., K, M] with ``a_trans``.
        b: [..., K, N], or [..., N, K] with ``b_trans``. Leading axes broadcast as in numpy.
        bias: broadcasts to the result; added first.
        scale: broadcasts to the result; multiplied second.
        relu: ``max(x, +0)`` last; NaN stays.
        halves: the operands are FP16 or BF16 values; the result is the same, sooner.

    Returns:
        [..., M, N].

    Raises:
        ValueError: the K extents differ or the leading axes do not broadcast.
    """
    a, b, batch = _aligned(a, b, a_trans, b_trans)
    m, k, n = a.shape[-2], a.shape[-1], b.shape[-1]
    out = np.zeros((*batch, m, n), np.float32)
    with np.errstate(all="ignore"):
        if k and _is_exact(a, b):
            out[...] = np.matmul(a.astype(np.float64), b.astype(np.float64)) + 0.0
        elif k and out.size:
            flat = out.reshape(-1, m, n)
            left = np.broadcast_to(a, (*batch, m, k)).reshape(-1, m, k)
            right = np.broadcast_to(b, (*batch, k, n)).reshape(-1, k, n)
            form = _short_product if halves and _has_short_products(a, b) else _product
            for items, rows, columns in _blocks(flat.shape):
                flat[items, rows, columns] = form(left[items, rows], right[items, :, columns])
        return finish(out, bias, scale, relu)


def matmul_i8(
    a: Array, b: Array, *, bias: Array | None = None, relu: bool = False, a_trans: bool = False, b_trans: bool = False
) -> NDArray[np.int32]:
    """``a @ b`` of INT8 operands in INT32, exact and wrapping; ``bias`` is INT32. Shapes as in :func:`matmul_f32`."""
    a, b, _ = _aligned(a, b, a_trans, b_trans)
    # |sum| <= K * 2^14 < 2^53: every partial sum is exact in FP64, in whatever order they are formed.
    wide = np.matmul(a.astype(np.float64), b.astype(np.float64)).astype(np.int64)
    result: NDArray[np.int32] = wide.astype(np.int32)
    if bias is not None:
        result = result + bias.astype(np.int32)
    if relu:
        np.maximum(result, np.int32(0), out=result)
    return result


def finish(
    x: F32Array, bias: F32Array | None = None, scale: float | F32Array | None = None, relu: bool = False
) -> F32Array:
    """The epilogue in place: + bias, x scale, ReLU, one FP32 step each."""
    if bias is not None:
        x += np.asarray(bias, np.float32)
    if scale is not None:
        x *= np.asarray(scale, np.float32)
    if relu:
        x[(x <= 0)] = 0.0
    return x


def _aligned(a: Array, b: Array, a_trans: bool, b_trans: bool) -> tuple[Array, Array, tuple[int, ...]]:
    if a_trans:
        a = np.swapaxes(a, -1, -2)
    if b_trans:
        b = np.swapaxes(b, -1, -2)
    if a.shape[-1] != b.shape[-2]:
        raise ValueError(f"K extents differ: {a.shape[-1]} and {b.shape[-2]}")
    return a, b, np.broadcast_shapes(a.shape[:-2], b.shape[:-2])


def _is_exact(a: F32Array, b: F32Array) -> bool:
    """Whether all operands are integers so small that no partial sum ever needs rounding."""
    largest = float(np.abs(a).max(initial=0)) * float(np.abs(b).max(initial=0)) * a.shape[-1]
    return largest <= 2.0**24 and bool((np.rint(a) == a).all()) and bool((np.rint(b) == b).all())


def _blocks(shape: tuple[int, int, int]) -> Iterator[tuple[slice, slice, slice]]:
    batch, m, n = shape
    columns = min(n, 512) or 1
    rows = max(1, min(m, BLOCK // columns)) or 1
    items = max(1, BLOCK // (columns * rows))
    for i in range(0, batch, items):
        for r in range(0, m, rows):
            for c in range(0, n, columns):
                yield slice(i, i + items), slice(r, r + rows), slice(c, c + columns)


def _product(a: F32Array, b: F32Array) -> F32Array:
    """[B, M, K] x [B, K, N] for one block; the products keep their own bits only below the FP32 rounding."""
    left = np.ascontiguousarray(np.moveaxis(a, 2, 0), dtype=np.float64)[..., np.newaxis]  # [K, B, M, 1]
    right = np.ascontiguousarray(np.moveaxis(b, 1, 0), dtype=np.float64)[:, :, np.newaxis]  # [K, B, 1, N]
    watch_denormals = _least(left) * _least(right) < LEAST_SAFE_PRODUCT
    shape = (a.shape[0], a.shape[1], b.shape[2])
    result = np.zeros(shape, np.float32)
    addend, total = np.zeros(shape), np.empty(shape)
    bits, doubtful = np.empty(shape, np.uint64), np.empty(shape, np.bool_)
    total_bits = total.view(np.uint64)
    for x, y in zip(left, right, strict=True):
        np.multiply(x, y, out=total)
        np.add(total, addend, out=total)
        np.bitwise_and(total_bits, DROPPED, out=bits)
        np.equal(bits, MIDPOINT, out=doubtful)
        if watch_denormals:
            doubtful |= (np.abs(total) < MIN_NORMAL) & (total != 0)
        if doubtful.any():
            _repair(x, y, addend, total, doubtful)
        np.copyto(result, total, casting="same_kind")
        np.copyto(addend, result)
    return result


def _has_short_products(a: F32Array, b: F32Array) -> bool:
    """Whether all products of FP16 or BF16 values are FP32 values, so that a fused step rounds as an addition does."""
    least = _least(a.astype(np.float64)) * _least(b.astype(np.float64))
    greatest = float(np.abs(a).max(initial=0)) * float(np.abs(b).max(initial=0))
    return least >= LEAST_SHORT_PRODUCT and greatest <= GREATEST_SHORT_PRODUCT


def _short_product(a: F32Array, b: F32Array) -> F32Array:
    """As :func:`_product`, where every product is exact in FP32."""
    left = np.ascontiguousarray(np.moveaxis(a, 2, 0))[..., np.newaxis]  # [K, B, M, 1]
    right = np.ascontiguousarray(np.moveaxis(b, 1, 0))[:, :, np.newaxis]  # [K, B, 1, N]
    result = np.zeros((a.shape[0], a.shape[1], b.shape[2]), np.float32)
    step = np.empty_like(result)
    for x, y in zip(left, right, strict=True):
        np.multiply(x, y, out=step)
        np.add(result, step, out=result)
    return result


def _least(x: F64Array) -> float:
    """Least magnitude among the elements that are not zero."""
    magnitude = np.abs(x)
    return float(np.min(magnitude, where=magnitude > 0, initial=np.inf))


def _repair(x: F64Array, y: F64Array, addend: F64Array, total: F64Array, where: NDArray[np.bool_]) -> None:
    """Replace the marked sums by their value rounded to odd, which FP32 rounding cannot spoil."""
    item, row, column = np.nonzero(where)
    product = x[item, row, 0] * y[item, 0, column]
    total[where] = round_to_odd(product, addend[where], total[where])
