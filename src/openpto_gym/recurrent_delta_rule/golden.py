"""The goldens of recurrent_delta_rule, in float64; states whose slot no sequence has stay."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from openpto_gym.gated_delta_rule.golden import normalised, token_by_token, torch_token_by_token
from openpto_gym.operator import Arrays, to_float64


def torch_golden(inputs: Arrays) -> Arrays:
    """All heads at once, as sums over index letters."""
    out, states = torch_token_by_token(inputs, inputs["slots"].tolist(), inputs["cu_seqlens"].tolist())
    return {"out": out, "states_out": states}


def numpy_golden(inputs: Arrays) -> Arrays:
    """Head by head, a correction as an outer product."""
    wide = to_float64(inputs)
    q, k = normalised(wide["query"]) / np.sqrt(wide["query"].shape[-1]), normalised(wide["key"])
    value, out, states = wide["value"], np.zeros_like(wide["value"]), wide["states"].copy()
    group = value.shape[1] // q.shape[1]
    for slot, (first, end) in zip(inputs["slots"].tolist(), pairwise(inputs["cu_seqlens"].tolist()), strict=True):
        rows = slice(first, end)
        for head in range(value.shape[1]):
            parts = q[rows, head // group], k[rows, head // group], value[rows, head]
            rates = wide["beta"][rows, head], wide["gate"][rows, head]
            out[rows, head], states[slot, head] = token_by_token(*parts, *rates, states[slot, head])
    return {"out": out, "states_out": states}
