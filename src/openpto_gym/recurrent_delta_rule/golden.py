"""The goldens of recurrent_delta_rule, in float64; states whose slot no sequence has stay."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from openpto_gym.gated_delta_rule.golden import L2_EPSILON, normalised
from openpto_gym.operator import Arrays, to_float64, to_torch


def torch_golden(inputs: Arrays) -> Arrays:
    """All heads at once, as sums over index letters."""
    import torch

    tensors = to_torch(inputs)
    query, key, value = tensors["query"], tensors["key"], tensors["value"]
    group = value.shape[1] // query.shape[1]
    query, key = (
        (x * torch.rsqrt(x.square().sum(-1, keepdim=True) + L2_EPSILON)).repeat_interleave(group, dim=1)
        for x in (query, key)
    )
    query = query * query.shape[-1] ** -0.5
    out, states = torch.zeros_like(value), tensors["states"].clone()
    for slot, (first, end) in zip(tensors["slots"].tolist(), pairwise(tensors["cu_seqlens"].tolist()), strict=True):
        state = states[slot]
        for t in range(first, end):
            state = state * tensors["gate"][t].exp()[:, None, :]
            missed = value[t] - torch.einsum("nvk,nk->nv", state, key[t])
            state = state + torch.einsum("n,nv,nk->nvk", tensors["beta"][t], missed, key[t])
            out[t] = torch.einsum("nvk,nk->nv", state, query[t])
        states[slot] = state
    return {"out": out.numpy(), "states_out": states.numpy()}


def numpy_golden(inputs: Arrays) -> Arrays:
    """Head by head, a correction as an outer product."""
    wide = to_float64(inputs)
    q, k = normalised(wide["query"]) / np.sqrt(wide["query"].shape[-1]), normalised(wide["key"])
    value, out, states = wide["value"], np.zeros_like(wide["value"]), wide["states"].copy()
    group = value.shape[1] // q.shape[1]
    for slot, (first, end) in zip(inputs["slots"].tolist(), pairwise(inputs["cu_seqlens"].tolist()), strict=True):
        for head in range(value.shape[1]):
            state = states[slot, head]
            for t in range(first, end):
                state = state * np.exp(wide["gate"][t, head])
                missed = wide["beta"][t, head] * (value[t, head] - state @ k[t, head // group])
                state = state + np.outer(missed, k[t, head // group])
                out[t, head] = state @ q[t, head // group]
            states[slot, head] = state
    return {"out": out, "states_out": states}
