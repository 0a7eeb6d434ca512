"""The goldens of quant_matmul, in float64, where sums of products of INT8 are exact."""

from __future__ import annotations

import numpy as np

from openpto_gym.operator import Arrays, to_float64, to_torch


def torch_golden(inputs: Arrays) -> Arrays:
    """By torch.matmul of dequantised matrices."""
    import torch

    tensors = to_torch(inputs)
    left = tensors["a"].double() * tensors["a_scale"]
    return {"out": torch.addmm(tensors["bias"], left, tensors["b"].double() * tensors["b_scale"]).numpy()}


def numpy_golden(inputs: Arrays) -> Arrays:
    """By an integer product, then the scales."""
    wide = to_float64(inputs)
    total = inputs["a"].astype(np.int64) @ inputs["b"].astype(np.int64)
    return {"out": total * wide["a_scale"] * wide["b_scale"] + wide["bias"]}
