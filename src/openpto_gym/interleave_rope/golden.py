"""The goldens of interleave_rope, in float64."""

from __future__ import annotations

import numpy as np

from openpto_gym.operator import Arrays, to_float64, to_torch


def torch_golden(inputs: Arrays) -> Arrays:
    """By strided slices."""
    import torch

    tensors = to_torch(inputs)
    x, cos, sin = tensors["x"], tensors["cos"], tensors["sin"]
    even, odd = x[..., 0::2], x[..., 1::2]
    left = even * cos[..., 0::2] - odd * sin[..., 0::2]
    right = even * sin[..., 1::2] + odd * cos[..., 1::2]
    return {"out": torch.cat([left, right], dim=-1).numpy()}


def numpy_golden(inputs: Arrays) -> Arrays:
    """By rotate_half on de-interleaved columns: x * cos + rotate_half(x) * sin with everything reordered first."""
    wide = to_float64(inputs)
    width = wide["x"].shape[-1]
    order = np.concatenate([np.arange(0, width, 2), np.arange(1, width, 2)])
    x, cos, sin = (wide[name][..., order] for name in ("x", "cos", "sin"))
    swapped = np.roll(x, width // 2, axis=-1)
    signs = np.where(np.arange(width) < width // 2, -1.0, 1.0)
    return {"out": x * cos + signs * swapped * sin}
