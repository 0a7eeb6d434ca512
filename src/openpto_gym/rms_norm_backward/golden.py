"""The goldens of rms_norm_backward, in float64."""

from __future__ import annotations

import numpy as np

from openpto_gym.operator import Arrays, to_float64, to_torch


def torch_golden(inputs: Arrays, epsilon: float) -> Arrays:
    """By torch's automatic differentiation of torch.nn.functional.rms_norm."""
    import torch

    tensors = to_torch(inputs)
    x, gamma = tensors["x"].requires_grad_(), tensors["gamma"].requires_grad_()
    torch.nn.functional.rms_norm(x, tuple(gamma.shape), gamma, eps=epsilon).backward(tensors["grad"])
    return {"dx": x.grad.numpy(), "dgamma": gamma.grad.numpy()}


def numpy_golden(inputs: Arrays, epsilon: float) -> Arrays:
    """By the formula."""
    wide = to_float64(inputs)
    x, grad = wide["x"], wide["grad"]
    rate = 1 / np.sqrt(np.square(x).mean(axis=1, keepdims=True) + epsilon)
    scaled = grad * wide["gamma"]
    along = (scaled * x).mean(axis=1, keepdims=True)
    return {"dx": rate * scaled - rate**3 * along * x, "dgamma": np.einsum("rh,rh,ro->h", grad, x, rate)}
