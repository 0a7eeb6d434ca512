"""The goldens of layer_norm, in float64."""

from __future__ import annotations

import numpy as np

from openpto_gym.operator import Arrays, to_float64, to_torch


def torch_golden(inputs: Arrays, epsilon: float) -> Arrays:
    """By torch.nn.functional.layer_norm."""
    import torch

    tensors = to_torch(inputs)
    gamma, beta = tensors["gamma"], tensors["beta"]
    out = torch.nn.functional.layer_norm(tensors["x"], tuple(gamma.shape), gamma, beta, eps=epsilon)
    return {"out": out.numpy()}


def numpy_golden(inputs: Arrays, epsilon: float) -> Arrays:
    """By the formula."""
    wide = to_float64(inputs)
    x = wide["x"]
    centred = x - x.mean(axis=1, keepdims=True)
    deviation = np.sqrt(np.square(centred).mean(axis=1, keepdims=True) + epsilon)
    return {"out": centred / deviation * wide["gamma"] + wide["beta"]}
