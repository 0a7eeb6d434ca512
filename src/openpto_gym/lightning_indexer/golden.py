"""The goldens of lightning_indexer, in float64."""

from __future__ import annotations

import numpy as np

from openpto_gym.operator import Arrays, to_float64, to_torch
from openpto_gym.paging import tokens_of, torch_tokens_of

LOWEST = -1e30
"""The score of a place that no token has."""


def torch_golden(inputs: Arrays, count: int) -> Arrays:
    """By sums over index letters and a stable torch.sort."""
    import torch

    tensors = to_torch(inputs)
    query = tensors["query"]
    batch, steps = query.shape[:2]
    scores = torch.full((batch, steps, count), LOWEST, dtype=query.dtype)
    chosen = torch.full((batch, steps, count), -1.0, dtype=query.dtype)
    for b, length in enumerate(tensors["lengths"].tolist()):
        keys = torch_tokens_of(tensors["key_cache"], tensors["block_table"][b], length)
        each = torch.einsum("sn,snk->sk", tensors["weights"][b], torch.einsum("snd,kd->snk", query[b], keys).relu())
        for s in range(steps):
            seen = max(length - steps + s + 1, 0)
            values, order = torch.sort(each[s, :seen], descending=True, stable=True)
            kept = min(seen, count)
            scores[b, s, :kept], chosen[b, s, :kept] = values[:kept], order[:kept].to(query.dtype)
    return {"scores": scores.numpy(), "chosen": chosen.numpy()}


def numpy_golden(inputs: Arrays, count: int) -> Arrays:
    """By the formula, query by query; sorted as pairs of falling score and rising token."""
    wide = to_float64(inputs)
    query = wide["query"]
    scores = np.full((*query.shape[:2], count), LOWEST)
    chosen = np.full(scores.shape, -1.0)
    for b, s in np.ndindex(*query.shape[:2]):
        seen = max(int(inputs["lengths"][b]) - query.shape[1] + s + 1, 0)
        keys = tokens_of(wide["key_cache"], inputs["block_table"][b], seen)
        found = np.maximum(keys @ query[b, s].T, 0) @ wide["weights"][b, s]
        order = np.lexsort((np.arange(seen), -found))[:count]
        scores[b, s, : len(order)], chosen[b, s, : len(order)] = found[order], order
    return {"scores": scores, "chosen": chosen}
