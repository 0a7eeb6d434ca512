"""The goldens of sigmoid and its gradient, in float64."""

from __future__ import annotations

import numpy as np

from openpto_gym.operator import Array, Arrays, to_float64, to_torch


def torch_golden(inputs: Arrays) -> Arrays:
    """By torch.sigmoid; the gradient by torch's own kernel for it, which takes the result y."""
    import torch

    tensors = to_torch(inputs)
    if "grad" not in tensors:
        return {"out": torch.sigmoid(tensors["x"]).numpy()}
    return {"out": torch.ops.aten.sigmoid_backward(tensors["grad"], tensors["y"]).numpy()}


def sigmoid(x: Array) -> Array:
    """In float64, without overflow on either side."""
    small = np.exp(-np.abs(x))
    return np.where(x < 0, small / (1 + small), 1 / (1 + small))


def numpy_golden(inputs: Arrays) -> Arrays:
    """By the formula."""
    wide = to_float64(inputs)
    if "grad" not in wide:
        return {"out": sigmoid(wide["x"])}
    return {"out": wide["grad"] * wide["y"] * (1 - wide["y"])}
