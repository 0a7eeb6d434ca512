"""Samples of matmul: exact products of whole numbers, and rounded ones in every pair of types."""

from __future__ import annotations

import numpy as np

from openpto.ir.dtypes import DataType

from .dtype_sets import BF16, FP16, FP32
from .registry import Array, Sample
from .samples import converted, positive, whole
from .typed_samples import Generator, drawn


def _bytes(*shape: int) -> Generator:
    return lambda rng: rng.integers(-128, 128, shape).astype(np.int8)


def _scale_row(n: int) -> Generator:
    """Powers of two as patterns in the low halves."""
    return lambda rng: (2.0 ** rng.integers(-9, 0, (1, n))).astype(np.float32).view(np.uint32).astype(np.uint64)


def _factors(row: Array) -> Array:
    factors: Array = row.astype(np.uint32).view(np.float32).astype(np.float64)
    return factors


def _saturated(x: Array) -> Array:
    result: Array = np.clip(np.rint(x), -128, 127).astype(np.int8)
    return result


def _ten_bits(x: Array) -> Array:
    """FP64 rounded to 11 significant bits, ties away."""
    mantissa, exponent = np.frexp(x)
    result: Array = np.ldexp(np.trunc(mantissa * 2**11 + np.copysign(0.5, mantissa)), exponent - 11)
    return result


_I8 = {"x": _bytes(16, 32), "y": _bytes(32, 16)}
_FP8 = {"x": converted(whole(16, 32), DataType.DT_FP8E4M3), "y": converted(whole(32, 32), DataType.DT_FP8E5M2)}
SAMPLES = (
    Sample(
        "pypto.matmul(x, y, pypto.DT_FP32)",
        {"x": positive(16, 32), "y": positive(32, 16)},
        lambda x, y: x.astype("f8") @ y,
        ulp=16,
        cube=True,
    ),
    Sample(
        "pypto.matmul(x, y, pypto.DT_FP32, extend_params={'bias_tensor': b, 'relu_type': pypto.ReLuType.RELU})",
        {"x": whole(16, 32), "y": whole(32, 16), "b": whole(1, 16)},
        lambda x, y, b: np.maximum(x @ y + b, 0),
        cube=True,
    ),
    Sample("x @ y", {"x": whole(2, 16, 32), "y": whole(1, 32, 16)}, lambda x, y: x @ y, tile=(1, 16, 16), cube=True),
    Sample(
        "pypto.matmul(x, y, pypto.DT_FP32, a_trans=True, b_trans=True)",
        {"x": whole(32, 16), "y": whole(16, 32)},
        lambda x, y: x.T @ y.T,
        cube=True,
    ),
    *(
        Sample(
            f"pypto.matmul(x, y, pypto.{out.name})",
            {"x": drawn(dtype, "positive", (16, 32)), "y": drawn(dtype, "positive", (32, 16))},
            lambda x, y: x.astype("f8") @ y.astype("f8"),
            ulp=16 if out is FP32 else 0.51,
            cube=True,
            result=out,
        )
        for dtype in (FP16, BF16)
        for out in (dtype, FP32)
    ),
    Sample("pypto.matmul(x, y, pypto.DT_INT32)", _I8, lambda x, y: x.astype("i4") @ y.astype("i4"), cube=True),
    Sample(
        "pypto.matmul(x, y, pypto.DT_INT32, extend_params={'bias_tensor': b, 'relu_type': pypto.ReLuType.RELU})",
        {**_I8, "b": lambda rng: rng.integers(-9999, 9999, (1, 16), dtype=np.int32)},
        lambda x, y, b: np.maximum(x.astype("i4") @ y.astype("i4") + b, 0),
        cube=True,
    ),
    Sample(
        "pypto.matmul(x, y, pypto.DT_FP16, extend_params={'scale': 0.1})",
        _I8,
        lambda x, y: (x.astype("i8") @ y.astype("i8")) * (np.floor(0.1 * 2**14) / 2**14),
        ulp=0.501,
        cube=True,
        result=FP16,
    ),
    Sample(
        "pypto.matmul(x, y, pypto.DT_INT8, extend_params={'scale_tensor': s})",
        {**_I8, "s": _scale_row(16)},
        lambda x, y, s: _saturated((x.astype("i8") @ y.astype("i8")) * _factors(s)),
        cube=True,
    ),
    Sample(
        "pypto.matmul(x, y, pypto.DT_INT8, extend_params={'scale': 0.5, 'bias_tensor': b})",
        {"x": whole(16, 32), "y": whole(32, 16), "b": whole(1, 16)},
        lambda x, y, b: _saturated((x @ y + b) * 0.5),
        cube=True,
    ),
    Sample(
        "pypto.matmul(x, y, pypto.DT_FP32, extend_params={'trans_mode': pypto.TransMode.CAST_ROUND})",
        {"x": lambda rng: (rng.integers(-9, 9, (16, 32)) + 2.0**-9).astype(np.float32), "y": whole(32, 16)},
        lambda x, y: _ten_bits(x) @ y,
        cube=True,
    ),
    Sample(
        "pypto.matmul(x, y, pypto.DT_FP32)",
        _FP8,
        lambda x, y: x.astype("f8") @ y.astype("f8"),
        cube=True,
    ),
    Sample(
        "pypto.matmul(x, y, pypto.DT_BF16, b_trans=True, extend_params={'bias_tensor': b})",
        {**_FP8, "y": converted(whole(32, 32), DataType.DT_FP8E4M3), "b": converted(whole(1, 32), FP16)},
        lambda x, y, b: x.astype("f8") @ y.astype("f8").T + b,
        ulp=0.51,
        cube=True,
        result=BF16,
    ),
    Sample(
        "pypto.matmul(pypto.cast(x, pypto.DT_HF8), pypto.cast(y, pypto.DT_HF8), pypto.DT_FP32)",
        {"x": whole(16, 32), "y": whole(32, 32)},
        lambda x, y: x.astype("f8") @ y,
        cube=True,
    ),
)
