"""The goldens of moe_gating, in float64."""

from __future__ import annotations

import numpy as np

from openpto_gym.moe_gating.gate import Gate
from openpto_gym.operator import Arrays, to_float64, to_torch


def torch_golden(inputs: Arrays, gate: Gate) -> Arrays:
    """By torch.softmax or sigmoid, masked_fill and stable sorts."""
    import torch

    tensors = to_torch(inputs)
    logits = tensors["logits"]
    tokens, count = logits.shape
    scores = torch.softmax(logits, -1) if gate.softmax else torch.sigmoid(logits)
    biased = scores + tensors["bias"]
    if gate.groups > 1:
        grouped = biased.view(tokens, gate.groups, -1)
        rank = grouped.topk(2, dim=-1).values.sum(-1) if gate.best_two else grouped.amax(-1)
        kept = torch.sort(rank, dim=-1, descending=True, stable=True).indices[:, : gate.kept]
        outside = torch.ones_like(rank, dtype=torch.bool).scatter_(1, kept, False)
        biased = grouped.masked_fill(outside[..., None], 0.0).view(tokens, count)
    chosen = torch.sort(biased, dim=-1, descending=True, stable=True).indices[:, : gate.k]
    share = scores.gather(1, chosen)
    share = share / (share.sum(-1, keepdim=True) + 1e-20) * gate.factor
    return {"weights": share.numpy(), "experts": chosen.double().numpy()}


def numpy_golden(inputs: Arrays, gate: Gate) -> Arrays:
    """Token by token with sorts of (score falling, number rising)."""
    wide = to_float64(inputs)
    tokens, count = wide["logits"].shape
    weights, experts = np.empty((tokens, gate.k)), np.empty((tokens, gate.k))
    size = count // gate.groups
    for t, x in enumerate(wide["logits"]):
        scores = np.exp(x - x.max()) / np.exp(x - x.max()).sum() if gate.softmax else 1 / (1 + np.exp(-x))
        biased = scores + wide["bias"]
        if gate.groups > 1:
            best = [sorted(biased[g * size : (g + 1) * size])[::-1] for g in range(gate.groups)]
            rank = [group[0] + group[1] if gate.best_two else group[0] for group in best]
            kept = sorted(range(gate.groups), key=lambda g: (-rank[g], g))[: gate.kept]
            biased = np.array([value if e // size in kept else 0.0 for e, value in enumerate(biased)])
        chosen = sorted(range(count), key=lambda e: (-biased[e], e))[: gate.k]
        weights[t], experts[t] = scores[chosen] / (scores[chosen].sum() + 1e-20) * gate.factor, chosen
    return {"weights": weights, "experts": experts}
