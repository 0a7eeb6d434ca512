"""The goldens of grouped_matmul, in float64; rows behind the last group are NaN, as they are before the call."""

from __future__ import annotations

import numpy as np

from openpto_gym.operator import Arrays, to_float64, to_torch


def torch_golden(inputs: Arrays) -> Arrays:
    """By torch.bmm of every row with the matrix of its group, which torch.searchsorted finds."""
    import torch

    tensors = to_torch(inputs)
    x, weights, ends = tensors["x"], tensors["weights"], tensors["group_sums"][1:]
    out = torch.full((len(x), weights.shape[2]), torch.nan, dtype=x.dtype)
    total = int(ends[-1])
    group = torch.searchsorted(ends, torch.arange(total, dtype=ends.dtype), right=True)
    for start in range(0, total, 64):
        part = slice(start, min(start + 64, total))
        out[part] = torch.bmm(x[part, None], weights[group[part]])[:, 0]
    return {"out": out.numpy()}


def numpy_golden(inputs: Arrays) -> Arrays:
    """Group by group."""
    wide, first = to_float64(inputs), 0
    out = np.full((len(wide["x"]), wide["weights"].shape[2]), np.nan)
    for matrix, end in zip(wide["weights"], inputs["group_sums"][1:].tolist(), strict=True):
        out[first:end] = wide["x"][first:end] @ matrix
        first = end
    return {"out": out}
