"""The goldens of silu and its gradient, in float64."""

from __future__ import annotations

import numpy as np

from openpto_gym.operator import Arrays, to_float64, to_torch


def torch_golden(inputs: Arrays) -> Arrays:
    """By torch.nn.functional.silu, and by automatic differentiation of it."""
    import torch

    tensors = to_torch(inputs)
    x = tensors["x"].requires_grad_("grad" in tensors)
    out = torch.nn.functional.silu(x)
    if "grad" in tensors:
        (out,) = torch.autograd.grad(out, x, tensors["grad"])
    return {"out": out.numpy()}


def numpy_golden(inputs: Arrays) -> Arrays:
    """By the formula, sigmoid and its complement each from exp(-|x|), which cannot overflow."""
    wide = to_float64(inputs)
    x = wide["x"]
    small = np.exp(-np.abs(x))
    share = np.where(x < 0, small, 1.0) / (1 + small)
    rest = np.where(x < 0, 1.0, small) / (1 + small)
    if "grad" not in wide:
        return {"out": x * share}
    return {"out": wide["grad"] * share * (1 + x * rest)}
