"""Fused multiply-add for FP32 in terms of IEEE double arithmetic, bit for bit on any CPU.

The product of two FP32 values is exact in FP64 (24 + 24 <= 53 bits, no overflow, no underflow). Rounding the FP64
sum ``s = p + c`` to FP32 is then wrong only if ``s`` is a midpoint of two FP32 values that the exact sum is not.
Such elements are found by their bit pattern and repaired by rounding the sum to odd first.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

F32Array = NDArray[np.float32]
F64Array = NDArray[np.float64]
Scratch = tuple[NDArray[np.uint64], F32Array, NDArray[np.bool_]]

# A normal FP32 midpoint has exactly this pattern in the 29 bits that FP32 drops from an FP64 value.
DROPPED = np.uint64(0x1FFFFFFF)
MIDPOINT = np.uint64(0x10000000)
MIN_NORMAL = np.float32(2.0**-126)


def fma(a: Any, b: Any, c: Any) -> F32Array:
    """``a * b + c`` rounded once to FP32.

    Args:
        a, b, c: FP32 arrays or scalars that broadcast together.

    Returns:
        A new FP32 array of the broadcast shape.
    """
    with np.errstate(all="ignore"):
        product = np.multiply(_wide(a), _wide(b))
        wide_c = _wide(c)
        total = np.asarray(product + wide_c)
        return round_sum(np.broadcast_to(product, total.shape), np.broadcast_to(wide_c, total.shape), total)


def _wide(x: Any) -> F64Array:
    return np.asarray(x, dtype=np.float32).astype(np.float64)


def round_sum(
    product: F64Array, addend: F64Array, total: F64Array, out: F32Array | None = None, scratch: Scratch | None = None
) -> F32Array:
    """The exact ``product + addend`` rounded to FP32, given ``total``, their FP64 sum.

    All operands have one shape. ``out`` receives the result and ``scratch`` the intermediate values, if given.
    """
    out = np.empty(total.shape, np.float32) if out is None else out
    bits, magnitude, doubtful = scratch or new_scratch(total.shape)
    np.copyto(out, total, casting="same_kind")
    np.bitwise_and(total.view(np.uint64), DROPPED, out=bits)
    if np.equal(bits, MIDPOINT, out=doubtful).any():
        _repair(product, addend, total, out, doubtful)
    # Below the normal range midpoints lie elsewhere. An exact zero is exact, the most frequent value there.
    np.absolute(out, out=magnitude)
    if np.less_equal(magnitude, MIN_NORMAL, out=doubtful).any():
        doubtful &= total != 0
        if doubtful.any():
            _repair(product, addend, total, out, doubtful)
    return out


def new_scratch(shape: tuple[int, ...]) -> Scratch:
    """Room for the intermediate values of :func:`round_sum`."""
    return np.empty(shape, np.uint64), np.empty(shape, np.float32), np.empty(shape, np.bool_)


def _repair(product: F64Array, addend: F64Array, total: F64Array, out: F32Array, where: NDArray[np.bool_]) -> None:
    out[where] = round_to_odd(product[where], addend[where], total[where]).astype(np.float32)


def round_to_odd(x: F64Array, y: F64Array, total: F64Array) -> F64Array:
    """``x + y`` rounded to odd in FP64, given its rounded-to-nearest value ``total``.

    Exact sums stay; an inexact sum becomes whichever FP64 neighbour has an odd mantissa. Such a value can be rounded
    to at most 51 bits without double rounding.
    """
    virtual = total - x
    error = (x - (total - virtual)) + (y - virtual)
    bits = total.view(np.int64)
    # An infinite total has no error; its difference above is NaN and compares false.
    inexact_even = ((error > 0) | (error < 0)) & ((bits & 1) == 0)
    outward = (error > 0) == (total > 0)
    step = np.where(outward, np.int64(1), np.int64(-1))
    return np.where(inexact_even, bits + step, bits).view(np.float64)


def denormals_flushed() -> bool:
    """Whether this thread's floating-point unit flushes denormal results or operands to zero.

    Exact numerics are impossible then; the reference refuses to run.
    """
    smallest = np.full(16, 2.0**-126, np.float32)
    half = np.full(16, 0.5, np.float32)
    with np.errstate(all="ignore"):
        result = smallest * half
        kept_result = result.view(np.int32) == 0x00400000
        kept_operand = np.full(16, 0x00400000, np.int32).view(np.float32) * np.float32(2.0) == smallest
        wide = np.full(8, 2.0**-1022) * np.full(8, 0.5)
    return not (kept_result.all() and kept_operand.all() and bool((wide.view(np.int64) != 0).all()))
