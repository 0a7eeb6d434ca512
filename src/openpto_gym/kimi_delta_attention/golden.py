"""The goldens of kimi_delta_attention, in float64: token by token, and in chunks of another size."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from openpto_gym.gated_delta_rule.golden import normalised, torch_token_by_token
from openpto_gym.operator import Array, Arrays, to_float64


def torch_golden(inputs: Arrays) -> Arrays:
    """The recurrence, all heads at once."""
    out, states = torch_token_by_token(inputs, range(len(inputs["states"])), inputs["cu_seqlens"].tolist())
    return {"out": out, "states_out": states}


def numpy_golden(inputs: Arrays) -> Arrays:
    """In chunks of 7 tokens with a triangular solve; decays between two tokens as one exponential of a difference."""
    wide = to_float64(inputs)
    q, k = normalised(wide["query"]) / np.sqrt(wide["query"].shape[-1]), normalised(wide["key"])
    out, states = np.zeros_like(wide["value"]), wide["states"].copy()
    for b, (first, end) in enumerate(pairwise(inputs["cu_seqlens"].tolist())):
        for head in range(out.shape[1]):
            for low in range(first, end, 7):
                rows = slice(low, min(low + 7, end))
                parts = (q[rows, head], k[rows, head], wide["value"][rows, head])
                rates = wide["beta"][rows, head], wide["gate"][rows, head]
                out[rows, head], states[b, head] = _chunk(*parts, *rates, states[b, head])
    return {"out": out, "states_out": states}


def _chunk(q: Array, k: Array, v: Array, beta: Array, gate: Array, state: Array) -> tuple[Array, Array]:
    total = np.cumsum(gate, axis=0)
    lower = np.tril(np.ones((len(v), len(v))))
    decay = np.exp(np.where(lower[..., None] > 0, total[:, None] - total[None], -np.inf))
    system = np.eye(len(v)) + np.tril(np.einsum("i,id,jd,ijd->ij", beta, k, k, decay), -1)
    target = beta[:, None] * (v - (k * np.exp(total)) @ state.T)
    v_new = np.linalg.solve(system, target)
    out = (q * np.exp(total)) @ state.T + np.einsum("id,jd,ijd->ij", q, k, decay) @ v_new
    return out, state * np.exp(total[-1]) + v_new.T @ (k * np.exp(total[-1] - total))
