"""The goldens of scatter_sub, in float64."""

from __future__ import annotations

import numpy as np

from openpto_gym.operator import Arrays, to_float64, to_torch


def torch_golden(inputs: Arrays) -> Arrays:
    """By torch.index_add."""
    import torch

    tensors = to_torch(inputs)
    return {"table": torch.index_add(tensors["table"], 0, tensors["indices"], -tensors["updates"]).numpy()}


def numpy_golden(inputs: Arrays) -> Arrays:
    """By np.subtract.at."""
    wide = to_float64(inputs)
    table = wide["table"].copy()
    np.subtract.at(table, inputs["indices"], wide["updates"])
    return {"table": table}
