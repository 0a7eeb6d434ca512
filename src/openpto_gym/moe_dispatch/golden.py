"""The goldens of moe_dispatch: copies, in float64. Rows that no token fills are those of the output before."""

from __future__ import annotations

import numpy as np

from openpto_gym.operator import Arrays, to_float64, to_torch


def torch_golden(inputs: Arrays, count: int) -> Arrays:
    """By a stable torch.argsort of all choices and torch.bincount."""
    import torch

    tensors = to_torch(inputs)
    x, experts = tensors["x"], tensors["experts"].long()
    flat = experts.flatten()
    order = torch.argsort(flat, stable=True)
    order = order[int((flat < 0).sum()) :]
    rows = torch.full((len(flat), x.shape[1]), torch.nan, dtype=x.dtype)
    rows[: len(order)] = x[order // experts.shape[1]]
    places = torch.full_like(flat, -1)
    places[order] = torch.arange(len(order))
    sums = torch.nn.functional.pad(torch.bincount(flat[flat >= 0], minlength=count).cumsum(0), (1, 0)).double()
    return {"rows": rows.numpy(), "places": places.view(experts.shape).double().numpy(), "group_sums": sums.numpy()}


def numpy_golden(inputs: Arrays, count: int) -> Arrays:
    """Expert by expert, its tokens by np.argwhere."""
    x, experts = to_float64(inputs)["x"], inputs["experts"]
    rows, places = np.full((experts.size, x.shape[1]), np.nan), np.full(experts.shape, -1.0)
    sums, place = np.zeros(count + 1), 0
    for expert in range(count):
        for t, k in np.argwhere(experts == expert):
            rows[place], places[t, k] = x[t], place
            place += 1
        sums[expert + 1] = place
    return {"rows": rows, "places": places, "group_sums": sums}
