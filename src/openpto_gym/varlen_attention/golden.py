"""The goldens of varlen_attention, in float64."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from openpto_gym.attention_goldens import causal as causal_mask
from openpto_gym.attention_goldens import numpy_attention, torch_attention
from openpto_gym.operator import Arrays, to_float64, to_torch


def torch_golden(inputs: Arrays, scale: float, causal: bool) -> Arrays:
    """Sequence by sequence by torch.softmax; the sum from torch.logsumexp."""
    import torch

    tensors = to_torch(inputs)
    query, key, value = tensors["query"], tensors["key"], tensors["value"]
    out = torch.empty_like(query)
    row_max, row_sum = torch.empty(query.shape[:2], dtype=query.dtype), torch.empty(query.shape[:2], dtype=query.dtype)
    for first, end in pairwise(tensors["cu_seqlens"].tolist()):
        if first == end:
            continue
        part = slice(first, end)
        visible = torch.ones(end - first, end - first, dtype=torch.bool)
        visible = visible.tril() if causal else visible
        out[part] = torch_attention(query[part], key[part], value[part], scale, visible)
        keys = key[part].repeat_interleave(query.shape[1] // key.shape[1], 1)
        scores = torch.einsum("qnd,knd->qnk", query[part], keys) * scale
        scores = scores.masked_fill(~visible[:, None], -torch.inf)
        row_max[part] = scores.amax(-1)
        row_sum[part] = torch.exp(torch.logsumexp(scores, -1) - row_max[part])
    return {"out": out.numpy(), "row_max": row_max.numpy(), "row_sum": row_sum.numpy()}


def numpy_golden(inputs: Arrays, scale: float, causal: bool) -> Arrays:
    """By the formula, the scores of a head at once."""
    wide = to_float64(inputs)
    query, key, value = wide["query"], wide["key"], wide["value"]
    out = np.empty_like(query)
    row_max, row_sum = np.empty(query.shape[:2]), np.empty(query.shape[:2])
    group = query.shape[1] // key.shape[1]
    for first, end in pairwise(inputs["cu_seqlens"].tolist()):
        part, size = slice(first, end), end - first
        visible = causal_mask(size, size) if causal else np.ones((size, size), bool)
        out[part] = numpy_attention(query[part], key[part], value[part], scale, visible)
        for head in range(query.shape[1] if size else 0):
            scores = np.where(visible, query[part, head] @ key[part, head // group].T * scale, -np.inf)
            row_max[part, head] = scores.max(axis=1)
            row_sum[part, head] = np.exp(scores - scores.max(axis=1, keepdims=True)).sum(axis=1)
    return {"out": out, "row_max": row_max, "row_sum": row_sum}
