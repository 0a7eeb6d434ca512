"""The goldens of paged_attention, in float64."""

from __future__ import annotations

import numpy as np

from openpto_gym.attention_goldens import causal, numpy_attention, torch_attention
from openpto_gym.operator import Arrays, to_float64, to_torch
from openpto_gym.paging import tokens_of, torch_tokens_of


def torch_golden(inputs: Arrays, scale: float) -> Arrays:
    """By torch.softmax on the tokens of each sequence, gathered block by block."""
    import torch

    tensors = to_torch(inputs)
    query = tensors["query"]
    out = torch.empty_like(query)
    for b, length in enumerate(tensors["lengths"].tolist()):
        key, value = (
            torch_tokens_of(tensors[name], tensors["block_table"][b], length) for name in ("key_cache", "value_cache")
        )
        visible = torch.ones(query.shape[1], length, dtype=torch.bool).tril(length - query.shape[1])
        out[b] = torch_attention(query[b], key, value, scale, visible)
    return {"out": out.numpy()}


def numpy_golden(inputs: Arrays, scale: float) -> Arrays:
    """By the formula, the tokens found one by one."""
    wide = to_float64(inputs)
    query, table = wide["query"], inputs["block_table"]
    out = np.empty_like(query)
    for b, length in enumerate(inputs["lengths"].tolist()):
        key, value = (tokens_of(wide[name], table[b], length) for name in ("key_cache", "value_cache"))
        out[b] = numpy_attention(query[b], key, value, scale, causal(query.shape[1], length))
    return {"out": out}
