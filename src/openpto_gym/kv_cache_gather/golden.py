"""The goldens of kv_cache_gather: copies, in float64."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from openpto_gym.operator import Arrays, to_float64, to_torch
from openpto_gym.paging import tokens_of, torch_tokens_of


def torch_golden(inputs: Arrays) -> Arrays:
    """Whole pages by index, then the range."""
    import torch

    tensors = to_torch(inputs)
    cache, parts = tensors["cache"], [tensors["cache"].new_empty(0, *tensors["cache"].shape[2:])]
    ends = pairwise(tensors["cu_seqlens"].tolist())
    for pages, start, (first, last) in zip(tensors["block_table"], tensors["starts"].tolist(), ends, strict=True):
        parts.append(torch_tokens_of(cache, pages, start + last - first)[start:])
    return {"out": torch.cat(parts).numpy()}


def numpy_golden(inputs: Arrays) -> Arrays:
    """Token by token."""
    cache, ends = to_float64(inputs)["cache"], inputs["cu_seqlens"]
    out = np.empty((int(ends[-1]), *cache.shape[2:]))
    for b, start in enumerate(inputs["starts"].tolist()):
        end = start + int(ends[b + 1] - ends[b])
        out[ends[b] : ends[b + 1]] = tokens_of(cache, inputs["block_table"][b], end)[start:]
    return {"out": out}
