"""The goldens of mla_decode, in float64."""

from __future__ import annotations

import numpy as np

from openpto_gym.attention_goldens import causal, numpy_attention, torch_attention
from openpto_gym.operator import Arrays, to_float64, to_torch
from openpto_gym.paging import tokens_of, torch_tokens_of


def torch_golden(inputs: Arrays, scale: float) -> Arrays:
    """As attention with one key head that is the latent vector and its rotary part joined."""
    import torch

    tensors = to_torch(inputs)
    query = torch.cat([tensors["q_latent"], tensors["q_rope"]], dim=-1)
    out = torch.empty_like(tensors["q_latent"])
    for b, length in enumerate(tensors["lengths"].tolist()):
        table = tensors["block_table"][b]
        latent = torch_tokens_of(tensors["latent_cache"], table, length)[:, None]
        turned = torch_tokens_of(tensors["rope_cache"], table, length)[:, None]
        visible = torch.ones(query.shape[1], length, dtype=torch.bool).tril(length - query.shape[1])
        out[b] = torch_attention(query[b], torch.cat([latent, turned], dim=-1), latent, scale, visible)
    return {"out": out.numpy()}


def numpy_golden(inputs: Arrays, scale: float) -> Arrays:
    """By the formula, the tokens found one by one."""
    wide = to_float64(inputs)
    query = np.concatenate([wide["q_latent"], wide["q_rope"]], axis=-1)
    out = np.empty_like(wide["q_latent"])
    for b, length in enumerate(inputs["lengths"].tolist()):
        table = inputs["block_table"][b]
        latent, turned = (tokens_of(wide[name], table, length)[:, None] for name in ("latent_cache", "rope_cache"))
        key = np.concatenate([latent, turned], axis=-1)
        out[b] = numpy_attention(query[b], key, latent, scale, causal(query.shape[1], length))
    return {"out": out}
