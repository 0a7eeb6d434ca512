"""The goldens of relu and its gradient, in float64."""

from __future__ import annotations

import numpy as np

from openpto_gym.operator import Arrays, to_float64, to_torch


def torch_golden(inputs: Arrays) -> Arrays:
    """By torch.relu and its own differentiation."""
    import torch

    tensors = to_torch(inputs)
    x = tensors["x"].requires_grad_("grad" in tensors)
    y = torch.relu(x)
    if "grad" not in tensors:
        return {"out": y.numpy()}
    y.backward(tensors["grad"])
    return {"out": x.grad.numpy()}


def numpy_golden(inputs: Arrays) -> Arrays:
    """By the formula; relu of NaN is NaN, its gradient is 0."""
    wide = to_float64(inputs)
    if "grad" not in wide:
        return {"out": np.where(wide["x"] < 0, 0.0, wide["x"])}
    return {"out": np.where(wide["x"] > 0, wide["grad"], 0.0)}
