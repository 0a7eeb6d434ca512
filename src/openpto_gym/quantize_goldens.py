"""Quantisation to INT8 and FP8, for the goldens of the quantised operators.

Which whole number is nearest depends on the last bit of the quotient where FP16 and BF16 data lie half way, so that the
float32 steps of ``x / peak * 127`` are part of the formula.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from openpto_gym.operator import Array

SMALLEST = 1e-12


def int8_rows(x: Array) -> tuple[Array, Array]:
    """(whole numbers from -127 to 127, scale [rows, 1]) of the rows of x in float64, rounded half to even."""
    narrow = x.astype(np.float32)
    peak = np.maximum(np.abs(narrow).max(axis=-1, keepdims=True), np.float32(SMALLEST))
    steps = np.rint(narrow / peak * np.float32(127)).astype(np.float64)
    return steps, peak.astype(np.float64) / 127


def torch_int8_rows(x: Any) -> tuple[Any, Any]:
    """The same of tensors."""
    import torch

    narrow = x.float()
    peak = narrow.abs().amax(-1, keepdim=True).clamp(min=SMALLEST)
    return torch.round(narrow / peak * 127).double(), peak.double() / 127


def fp8(x: Array) -> Array:
    """x in float64, up to 448, rounded to E4M3 by arithmetic: to a multiple of the step of its binade, half to even."""
    binade = np.maximum(np.floor(np.log2(np.maximum(np.abs(x), 2.0**-20))), -6)
    step = 2.0 ** (binade - 3)
    rounded: Array = np.rint(x / step) * step
    return rounded
