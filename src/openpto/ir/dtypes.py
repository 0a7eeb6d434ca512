"""Data types: the public enumeration, element sizes and the host (numpy) type of each."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from openpto.diagnostics import user_boundary

from .enums import _Shown


class DataType(_Shown):
    """Element type of a tensor (``pypto.DT_FP32`` is ``DataType.DT_FP32``). ``DT_FP4E2M1`` is the documentation's
    spelling of ``DT_FP4_E2M1``."""

    DT_INT4 = 0
    DT_INT8 = 1
    DT_INT16 = 2
    DT_INT32 = 3
    DT_INT64 = 4
    DT_FP8 = 5
    DT_FP16 = 6
    DT_FP32 = 7
    DT_BF16 = 8
    DT_HF4 = 9
    DT_HF8 = 10
    DT_UINT8 = 11
    DT_UINT16 = 12
    DT_UINT32 = 13
    DT_UINT64 = 14
    DT_BOOL = 15
    DT_DOUBLE = 16
    DT_FP8E5M2 = 17
    DT_FP8E4M3 = 18
    DT_FP8E8M0 = 19
    DT_FP4_E2M1X2 = 20
    DT_FP4_E1M2X2 = 21
    DT_FP4_E2M1 = 22
    DT_FP4_E1M2 = 23
    DT_BOTTOM = 24
    DT_FP4E2M1 = 22

    @property
    def short(self) -> str:
        """Name without the ``DT_`` prefix, as the tile IR prints it."""
        return _SHORT[self]


_SHORT = {dtype: dtype.name[3:] for dtype in DataType}
_BYTES = {
    "INT16": 2, "UINT16": 2, "FP16": 2, "BF16": 2,
    "INT32": 4, "UINT32": 4, "FP32": 4,
    "INT64": 8, "UINT64": 8, "DOUBLE": 8,
}  # fmt: skip
_SIZES = {dtype: _BYTES.get(short, 1) for dtype, short in _SHORT.items()}

SIGNED_INTS = frozenset({DataType.DT_INT8, DataType.DT_INT16, DataType.DT_INT32, DataType.DT_INT64})
UNSIGNED_INTS = frozenset({DataType.DT_UINT8, DataType.DT_UINT16, DataType.DT_UINT32, DataType.DT_UINT64})
INTS = SIGNED_INTS | UNSIGNED_INTS
FLOATS = frozenset({DataType.DT_FP16, DataType.DT_BF16, DataType.DT_FP32, DataType.DT_DOUBLE})


@user_boundary()
def bytes_of(dtype: DataType) -> int:
    """Bytes per element; the 4-bit types count as one byte.

    >>> bytes_of(DataType.DT_FP32)
    4
    """
    return _SIZES[dtype]


def is_int(dtype: DataType) -> bool:
    """Whether ``dtype`` is a signed or unsigned integer type (BOOL is not)."""
    return dtype in INTS


def is_float(dtype: DataType) -> bool:
    """Whether ``dtype`` is FP16, BF16, FP32 or DOUBLE."""
    return dtype in FLOATS


@cache
def numpy_dtype(dtype: DataType) -> np.dtype[Any]:
    """Host element type.

    Raises:
        KeyError: the type has no host representation yet.
    """
    plain = {
        DataType.DT_INT8: "i1", DataType.DT_INT16: "i2", DataType.DT_INT32: "i4", DataType.DT_INT64: "i8",
        DataType.DT_UINT8: "u1", DataType.DT_UINT16: "u2", DataType.DT_UINT32: "u4", DataType.DT_UINT64: "u8",
        DataType.DT_FP16: "f2", DataType.DT_FP32: "f4", DataType.DT_DOUBLE: "f8", DataType.DT_BOOL: "?",
    }  # fmt: skip
    if dtype in plain:
        return np.dtype(plain[dtype])
    import ml_dtypes

    extended = {
        DataType.DT_BF16: ml_dtypes.bfloat16,
        DataType.DT_FP8E5M2: ml_dtypes.float8_e5m2,
        DataType.DT_FP8E4M3: ml_dtypes.float8_e4m3fn,
        DataType.DT_FP8E8M0: ml_dtypes.float8_e8m0fnu,
        DataType.DT_HF8: np.uint8,
        DataType.DT_FP4_E2M1X2: np.uint8,
        DataType.DT_FP4_E1M2X2: np.uint8,
        DataType.DT_FP4_E2M1: ml_dtypes.float4_e2m1fn,
        DataType.DT_FP4_E1M2: np.uint8,
        DataType.DT_INT4: ml_dtypes.int4,
    }
    host: np.dtype[Any] = np.dtype(extended[dtype])
    return host


@cache
def _by_numpy() -> dict[np.dtype[Any], DataType]:
    ambiguous = (DataType.DT_HF8, DataType.DT_FP4_E2M1X2, DataType.DT_FP4_E1M2X2, DataType.DT_FP4_E1M2)
    table: dict[np.dtype[Any], DataType] = {}
    for dtype in DataType:
        if dtype in ambiguous:
            continue
        try:
            table.setdefault(numpy_dtype(dtype), dtype)
        except KeyError:
            continue
    return table


def from_numpy(dtype: np.dtype[Any]) -> DataType | None:
    """The API's type for a host element type in native order, or None."""
    return _by_numpy().get(dtype) if dtype.isnative else None
