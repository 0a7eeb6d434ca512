"""What happens to the operands of a matrix product before it, and to its result after it.

FP16 and BF16 operands are widened, FP32 ones may be rounded to TF32 first. The accumulator, FP32 (INT32 for INT8),
gets the bias; a scaled INT32 is rounded to FP32 then; x scale, ReLU and the output type follow, one rounding each. INT8
outputs are rounded to nearest even and saturate.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from openpto._records import dataclass
from openpto.ir.dtypes import DataType, from_numpy, numpy_dtype
from openpto.ir.enums import CastMode, SaturationMode, TransMode
from openpto.ops.math.conversion import cast_expression, kept_of_scale, tf32_expression

from .cast import cast
from .evaluate import evaluate
from .matmul import finish, matmul_f32, matmul_i8

Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Product:
    """How a product is formed: storage of the operands, ReLU, rounding of FP32 operands, element type of the result."""

    out: DataType
    a_trans: bool = False
    b_trans: bool = False
    relu: bool = False
    trans_mode: TransMode = TransMode.CAST_NONE


def product(a: Array, b: Array, how: Product, bias: Array | None = None, scale: float | Array | None = None) -> Array:
    """``a @ b`` with its epilogue, as an array of ``how.out``.

    Args:
        a, b: FP16, BF16, FP32 or INT8, both the same; shapes as in :func:`matmul_f32`.
        bias: broadcasts to the result; INT32 beside INT8 operands.
        scale: FP32, broadcasts to the result.
    """
    trans = {"a_trans": how.a_trans, "b_trans": how.b_trans}
    if a.dtype == np.int8:
        whole = matmul_i8(a, b, bias=bias, relu=how.relu and scale is None, **trans)
        if scale is None:
            return whole
        return _leaving(finish(whole.astype(np.float32), scale=scale, relu=how.relu), how.out)
    left, right = _entering(a, how.trans_mode), _entering(b, how.trans_mode)
    added = None if bias is None else _widened(bias)
    halves = a.dtype != np.float32
    return _leaving(matmul_f32(left, right, bias=added, scale=scale, relu=how.relu, halves=halves, **trans), how.out)


def scales(tensor: Array) -> NDArray[np.float32]:
    """The factors of a scale tensor: FP32 patterns in the low halves of 64-bit integers, of which the device keeps
    the upper 19 bits."""
    low = (tensor.view(np.uint64) & np.uint64(0xFFFFFFFF)).astype(np.uint32).view(np.float32)
    return np.asarray(evaluate(kept_of_scale(), [low]), np.float32)


def _widened(x: Array) -> NDArray[np.float32]:
    source = from_numpy(x.dtype)
    assert source is not None
    if source is DataType.DT_FP32:
        return x
    return np.asarray(evaluate(cast_expression(source, DataType.DT_FP32), [x]), np.float32)


def _entering(x: Array, mode: TransMode) -> NDArray[np.float32]:
    if mode is TransMode.CAST_NONE:
        return _widened(x)
    return np.asarray(evaluate(tf32_expression(mode), [np.ascontiguousarray(x)]), np.float32)


def _leaving(x: NDArray[np.float32], out: DataType) -> Array:
    if x.dtype == numpy_dtype(out):
        return x
    return cast(x, out, CastMode.CAST_RINT, SaturationMode.ON)
