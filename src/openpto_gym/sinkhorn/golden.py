"""The goldens of sinkhorn, in float64."""

from __future__ import annotations

import numpy as np

from openpto_gym.operator import Arrays, to_float64, to_torch


def torch_golden(inputs: Arrays, iterations: int, epsilon: float) -> Arrays:
    """All tokens at once."""
    import torch

    x = torch.softmax(to_torch(inputs)["logits"], dim=-1) + epsilon
    for number in range(2 * iterations - 1):
        x = x / (x.sum(-2 if number % 2 == 0 else -1, keepdim=True) + epsilon)
    return {"out": x.numpy()}


def numpy_golden(inputs: Arrays, iterations: int, epsilon: float) -> Arrays:
    """Factors of rows and columns are collected, the matrix itself stays: x = rows * m * columns."""
    logits = to_float64(inputs)["logits"]
    weights = np.exp(logits - logits.max(axis=2, keepdims=True))
    matrix = weights / weights.sum(axis=2, keepdims=True) + epsilon
    rows, cols = np.ones(matrix.shape[:2]), np.ones(matrix.shape[:2])
    for number in range(iterations):
        if number:
            rows = rows / (rows * np.einsum("tij,tj->ti", matrix, cols) + epsilon)
        cols = cols / (cols * np.einsum("tij,ti->tj", matrix, rows) + epsilon)
    return {"out": rows[:, :, None] * matrix * cols[:, None, :]}
