"""The goldens of mla_prologue: in float64, rounded to the dtype of the case where the kernel's cube unit wants it."""

from __future__ import annotations

from typing import Any

import numpy as np

from openpto_gym.operator import Array, Arrays, to_float64, to_torch


def torch_golden(inputs: Arrays, epsilon: float) -> Arrays:
    """By torch.nn.functional.rms_norm, torch.einsum over heads and strided slices."""
    import torch

    narrow = {"float32": torch.float32, "float16": torch.float16, "bfloat16": torch.bfloat16}[inputs["x"].dtype.name]
    norm = torch.nn.functional.rms_norm
    tensors = to_torch(inputs)
    x, cos, sin = tensors["x"], tensors["cos"], tensors["sin"]
    heads, plain, latent = tensors["w_uk"].shape

    def turned(y: Any, cos: Any, sin: Any) -> Any:
        even, odd = y[..., 0::2], y[..., 1::2]
        half = even.shape[-1]
        left = even * cos[..., :half] - odd * sin[..., :half]
        return torch.cat([left, odd * cos[..., half:] + even * sin[..., half:]], dim=-1)

    down = (
        norm(x @ tensors["w_dq"], tensors["gamma_q"].shape, tensors["gamma_q"], eps=epsilon).float().to(narrow).double()
    )
    up = (down @ tensors["w_uq"]).unflatten(-1, (heads, -1))
    without = up[..., :plain].float().to(narrow).double()
    both = x @ tensors["w_dkv"]
    shared = norm(both[:, :latent], (latent,), tensors["gamma_kv"], eps=epsilon)
    rows = tensors["slots"][:, 0].long()
    outputs = {
        "q_latent": torch.einsum("tnp,npl->tnl", without, tensors["w_uk"]),
        "q_rope": turned(up[..., plain:], cos[:, None], sin[:, None]),
        "latent_cache": tensors["latent_cache"].index_put((rows,), shared),
        "rope_cache": tensors["rope_cache"].index_put((rows,), turned(both[:, latent:], cos, sin)),
    }
    return {name: tensor.numpy() for name, tensor in outputs.items()}


def numpy_golden(inputs: Arrays, epsilon: float) -> Arrays:
    """By the formula, head by head, turning as complex numbers; both halves of the tables are alike."""
    wide = to_float64(inputs)
    heads, plain, latent = wide["w_uk"].shape
    half = wide["cos"].shape[1] // 2
    turn = wide["cos"][:, :half] + 1j * wide["sin"][:, :half]

    def short(y: Array) -> Array:
        return y.astype(np.float32).astype(inputs["x"].dtype).astype(np.float64)

    def normed(y: Array, gamma: Array) -> Array:
        result: Array = y / np.sqrt(np.square(y).mean(axis=-1, keepdims=True) + epsilon) * gamma
        return result

    def turned(y: Array) -> Array:
        numbers = (y[:, 0::2] + 1j * y[:, 1::2]) * turn
        return np.concatenate([numbers.real, numbers.imag], axis=1)

    up = short(normed(wide["x"] @ wide["w_dq"], wide["gamma_q"])) @ wide["w_uq"]
    both = wide["x"] @ wide["w_dkv"]
    q_latent, q_rope = np.empty((len(up), heads, latent)), np.empty((len(up), heads, 2 * half))
    for head, part in enumerate(np.split(up, heads, axis=1)):
        q_latent[:, head] = short(part[:, :plain]) @ wide["w_uk"][head]
        q_rope[:, head] = turned(part[:, plain:])
    caches = {name: wide[name].copy() for name in ("latent_cache", "rope_cache")}
    rows = inputs["slots"][:, 0]
    caches["latent_cache"][rows] = normed(both[:, :latent], wide["gamma_kv"])
    caches["rope_cache"][rows] = turned(both[:, latent:])
    return {"q_latent": q_latent, "q_rope": q_rope, **caches}
