"""The goldens of kv_cache_write: copies, in float64."""

from __future__ import annotations

from openpto_gym.operator import Arrays, to_float64, to_torch


def torch_golden(inputs: Arrays) -> Arrays:
    """By index_put on the caches seen as rows; of tokens for one slot only the last is kept."""
    import torch

    tensors = to_torch(inputs)
    last = {slot: t for t, slot in enumerate(tensors["slots"].tolist()) if slot >= 0}
    rows, tokens = torch.tensor(list(last), dtype=torch.long), torch.tensor(list(last.values()), dtype=torch.long)
    outputs = {}
    for name in ("key", "value"):
        cache = tensors[f"{name}_cache"].clone()
        cache.flatten(0, 1).index_put_((rows,), tensors[name][tokens])
        outputs[f"{name}_cache"] = cache.numpy()
    return outputs


def numpy_golden(inputs: Arrays) -> Arrays:
    """Token by token."""
    wide = to_float64(inputs)
    outputs = {}
    for name in ("key", "value"):
        cache = wide[f"{name}_cache"].copy()
        for t, slot in enumerate(inputs["slots"].tolist()):
            if slot >= 0:
                cache[slot // cache.shape[1], slot % cache.shape[1]] = wide[name][t]
        outputs[f"{name}_cache"] = cache
    return outputs
