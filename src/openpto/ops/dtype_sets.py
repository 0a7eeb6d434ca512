"""Sets of element types that the declarations use, and what the engines compute with today."""

from __future__ import annotations

from openpto.ir.dtypes import DataType

FP16, BF16, FP32 = DataType.DT_FP16, DataType.DT_BF16, DataType.DT_FP32
INT8, INT16, INT32, INT64 = DataType.DT_INT8, DataType.DT_INT16, DataType.DT_INT32, DataType.DT_INT64
UINT8, UINT16, UINT32, UINT64 = DataType.DT_UINT8, DataType.DT_UINT16, DataType.DT_UINT32, DataType.DT_UINT64
BOOL, DOUBLE = DataType.DT_BOOL, DataType.DT_DOUBLE

F3 = frozenset({FP16, BF16, FP32})
I2 = frozenset({INT16, INT32})
HALVES = frozenset({FP16, BF16})
INTS = frozenset({INT8, INT16, INT32, INT64, UINT8, UINT16, UINT32, UINT64})
FP8 = frozenset({DataType.DT_FP8E4M3, DataType.DT_FP8E5M2, DataType.DT_HF8, DataType.DT_FP8E8M0})

COMPUTED = F3 | INTS | {BOOL, DOUBLE}
"""Types that arithmetic is available for; another type that an op takes stops with PTO903."""
