"""The goldens of sum_lstm, in float64."""

from __future__ import annotations

from typing import Any

import numpy as np

from openpto_gym.operator import Array, Arrays, to_float64, to_torch
from openpto_gym.sum_lstm.kernel import SumLstmConfig


def torch_golden(inputs: Arrays, config: SumLstmConfig) -> Arrays:
    """By torch's chunk, rms_norm and sigmoid."""
    import torch

    tensors = to_torch(inputs)
    gates = torch.add(tensors["states_4d"], tensors["z4_4d"], alpha=config.alpha)
    forget, enter, leave, candidate = gates.chunk(4, dim=1)

    def normed_gelu(x: Any, name: str, epsilon: float) -> Any:
        weight, bias = tensors[f"w_{name}"], tensors[f"b_{name}"]
        normed = torch.nn.functional.rms_norm(x, tuple(weight.shape), weight, eps=epsilon) + bias
        return normed * torch.sigmoid(1.702 * normed)

    candidate = normed_gelu(candidate, "cell", config.eps_cell)
    cell = torch.addcmul(candidate * enter.sigmoid(), tensors["prev_cell"], forget.sigmoid())
    hidden = normed_gelu(cell, "state", config.eps_state) * leave.sigmoid()
    return {"h_out": hidden.numpy(), "c_out": cell.numpy()}


def numpy_golden(inputs: Arrays, config: SumLstmConfig) -> Arrays:
    """By the formula, one row at a time."""
    wide = to_float64(inputs)
    cell = np.empty_like(wide["prev_cell"])
    hidden = np.empty_like(cell)
    width = cell.shape[1]
    for row in range(len(cell)):
        gates = (wide["states_4d"][row] + config.alpha * wide["z4_4d"][row]).reshape(4, width)
        x = gates[3] / np.sqrt(np.mean(gates[3] ** 2) + config.eps_cell) * wide["w_cell"] + wide["b_cell"]
        cell[row] = wide["prev_cell"][row] * _sigmoid(gates[0]) + _gelu(x) * _sigmoid(gates[1])
        y = cell[row] / np.sqrt(np.mean(cell[row] ** 2) + config.eps_state) * wide["w_state"] + wide["b_state"]
        hidden[row] = _gelu(y) * _sigmoid(gates[2])
    return {"h_out": hidden, "c_out": cell}


def _sigmoid(x: Array) -> Array:
    share: Array = 0.5 * (1 + np.tanh(x / 2))
    return share


def _gelu(x: Array) -> Array:
    return x * _sigmoid(1.702 * x)
