"""The goldens of qkv_prologue, in float64 but for the quantisation, which is part of the formula."""

from __future__ import annotations

import numpy as np

from openpto_gym.operator import Array, Arrays, to_float64, to_torch
from openpto_gym.quantize_goldens import int8_rows, torch_int8_rows


def torch_golden(inputs: Arrays, heads: int, kv_heads: int, turned: int, epsilon: float) -> Arrays:
    """By torch.nn.functional.rms_norm, rotate_half and index_put."""
    import torch

    norm = torch.nn.functional.rms_norm
    tensors = to_torch(inputs)
    total = tensors["x"] + tensors["residual"]
    steps, scale = torch_int8_rows(norm(total, tuple(tensors["gamma"].shape), tensors["gamma"], eps=epsilon))
    both = (steps * scale) @ (tensors["weight"].double() * tensors["weight_scale"]) + tensors["bias"]
    each = both.unflatten(-1, (heads + 2 * kv_heads, -1))
    query, key, value = each.split([heads, kv_heads, kv_heads], dim=1)
    cos, sin = tensors["cos"][:, None], tensors["sin"][:, None]
    outputs = {"total": total}
    for name, x, gamma in (("query", query, tensors["gamma_q"]), ("key", key, tensors["gamma_k"])):
        x = norm(x, tuple(gamma.shape), gamma, eps=epsilon)
        part = x[..., :turned]
        left, right = part.chunk(2, dim=-1)
        part = part * cos + torch.cat([-right, left], dim=-1) * sin
        outputs[name] = torch.cat([part, x[..., turned:]], dim=-1).flatten(1)
    rows = tensors["slots"][:, 0].long()
    outputs["key_cache"] = tensors["key_cache"].index_put((rows,), outputs.pop("key"))
    outputs["value_cache"] = tensors["value_cache"].index_put((rows,), value.flatten(1))
    return {name: tensor.numpy() for name, tensor in outputs.items()}


def numpy_golden(inputs: Arrays, heads: int, kv_heads: int, turned: int, epsilon: float) -> Arrays:
    """By the formula, head by head, turning as complex numbers."""
    wide = to_float64(inputs)
    half = turned // 2
    turn = wide["cos"][:, :half] + 1j * wide["sin"][:, :half]

    def normed(x: Array, gamma: Array) -> Array:
        result: Array = x / np.sqrt(np.square(x).mean(axis=-1, keepdims=True) + epsilon) * gamma
        return result

    def turned_head(x: Array) -> Array:
        numbers = (x[:, :half] + 1j * x[:, half:turned]) * turn
        return np.concatenate([numbers.real, numbers.imag, x[:, turned:]], axis=1)

    total = wide["x"] + wide["residual"]
    steps, scale = int8_rows(normed(total, wide["gamma"]))
    both = steps @ wide["weight"].astype(float) * scale * wide["weight_scale"] + wide["bias"]
    each = np.split(both, heads + 2 * kv_heads, axis=1)
    query = [turned_head(normed(x, wide["gamma_q"])) for x in each[:heads]]
    key = [turned_head(normed(x, wide["gamma_k"])) for x in each[heads : heads + kv_heads]]
    caches = {name: wide[name].copy() for name in ("key_cache", "value_cache")}
    for t, slot in enumerate(inputs["slots"][:, 0].tolist()):
        caches["key_cache"][slot] = np.concatenate([x[t] for x in key])
        caches["value_cache"][slot] = np.concatenate([x[t] for x in each[heads + kv_heads :]])
    return {"total": total, "query": np.concatenate(query, axis=1), **caches}
