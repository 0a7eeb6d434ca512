"""The goldens of rope, in float64."""

from __future__ import annotations

import numpy as np

from openpto_gym.operator import Arrays, to_float64, to_torch


def torch_golden(inputs: Arrays, inverse: bool) -> Arrays:
    """By x * cos + rotate_half(x) * sin; the inverse as the gradient of that, by automatic differentiation."""
    import torch

    tensors = to_torch(inputs)
    x, cos, sin = tensors["x"], tensors["cos"][:, None], tensors["sin"][:, None]
    turned = cos.shape[-1]

    def forward(x: torch.Tensor) -> torch.Tensor:
        part, rest = x[..., :turned], x[..., turned:]
        left, right = part.chunk(2, dim=-1)
        return torch.cat([part * cos + torch.cat([-right, left], dim=-1) * sin, rest], dim=-1)

    if not inverse:
        return {"out": forward(x).numpy()}
    start = torch.zeros_like(x, requires_grad=True)
    (out,) = torch.autograd.grad(forward(start), start, x)
    return {"out": out.numpy()}


def numpy_golden(inputs: Arrays, inverse: bool) -> Arrays:
    """By a matrix of two rows and two columns for every pair of columns."""
    wide = to_float64(inputs)
    x, cos, sin = wide["x"], wide["cos"], wide["sin"]
    half = cos.shape[1] // 2
    turns = np.empty((len(x), half, 2, 2))
    turns[..., 0, 0], turns[..., 0, 1] = cos[:, :half], -sin[:, :half]
    turns[..., 1, 0], turns[..., 1, 1] = sin[:, half:], cos[:, half:]
    out = x.copy()
    pairs = np.stack([x[..., :half], x[..., half : 2 * half]], axis=-1)
    moved = np.einsum("tiba,tnib->tnia" if inverse else "tiab,tnib->tnia", turns, pairs)
    out[..., :half], out[..., half : 2 * half] = moved[..., 0], moved[..., 1]
    return {"out": out}
