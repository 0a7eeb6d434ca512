"""The CONVERT primitive on numpy arrays: exact for every value, also where ``astype`` depends on the CPU."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from openpto.ir.dtypes import DataType, numpy_dtype

Array = NDArray[Any]
_BF16 = numpy_dtype(DataType.DT_BF16)


def convert_array(x: Array, out: Array, saturate: bool = False) -> None:
    """Write ``x`` to ``out`` in the type of ``out``, as ``openpto.ops.arith`` defines CONVERT.

    ``x`` broadcasts to the shape of ``out``; ``saturate`` matters from float to integer only.
    """
    if out.dtype == _BF16:
        np.copyto(out.view(np.uint16), _bf16_bits(x))
    elif x.dtype == _BF16:
        np.left_shift(x.view(np.uint16).astype(np.uint32), 16, out=out.view(np.uint32))
    elif out.dtype == np.bool_:
        np.not_equal(x, x.dtype.type(0), out=out)
    elif x.dtype.kind == "f" and out.dtype.kind in "iu":
        _float_to_int(x, out, saturate)
    else:
        # In range by construction: widening, int to float (correctly rounded), int to int (low bits), FP64 to FP32.
        np.copyto(out, x, casting="unsafe")


def _bf16_bits(x: Array) -> NDArray[np.uint16]:
    """FP32 to BF16 bits, nearest even; every NaN becomes the canonical one."""
    bits = x.view(np.uint32)
    rounded = (bits + np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))) >> np.uint32(16)
    return np.where(x != x, np.uint32(0x7FC0), rounded).astype(np.uint16)


def _float_to_int(x: Array, out: Array, saturate: bool) -> None:
    info = np.iinfo(out.dtype)
    low = x.dtype.type(info.min)
    high = x.dtype.type(2.0 ** (info.bits - (info.min < 0)))
    ordinary = (x >= low) & (x < high)
    if ordinary.all():
        np.copyto(out, x, casting="unsafe")
        return
    np.copyto(out, np.where(ordinary, x, x.dtype.type(0)), casting="unsafe")
    odd = np.broadcast_to(~ordinary, out.shape)
    values = np.broadcast_to(x, out.shape)[odd].astype(np.float64)
    out[odd] = _clamped(values, out.dtype) if saturate else _low_bits(values, out.dtype)


def _clamped(x: NDArray[np.float64], target: np.dtype[Any]) -> Array:
    """``x`` truncated, then limited to the target's range; NaN gives 0. Meant for values near or outside the limits."""
    info = np.iinfo(target)
    result = np.zeros(x.shape, target)
    result[x >= float(info.max)] = info.max
    result[x <= float(info.min)] = info.min
    # Between the limits only the open unit intervals around them are left: their truncation is the limit itself.
    return result


def _low_bits(x: NDArray[np.float64], target: np.dtype[Any]) -> Array:
    """The low bits of ``trunc(x)`` in two's complement; infinities give the extremes, NaN gives 0."""
    bits = x.view(np.uint64)
    exponent = ((bits >> np.uint64(52)) & np.uint64(0x7FF)).astype(np.int64) - 1075
    mantissa = (bits & np.uint64(2**52 - 1)) | np.uint64(2**52)
    left = np.left_shift(mantissa, np.clip(exponent, 0, 64).astype(np.uint64))
    right = np.right_shift(mantissa, np.clip(-exponent, 0, 64).astype(np.uint64))
    magnitude = np.where(exponent >= 0, left, right)
    signed = np.where(x < 0, np.uint64(0) - magnitude, magnitude)
    result: Array = signed.astype(target)
    info = np.iinfo(target)
    result[x != x] = 0
    result[x == np.inf] = info.max
    result[x == -np.inf] = info.min
    return result
