"""The goldens of fused_swiglu, in float64."""

from __future__ import annotations

import numpy as np

from openpto_gym.operator import Arrays, to_float64, to_torch


def torch_golden(inputs: Arrays) -> Arrays:
    """By torch.nn.functional.linear and silu."""
    import torch

    tensors = to_torch(inputs)
    gate = torch.nn.functional.linear(tensors["x"], tensors["w_gate"].T, tensors["b_gate"][0])
    up = torch.nn.functional.linear(tensors["x"], tensors["w_up"].T, tensors["b_up"][0])
    return {"out": (torch.nn.functional.silu(gate) * up).numpy()}


def numpy_golden(inputs: Arrays) -> Arrays:
    """By the formula; sigmoid(x) = (1 + tanh(x / 2)) / 2."""
    wide = to_float64(inputs)
    gate = np.einsum("mk,kn->mn", wide["x"], wide["w_gate"]) + wide["b_gate"]
    up = np.einsum("mk,kn->mn", wide["x"], wide["w_up"]) + wide["b_up"]
    return {"out": gate * (1 + np.tanh(gate / 2)) / 2 * up}
