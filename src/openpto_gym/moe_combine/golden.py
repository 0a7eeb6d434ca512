"""The goldens of moe_combine, in float64."""

from __future__ import annotations

import numpy as np

from openpto_gym.operator import Arrays, to_float64, to_torch


def torch_golden(inputs: Arrays) -> Arrays:
    """By gathered rows, a mask and a sum over index letters."""
    import torch

    tensors = to_torch(inputs)
    places, experts = tensors["places"].long(), tensors["experts"].long()
    if not len(places):
        return {"out": tensors["residual"].numpy()}
    each = tensors["rows"][places.clamp(min=0)] + tensors["bias"][experts.clamp(min=0)]
    each = each.masked_fill((places < 0)[..., None], 0.0)
    return {"out": (tensors["residual"] + torch.einsum("tk,tkh->th", tensors["weights"], each)).numpy()}


def numpy_golden(inputs: Arrays) -> Arrays:
    """Choice by choice."""
    wide = to_float64(inputs)
    out = wide["residual"].copy()
    for t, k in np.argwhere(inputs["places"] >= 0):
        out[t] += wide["weights"][t, k] * (wide["rows"][inputs["places"][t, k]] + wide["bias"][inputs["experts"][t, k]])
    return {"out": out}
