"""The goldens of qk_norm_rope, in float64."""

from __future__ import annotations

import numpy as np

from openpto_gym.operator import Array, Arrays, to_float64, to_torch


def torch_golden(inputs: Arrays, epsilon: float) -> Arrays:
    """By torch.nn.functional.rms_norm and rotate_half."""
    import torch

    tensors = to_torch(inputs)
    cos, sin = tensors["cos"][:, None], tensors["sin"][:, None]
    outputs = {}
    for name, gamma in (("query", tensors["gamma_q"]), ("key", tensors["gamma_k"])):
        x = torch.nn.functional.rms_norm(tensors[name], tuple(gamma.shape), gamma, eps=epsilon)
        left, right = x.chunk(2, dim=-1)
        outputs[f"{name}_out"] = (x * cos + torch.cat([-right, left], dim=-1) * sin).numpy()
    return outputs


def numpy_golden(inputs: Arrays, epsilon: float) -> Arrays:
    """By the formula, the rotation as a product of complex numbers where both halves have the same angles."""
    wide = to_float64(inputs)
    half = wide["cos"].shape[1] // 2
    turn = (wide["cos"][:, :half] + 1j * wide["sin"][:, :half])[:, None]

    def turned(x: Array, gamma: Array) -> Array:
        normed = x / np.sqrt(np.square(x).mean(axis=-1, keepdims=True) + epsilon) * gamma
        numbers = (normed[..., :half] + 1j * normed[..., half:]) * turn
        return np.concatenate([numbers.real, numbers.imag], axis=-1)

    return {
        "query_out": turned(wide["query"], wide["gamma_q"]),
        "key_out": turned(wide["key"], wide["gamma_k"]),
    }
