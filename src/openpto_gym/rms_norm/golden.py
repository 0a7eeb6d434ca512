"""The goldens of rms_norm, in float64."""

from __future__ import annotations

import numpy as np

from openpto_gym.operator import Arrays, to_float64, to_torch


def torch_golden(inputs: Arrays, epsilon: float) -> Arrays:
    """By torch.nn.functional.rms_norm."""
    import torch

    tensors = to_torch(inputs)
    x, gamma = tensors["x"], tensors["gamma"]
    return {"out": torch.nn.functional.rms_norm(x, tuple(gamma.shape), gamma, eps=epsilon).numpy()}


def numpy_golden(inputs: Arrays, epsilon: float) -> Arrays:
    """By the formula."""
    wide = to_float64(inputs)
    x = wide["x"]
    mean = np.einsum("rh,rh->r", x, x) / x.shape[1]
    return {"out": x / np.sqrt(mean + epsilon)[:, None] * wide["gamma"]}
