"""The goldens of mx_matmul: in float64 but for the rounding to FP8, which is part of the formula and exact in both."""

from __future__ import annotations

from typing import Any

import numpy as np

from openpto_gym.operator import Array, Arrays, to_float64, to_torch
from openpto_gym.quantize_goldens import fp8

GROUP, LARGEST = 32, 448.0


def torch_golden(inputs: Arrays) -> Arrays:
    """By torch.frexp for the exponents and torch.float8_e4m3fn for the elements."""
    import torch

    def microscaled(x: Any) -> Any:
        groups = x.unflatten(-1, (x.shape[1] // GROUP, GROUP))
        _, exponent = torch.frexp(groups.abs().amax(-1, keepdim=True))
        scale = torch.exp2((exponent - 1.0 - 8.0).clamp(-127, 127).double())
        return ((groups / scale).clamp(-LARGEST, LARGEST).to(torch.float8_e4m3fn).double() * scale).flatten(-2)

    tensors = to_torch(inputs)
    return {"out": (microscaled(tensors["a"]) @ microscaled(tensors["b"]).T).numpy()}


def numpy_golden(inputs: Arrays) -> Arrays:
    """By arithmetic."""
    wide = to_float64(inputs)
    return {"out": np.einsum("mk,nk->mn", _microscaled(wide["a"]), _microscaled(wide["b"]))}


def _microscaled(x: Array) -> Array:
    groups = x.reshape(len(x), x.shape[1] // GROUP, GROUP)
    peak = np.abs(groups).max(axis=-1, keepdims=True)
    exponent = np.floor(np.log2(np.where(peak > 0, peak, 1.0)))
    scale = np.where(peak > 0, 2.0 ** np.clip(exponent - 8, -127, 127), 2.0**-127)
    quotient = np.clip(groups / scale, -LARGEST, LARGEST)
    return (fp8(quotient) * scale).reshape(x.shape)
