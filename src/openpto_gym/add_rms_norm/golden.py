"""The goldens of add_rms_norm, in float64."""

from __future__ import annotations

import numpy as np

from openpto_gym.operator import Arrays, to_float64, to_torch


def torch_golden(inputs: Arrays, epsilon: float) -> Arrays:
    """By torch.nn.functional.rms_norm; the rate by torch.rsqrt."""
    import torch

    tensors = to_torch(inputs)
    total, gamma = tensors["x"] + tensors["residual"], tensors["gamma"]
    normed = torch.nn.functional.rms_norm(total, tuple(gamma.shape), gamma, eps=epsilon)
    rate = torch.rsqrt(total.square().mean(-1, keepdim=True) + epsilon)
    return {"out": normed.numpy(), "total": total.numpy(), "rate": rate.numpy()}


def numpy_golden(inputs: Arrays, epsilon: float) -> Arrays:
    """By the formula."""
    wide = to_float64(inputs)
    total = wide["x"] + wide["residual"]
    root = np.sqrt(np.einsum("rh,rh->r", total, total) / total.shape[1] + epsilon)[:, None]
    return {"out": total / root * wide["gamma"], "total": total, "rate": 1 / root}
