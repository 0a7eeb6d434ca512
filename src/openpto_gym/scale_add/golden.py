"""The goldens of `scale * x + y`, in float64."""

from __future__ import annotations

from openpto_gym.operator import Arrays, to_float64, to_torch


def torch_golden(inputs: Arrays, scale: float) -> Arrays:
    """By torch.add."""
    import torch

    tensors = to_torch(inputs)
    return {"out": torch.add(tensors["y"], tensors["x"], alpha=scale).numpy()}


def numpy_golden(inputs: Arrays, scale: float) -> Arrays:
    """By the formula."""
    wide = to_float64(inputs)
    return {"out": scale * wide["x"] + wide["y"]}
