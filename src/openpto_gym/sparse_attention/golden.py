"""The goldens of sparse_attention, in float64."""

from __future__ import annotations

import numpy as np

from openpto_gym.attention_goldens import numpy_attention, torch_attention
from openpto_gym.operator import Arrays, to_float64, to_torch


def torch_golden(inputs: Arrays, page_size: int, scale: float) -> Arrays:
    """Query by query: rows by torch.index_select, then attention with one key head."""
    import torch

    tensors = to_torch(inputs)
    query = torch.cat([tensors["q_latent"], tensors["q_rope"]], dim=-1)
    out = torch.empty_like(tensors["q_latent"])
    for t, count in enumerate(tensors["counts"].tolist()):
        tokens = tensors["chosen"][t, :count].long()
        pages = tensors["block_table"][tensors["owner"][t]].long()
        rows = pages[tokens // page_size] * page_size + tokens % page_size
        latent = torch.index_select(tensors["latent_cache"], 0, rows)[:, None]
        turned = torch.index_select(tensors["rope_cache"], 0, rows)[:, None]
        out[t] = torch_attention(query[t : t + 1], torch.cat([latent, turned], dim=-1), latent, scale)[0]
    return {"out": out.numpy()}


def numpy_golden(inputs: Arrays, page_size: int, scale: float) -> Arrays:
    """By the formula, the tokens found one by one."""
    wide = to_float64(inputs)
    out = np.empty_like(wide["q_latent"])
    for t, count in enumerate(inputs["counts"].tolist()):
        pages = inputs["block_table"][inputs["owner"][t]]
        tokens = inputs["chosen"][t, :count].tolist()
        rows = np.array([pages[token // page_size] * page_size + token % page_size for token in tokens], int)
        latent = wide["latent_cache"][rows][:, None]
        key = np.concatenate([latent, wide["rope_cache"][rows][:, None]], axis=-1)
        query = np.concatenate([wide["q_latent"][t], wide["q_rope"][t]], axis=-1)[None]
        out[t] = numpy_attention(query, key, latent, scale)[0]
    return {"out": out}
