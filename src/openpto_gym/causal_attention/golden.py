"""The goldens of causal_attention, in float64."""

from __future__ import annotations

import numpy as np

from openpto_gym.attention_goldens import causal, numpy_attention, torch_attention
from openpto_gym.operator import Arrays, to_float64, to_torch


def torch_golden(inputs: Arrays, scale: float) -> Arrays:
    """By torch.softmax of masked scores."""
    import torch

    tensors = to_torch(inputs)
    query, key, value = tensors["query"], tensors["key"], tensors["value"]
    visible = torch.tril(torch.ones(query.shape[1], key.shape[1], dtype=torch.bool), key.shape[1] - query.shape[1])
    out = torch.empty_like(query)
    for b in range(len(query)):
        out[b] = torch_attention(query[b], key[b], value[b], scale, visible)
    return {"out": out.numpy()}


def numpy_golden(inputs: Arrays, scale: float) -> Arrays:
    """By the formula."""
    wide = to_float64(inputs)
    query, key, value = wide["query"], wide["key"], wide["value"]
    out = np.empty_like(query)
    for b in range(len(query)):
        out[b] = numpy_attention(query[b], key[b], value[b], scale, causal(query.shape[1], key.shape[1]))
    return {"out": out}
