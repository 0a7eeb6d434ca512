"""The goldens of swiglu and its gradient, in float64."""

from __future__ import annotations

import numpy as np

from openpto_gym.operator import Arrays, to_float64, to_torch


def torch_golden(inputs: Arrays) -> Arrays:
    """By torch's silu on chunks; the gradient by automatic differentiation."""
    import torch

    tensors = to_torch(inputs)
    x = tensors["x"].requires_grad_("grad" in tensors)
    gate, up = x.chunk(2, dim=-1)
    out = torch.nn.functional.silu(gate) * up
    if "grad" not in tensors:
        return {"out": out.numpy()}
    (dx,) = torch.autograd.grad(out, x, tensors["grad"])
    return {"dx": dx.numpy()}


def numpy_golden(inputs: Arrays) -> Arrays:
    """By the formula; sigmoid(x) = (1 + tanh(x / 2)) / 2."""
    wide = to_float64(inputs)
    gate, up = np.split(wide["x"], 2, axis=1)
    share = (1 + np.tanh(gate / 2)) / 2
    if "grad" not in wide:
        return {"out": gate * share * up}
    grad = wide["grad"]
    slope = share + gate * share * (1 - share)
    return {"dx": np.concatenate([grad * up * slope, grad * gate * share], axis=1)}
