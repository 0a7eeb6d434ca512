"""The goldens of channel_sums, in float64."""

from __future__ import annotations

import numpy as np

from openpto_gym.operator import Arrays, to_float64, to_torch


def torch_golden(inputs: Arrays) -> Arrays:
    """By torch.sum and torch.linalg.vector_norm."""
    import torch

    channels = to_torch(inputs)["x"].transpose(0, 1).flatten(1)
    return {"total": channels.sum(1).numpy(), "square": torch.linalg.vector_norm(channels, dim=1).square().numpy()}


def numpy_golden(inputs: Arrays) -> Arrays:
    """As sums over index letters."""
    x = to_float64(inputs)["x"]
    return {"total": np.einsum("ncp->c", x), "square": np.einsum("ncp,ncp->c", x, x)}
