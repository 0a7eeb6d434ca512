"""The goldens of attention, in float64."""

from __future__ import annotations

import numpy as np

from openpto_gym.attention_goldens import numpy_attention
from openpto_gym.operator import Arrays, to_float64, to_torch


def torch_golden(inputs: Arrays, scale: float) -> Arrays:
    """By torch's scaled_dot_product_attention, which wants [B, N, T, D]; heads of keys are repeated by hand."""
    import torch

    tensors = {name: tensor.transpose(1, 2) for name, tensor in to_torch(inputs).items()}
    query, key, value = (tensors[name] for name in ("query", "key", "value"))
    group = query.shape[1] // key.shape[1]
    key, value = key.repeat_interleave(group, 1), value.repeat_interleave(group, 1)
    out = torch.nn.functional.scaled_dot_product_attention(query, key, value, scale=scale)
    return {"out": out.transpose(1, 2).contiguous().numpy()}


def numpy_golden(inputs: Arrays, scale: float) -> Arrays:
    """By the formula: all scores of a head at once."""
    wide = to_float64(inputs)
    out = np.empty_like(wide["query"])
    for b, sequence in enumerate(zip(wide["query"], wide["key"], wide["value"], strict=True)):
        out[b] = numpy_attention(*sequence, scale)
    return {"out": out}
