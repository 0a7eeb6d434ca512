"""The goldens of adamw, in float64."""

from __future__ import annotations

import numpy as np

from openpto_gym.operator import Arrays, to_float64, to_torch

BETA1, BETA2, EPSILON = 0.9, 0.999, 1e-8


def torch_golden(inputs: Arrays, rate: float, decay: float, step: int) -> Arrays:
    """By torch.optim.AdamW, whose state is set to the moments before the step."""
    import torch

    tensors = to_torch(inputs)
    weight = tensors["weight"].requires_grad_()
    weight.grad = tensors["grad"]
    optimiser = torch.optim.AdamW([weight], lr=rate, betas=(BETA1, BETA2), eps=EPSILON, weight_decay=decay)
    state = {"step": torch.tensor(float(step - 1)), "exp_avg": tensors["mean"], "exp_avg_sq": tensors["square"]}
    optimiser.state[weight] = state
    optimiser.step()
    return {
        "weight_out": weight.detach().numpy(),
        "mean_out": state["exp_avg"].numpy(),
        "square_out": state["exp_avg_sq"].numpy(),
    }


def numpy_golden(inputs: Arrays, rate: float, decay: float, step: int) -> Arrays:
    """By the formula."""
    wide = to_float64(inputs)
    weight, grad = wide["weight"], wide["grad"]
    mean = BETA1 * wide["mean"] + (1 - BETA1) * grad
    square = BETA2 * wide["square"] + (1 - BETA2) * np.square(grad)
    update = mean / (1 - BETA1**step) / (np.sqrt(square / (1 - BETA2**step)) + EPSILON) + decay * weight
    return {"weight_out": weight - rate * update, "mean_out": mean, "square_out": square}
