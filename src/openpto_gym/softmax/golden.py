"""The goldens of row softmax, in float64."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from openpto_gym.operator import Arrays, to_torch


def torch_golden(inputs: Arrays) -> Arrays:
    """By torch.softmax."""
    import torch

    return {"out": torch.softmax(to_torch(inputs)["x"], dim=-1).numpy()}


def row_softmax_golden(x: NDArray[Any]) -> NDArray[np.float64]:
    """By the formula: softmax over the last axis of `x` `[rows, cols]`."""
    wide = x.astype(np.float64)
    weights = np.exp(wide - wide.max(axis=-1, keepdims=True))
    golden: NDArray[np.float64] = weights / weights.sum(axis=-1, keepdims=True)
    return golden
