"""The goldens of window_attention, in float64."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from openpto_gym.attention_goldens import numpy_attention, torch_attention
from openpto_gym.operator import Arrays, to_float64, to_torch


def torch_golden(inputs: Arrays, window: int, scale: float) -> Arrays:
    """By torch.softmax of scores masked by a band, tril and triu of ones, with the sink as one more column."""
    import torch

    tensors = to_torch(inputs)
    query, key, value = tensors["query"], tensors["key"], tensors["value"]
    out = torch.empty_like(query)
    for first, end in pairwise(tensors["cu_seqlens"].tolist()):
        part = slice(first, end)
        ones = torch.ones(end - first, end - first, dtype=torch.bool)
        band = ones.tril().triu(1 - window)
        out[part] = torch_attention(query[part], key[part], value[part], scale, band, tensors["sink"])
    return {"out": out.numpy()}


def numpy_golden(inputs: Arrays, window: int, scale: float) -> Arrays:
    """By the formula, the keys of every row compared by position."""
    wide = to_float64(inputs)
    query, key, value = wide["query"], wide["key"], wide["value"]
    out = np.empty_like(query)
    for first, end in pairwise(inputs["cu_seqlens"].tolist()):
        part = slice(first, end)
        age = np.arange(end - first)[:, None] - np.arange(end - first)
        visible = (age >= 0) & (age < window)
        out[part] = numpy_attention(query[part], key[part], value[part], scale, visible, wide["sink"])
    return {"out": out}
