"""The goldens of fake_quant and its gradient: quotients in float32, whose rounding decides, all else in float64."""

from __future__ import annotations

import numpy as np

from openpto_gym.operator import Arrays, to_float64, to_torch

SMALLEST = float(np.float32(1e-8))


def torch_golden(inputs: Arrays, bits: int) -> Arrays:
    """By automatic differentiation, the rounding replaced by w / s + (what rounding adds), which is held constant."""
    import torch

    tensors = to_torch(inputs)
    low, high = -(2.0 ** (bits - 1)), 2.0 ** (bits - 1) - 1
    weight, scale = tensors["weight"].requires_grad_(), tensors["scale"].requires_grad_()
    step = scale.clamp(min=SMALLEST)
    ratio = (weight.float() / step.float()).double().detach()
    straight = weight / step
    rounded = straight + (torch.round(ratio) - straight).detach()
    inside = (torch.round(ratio) >= low) & (torch.round(ratio) <= high)
    limited = torch.where(inside, rounded, torch.round(ratio).clamp(low, high))
    out = limited * step
    if "grad" not in tensors:
        return {"out": out.detach().numpy()}
    out.backward(tensors["grad"])
    return {"dweight": weight.grad.numpy(), "dscale": scale.grad.numpy()}


def numpy_golden(inputs: Arrays, bits: int) -> Arrays:
    """By the formula."""
    wide = to_float64(inputs)
    low, high = -(2.0 ** (bits - 1)), 2.0 ** (bits - 1) - 1
    step = np.maximum(inputs["scale"], np.float32(SMALLEST))
    ratio = (inputs["weight"] / step).astype(np.float64)
    whole = np.rint(ratio)
    limited, inside = np.clip(whole, low, high), (whole >= low) & (whole <= high)
    if "grad" not in wide:
        return {"out": limited * step.astype(np.float64)}
    slope = (wide["grad"] * (limited - np.where(inside, ratio, 0.0))).sum(axis=1, keepdims=True)
    dscale = np.where(inputs["scale"] >= np.float32(SMALLEST), slope, 0.0)
    return {"dweight": np.where(inside, wide["grad"], 0.0), "dscale": dscale}
