"""Attention of one sequence in float64, for the goldens of the attention operators."""

from __future__ import annotations

from typing import Any

import numpy as np

from openpto_gym.operator import Array


def torch_attention(query: Any, key: Any, value: Any, scale: float, visible: Any = None, sink: Any = None) -> Any:
    """query [Tq, N, D], key [Tk, Nkv, D], value [Tk, Nkv, E] as tensors; [Tq, N, E], by torch.softmax.

    ``visible`` [Tq, Tk] is true where a query sees a key; a query that sees none gets zeros. ``sink`` [N] is the score
    of one more key, without a value.
    """
    import torch

    query = query.unflatten(1, (key.shape[1], -1))  # heads that share a key head side by side: no copies of keys
    scores = torch.einsum("qhgd,khd->hgqk", query, key) * scale
    if visible is not None:
        scores = scores.masked_fill(~visible, -torch.inf)
    if sink is not None:
        extra = sink.view(*scores.shape[:2], 1, 1).expand(*scores.shape[:3], 1)
        weights = torch.softmax(torch.cat([scores, extra], dim=-1), dim=-1)[..., :-1]
    else:
        weights = torch.softmax(scores, dim=-1).nan_to_num()
    return torch.einsum("hgqk,khe->qhge", weights, value).flatten(1, 2)


def numpy_attention(
    query: Array, key: Array, value: Array, scale: float, visible: Array | None = None, sink: Array | None = None
) -> Array:
    """The same by the formula, head by head, in numpy."""
    out = np.zeros((*query.shape[:2], value.shape[2]))
    group = query.shape[1] // key.shape[1]
    for head in range(query.shape[1]):
        scores = query[:, head] @ key[:, head // group].T * scale
        if visible is not None:
            scores = np.where(visible, scores, -np.inf)
        floor = -np.inf if sink is None else sink[head]
        largest = np.maximum(scores.max(axis=1, initial=-np.inf), floor)
        safe = np.where(np.isfinite(largest), largest, 0.0)[:, None]
        weights = np.exp(scores - safe)
        total = weights.sum(axis=1, keepdims=True) + np.exp(floor - safe)
        out[:, head] = weights @ value[:, head // group] / np.where(total > 0, total, 1.0)
    return out


def causal(queries: int, keys: int) -> Array:
    """[queries, keys]: the last query sees all keys, each one before it one less."""
    return np.arange(keys) <= np.arange(queries)[:, None] + (keys - queries)
