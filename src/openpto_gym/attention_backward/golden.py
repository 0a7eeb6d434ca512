"""The goldens of attention_backward, in float64; both start from queries, keys and values, not from saved results."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from openpto_gym.attention_goldens import causal as causal_mask
from openpto_gym.attention_goldens import torch_attention
from openpto_gym.operator import Arrays, to_float64, to_torch


def torch_golden(inputs: Arrays, scale: float, causal: bool) -> Arrays:
    """By torch's automatic differentiation of attention, sequence by sequence."""
    import torch

    tensors = to_torch(inputs)
    parts = [tensors[name].requires_grad_() for name in ("query", "key", "value")]
    for first, end in pairwise(tensors["cu_seqlens"].tolist()):
        part = slice(first, end)
        visible = torch.ones(end - first, end - first, dtype=torch.bool)
        query, key, value = (tensor[part] for tensor in parts)
        out = torch_attention(query, key, value, scale, visible.tril() if causal else visible)
        out.backward(tensors["grad"][part])
    grads = (torch.zeros_like(tensor) if tensor.grad is None else tensor.grad for tensor in parts)
    return {name: grad.numpy() for name, grad in zip(("dq", "dk", "dv"), grads, strict=True)}


def numpy_golden(inputs: Arrays, scale: float, causal: bool) -> Arrays:
    """By the formula: all weights of a head at once."""
    wide = to_float64(inputs)
    query, key, value, grad = (wide[name] for name in ("query", "key", "value", "grad"))
    dq, dk, dv = np.zeros_like(query), np.zeros_like(key), np.zeros_like(value)
    group = query.shape[1] // key.shape[1]
    for first, end in pairwise(inputs["cu_seqlens"].tolist()):
        rows = slice(first, end)
        hidden = ~causal_mask(end - first, end - first) if causal else False
        for head in range(query.shape[1]):
            q, k, v, g = query[rows, head], key[rows, head // group], value[rows, head // group], grad[rows, head]
            scores = np.where(hidden, -np.inf, q @ k.T * scale)
            weights = np.exp(scores - scores.max(axis=1, keepdims=True, initial=-1e300))
            weights /= weights.sum(axis=1, keepdims=True)
            pull = g @ v.T
            slopes = weights * (pull - (weights * pull).sum(axis=1, keepdims=True)) * scale
            dq[rows, head] = slopes @ k
            dk[rows, head // group] += slopes.T @ q
            dv[rows, head // group] += weights.T @ g
    return {"dq": dq, "dk": dk, "dv": dv}
