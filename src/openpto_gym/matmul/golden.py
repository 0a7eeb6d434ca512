"""The goldens of the matrix product, in float64."""

from __future__ import annotations

import numpy as np

from openpto_gym.operator import Arrays, to_float64, to_torch


def torch_golden(inputs: Arrays, a_trans: bool, b_trans: bool) -> Arrays:
    """By torch.matmul."""
    import torch

    tensors = to_torch(inputs)
    a, b = tensors["a"], tensors["b"]
    return {"out": torch.matmul(a.T if a_trans else a, b.T if b_trans else b).numpy()}


def numpy_golden(inputs: Arrays, a_trans: bool, b_trans: bool) -> Arrays:
    """By the formula, as a sum over index letters."""
    wide = to_float64(inputs)
    return {"out": np.einsum(f"{'km' if a_trans else 'mk'},{'nk' if b_trans else 'kn'}->mn", wide["a"], wide["b"])}
