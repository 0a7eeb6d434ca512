"""The goldens of rms_prop, in float64."""

from __future__ import annotations

import numpy as np

from openpto_gym.operator import Arrays, to_float64, to_torch


def torch_golden(inputs: Arrays, rate: float, rho: float, momentum: float, epsilon: float) -> Arrays:
    """By torch's fused steps: lerp, addcdiv."""
    import torch

    tensors = to_torch(inputs)
    grad = tensors["grad"]
    square = torch.lerp(tensors["square"], grad.square(), 1 - rho)
    moment = torch.addcdiv(momentum * tensors["moment"], grad, (square + epsilon).sqrt(), value=rate)
    return {
        "weight_out": (tensors["weight"] - moment).numpy(),
        "square_out": square.numpy(),
        "moment_out": moment.numpy(),
    }


def numpy_golden(inputs: Arrays, rate: float, rho: float, momentum: float, epsilon: float) -> Arrays:
    """By the formula."""
    wide = to_float64(inputs)
    square = rho * wide["square"] + (1 - rho) * wide["grad"] ** 2
    moment = momentum * wide["moment"] + rate * wide["grad"] / np.sqrt(square + epsilon)
    return {"weight_out": wide["weight"] - moment, "square_out": square, "moment_out": moment}
