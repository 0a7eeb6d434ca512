"""The goldens of shared_expert, in float64 but for the two quantisations, which are part of the formula."""

from __future__ import annotations

import numpy as np

from openpto_gym.operator import Arrays, to_float64, to_torch
from openpto_gym.quantize_goldens import int8_rows, torch_int8_rows


def torch_golden(inputs: Arrays) -> Arrays:
    """By torch.matmul of dequantised rows and weights."""
    import torch

    tensors = to_torch(inputs)
    steps, scale = torch_int8_rows(tensors["x"])
    gate, up = ((steps * scale) @ (tensors["w_in"].double() * tensors["w_in_scale"])).chunk(2, dim=-1)
    steps, scale = torch_int8_rows(torch.nn.functional.silu(gate) * up)
    return {"out": ((steps * scale) @ (tensors["w_out"].double() * tensors["w_out_scale"])).numpy()}


def numpy_golden(inputs: Arrays) -> Arrays:
    """By products of whole numbers, then the scales."""
    wide = to_float64(inputs)
    steps, scale = int8_rows(wide["x"])
    gate, up = np.split(steps @ wide["w_in"].astype(float) * scale * wide["w_in_scale"], 2, axis=1)
    steps, scale = int8_rows(gate * (1 + np.tanh(gate / 2)) / 2 * up)
    return {"out": steps @ wide["w_out"].astype(float) * scale * wide["w_out_scale"]}
