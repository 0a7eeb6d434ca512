"""The goldens of avg_pool2d, in float64."""

from __future__ import annotations

from openpto_gym.operator import Arrays, to_float64, to_torch


def torch_golden(inputs: Arrays, size: int) -> Arrays:
    """By torch.nn.functional.avg_pool2d."""
    import torch

    return {"out": torch.nn.functional.avg_pool2d(to_torch(inputs)["x"][:, None], size)[:, 0].numpy()}


def numpy_golden(inputs: Arrays, size: int) -> Arrays:
    """As the mean over two axes of windows."""
    x = to_float64(inputs)["x"]
    rows, cols = x.shape[1] // size, x.shape[2] // size
    windows = x[:, : rows * size, : cols * size].reshape(len(x), rows, size, cols, size)
    return {"out": windows.mean(axis=(2, 4))}
