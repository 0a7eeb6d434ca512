"""Units in the last place of every float type that tensors have."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from openpto.ir.dtypes import DataType

Float64 = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Precision:
    """``bits`` of the significand, the leading one included, and ``lowest``, the exponent of the smallest normal."""

    bits: int
    lowest: int


@cache
def precision_of(dtype: DataType) -> Precision:
    """The precision of a float type.

    >>> precision_of(DataType.DT_BF16)
    Precision(bits=8, lowest=-126)
    """
    known = {
        DataType.DT_FP16: Precision(11, -14),
        DataType.DT_BF16: Precision(8, -126),
        DataType.DT_FP32: Precision(24, -126),
        DataType.DT_DOUBLE: Precision(53, -1022),
        DataType.DT_FP8E4M3: Precision(4, -6),
        DataType.DT_FP8E5M2: Precision(3, -14),
        DataType.DT_FP8E8M0: Precision(1, -127),
    }
    return known[dtype]


def unit(size: Float64, dtype: DataType) -> Float64:
    """The distance to the next value of ``dtype`` at each magnitude; of denormals, their step. Infinities give inf."""
    precision = precision_of(dtype)
    with np.errstate(invalid="ignore"):
        _, exponent = np.frexp(np.where(np.isfinite(size), size, 1.0))
        exponent = np.where(size == 0.0, precision.lowest, exponent - 1)
        power = np.maximum(exponent, precision.lowest) - (precision.bits - 1)
        step: Float64 = np.ldexp(1.0, power.astype(np.int32))
    return np.where(np.isfinite(size), step, np.inf)


def rounded(values: Float64, element: np.dtype[Any]) -> Float64:
    """The values rounded to the host type ``element`` and widened again; what is too large becomes infinite."""
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        back: Float64 = values.astype(element).astype(np.float64)
    return back
