"""The goldens of gelu and its gradient, in float64."""

from __future__ import annotations

import math

import numpy as np

from openpto_gym.operator import Array, Arrays, to_float64, to_torch


def torch_golden(inputs: Arrays, form: str) -> Arrays:
    """By torch's gelu and its own differentiation."""
    import torch

    tensors = to_torch(inputs)
    x = tensors["x"].requires_grad_("grad" in tensors)
    y = torch.nn.functional.gelu(x, approximate="tanh" if form == "tanh" else "none")
    if "grad" not in tensors:
        return {"out": y.numpy()}
    y.backward(tensors["grad"])
    return {"out": x.grad.numpy()}


def numpy_golden(inputs: Arrays, form: str) -> Arrays:
    """By the formulas, in terms of the normal distribution and of tanh."""
    wide = to_float64(inputs)
    x = wide["x"]
    share, slope = _normal(x) if form == "erf" else _tanh(x)
    return {"out": x * share if "grad" not in wide else wide["grad"] * (share + x * slope)}


def _normal(x: Array) -> tuple[Array, Array]:
    """P(N < x) and its density. erfc keeps the digits of the lower tail."""
    share = np.vectorize(lambda value: 0.5 * math.erfc(-value / math.sqrt(2)), otypes=[float])(x)
    return share, np.exp(-x * x / 2) / math.sqrt(2 * math.pi)


def _tanh(x: Array) -> tuple[Array, Array]:
    """(1 + tanh u) / 2 and its derivative, u = c * (x + 0.044715 * x^3)."""
    c = math.sqrt(2 / math.pi)
    u = c * (x + 0.044715 * x**3)
    tanh = np.tanh(u)
    return (1 + tanh) / 2, (1 - tanh**2) / 2 * c * (1 + 3 * 0.044715 * x * x)
