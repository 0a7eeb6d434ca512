"""The goldens of fp8_matmul: in float64 but for the rounding to FP8, which is part of the formula.

The quotient is rounded to float32 first, as the kernel has it, so that both round the same number to FP8.
"""

from __future__ import annotations

import numpy as np

from openpto_gym.operator import Arrays, to_float64, to_torch
from openpto_gym.quantize_goldens import fp8

LARGEST, SMALLEST = 448.0, 1e-12


def torch_golden(inputs: Arrays) -> Arrays:
    """By torch.float8_e4m3fn."""
    import torch

    tensors = to_torch(inputs)
    x = tensors["x"].float()
    scale = x.abs().amax(-1, keepdim=True).clamp(min=SMALLEST) / LARGEST
    rounded = (x / scale).clamp(-LARGEST, LARGEST).to(torch.float8_e4m3fn).double()
    return {"out": (rounded @ tensors["weight"].T * scale.double() * tensors["weight_scale"]).numpy()}


def numpy_golden(inputs: Arrays) -> Arrays:
    """By arithmetic."""
    wide = to_float64(inputs)
    x = wide["x"].astype(np.float32)
    scale = np.maximum(np.abs(x).max(axis=-1, keepdims=True), np.float32(SMALLEST)) / np.float32(LARGEST)
    quotient = (x / scale).astype(np.float64)
    return {"out": fp8(quotient) @ wide["weight"].T * scale.astype(np.float64) * wide["weight_scale"]}
