"""The goldens of quantize_int8, in float64."""

from __future__ import annotations

from openpto_gym.operator import Arrays, to_float64, to_torch
from openpto_gym.quantize_goldens import int8_rows, torch_int8_rows


def torch_golden(inputs: Arrays) -> Arrays:
    """By torch.round."""
    tensors = to_torch(inputs)
    steps, scale = torch_int8_rows(tensors["x"] * tensors["smooth"])
    return {"out": steps.numpy(), "scale": scale.numpy()}


def numpy_golden(inputs: Arrays) -> Arrays:
    """By np.rint."""
    wide = to_float64(inputs)
    steps, scale = int8_rows(wide["x"] * wide["smooth"])
    return {"out": steps, "scale": scale}
