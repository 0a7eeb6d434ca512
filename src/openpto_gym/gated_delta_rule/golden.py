"""The goldens in float64: the rule token by token in torch and in numpy, and its chunked form."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from openpto_gym.operator import Arrays, to_torch

L2_EPSILON = 1e-6

Array = NDArray[np.floating[Any]]
Float64 = NDArray[np.float64]
SequenceRule = Callable[[Float64, Float64, Float64, Float64, Float64, Float64], tuple[Float64, Float64]]


def torch_golden(inputs: Arrays) -> Arrays:
    """The recurrence, all heads at once."""
    arrays = {**inputs, "gate": inputs["gate"][..., None]}
    out, states = torch_token_by_token(arrays, range(len(inputs["states"])), inputs["act_seq_len"].tolist())
    return {"core_attn_out": out, "last_state_data": states}


def torch_token_by_token(inputs: Arrays, slots: Iterable[int], ends: list[int]) -> tuple[Float64, Float64]:
    """The recurrence of a packed batch for all heads at once, as sums over index letters in torch.

    gate is `[T, Nv, 1 or Dk]`; sequence b begins at `ends[b]`, and its state is the one of its slot.
    """
    import torch

    tensors = to_torch(inputs)
    query, key, value = tensors["query"], tensors["key"], tensors["value"]
    group = value.shape[1] // query.shape[1]
    query, key = (
        (x * torch.rsqrt(x.square().sum(-1, keepdim=True) + L2_EPSILON)).repeat_interleave(group, dim=1)
        for x in (query, key)
    )
    query = query * query.shape[-1] ** -0.5
    decay, beta = tensors["gate"].exp()[:, :, None], tensors["beta"][..., None]
    outputs, states = torch.zeros_like(value), tensors["states"].clone()
    for slot, (first, end) in zip(slots, pairwise(ends), strict=True):
        state = states[slot]
        for t in range(first, end):
            state = state * decay[t]
            missed = value[t] - torch.einsum("nvk,nk->nv", state, key[t])
            state = state + torch.einsum("nv,nk->nvk", beta[t] * missed, key[t])
            outputs[t] = torch.einsum("nvk,nk->nv", state, query[t])
        states[slot] = state
    return outputs.numpy(), states.numpy()


def normalised(rows: Array) -> Float64:
    """Rows divided by their length, which is kept away from zero as the kernel does."""
    wide = rows.astype(np.float64)
    unit: Float64 = wide / np.sqrt((wide * wide).sum(axis=-1, keepdims=True) + L2_EPSILON)
    return unit


def token_by_token(
    q: Float64, k: Float64, v: Float64, beta: Float64, gate: Float64, state: Float64
) -> tuple[Float64, Float64]:
    """One sequence of one head as the recurrence states it.

    q, k `[n, Dk]` (normalised, q scaled), v `[n, Dv]`, beta `[n]`, gate `[n]` or `[n, 1 or Dk]`, state `[Dv, Dk]`. Per
    token the state decays, what it predicts for the key is corrected towards the value, and the query reads it.
    """
    outputs = np.zeros_like(v)
    for t in range(len(v)):
        state = state * np.exp(gate[t])
        correction = beta[t] * (v[t] - state @ k[t])
        state = state + np.outer(correction, k[t])
        outputs[t] = state @ q[t]
    return outputs, state


def chunked(
    q: Float64, k: Float64, v: Float64, beta: Float64, gate: Float64, state: Float64, size: int = 64
) -> tuple[Float64, Float64]:
    """The same as `token_by_token`, chunk by chunk with a triangular solve. Chunks are cut, never padded."""
    outputs = np.zeros_like(v)
    for low in range(0, len(v), size):
        rows = slice(low, min(low + size, len(v)))
        total = np.cumsum(gate[rows])
        spread = np.tril(total[:, None] - total[None, :])
        decay = np.tril(np.exp(spread))
        k_beta = k[rows] * beta[rows, None]
        system = np.eye(len(total)) + np.tril((k_beta @ k[rows].T) * decay, -1)
        target = v[rows] * beta[rows, None] - (k_beta * np.exp(total)[:, None]) @ state.T
        v_new = np.linalg.solve(system, target)
        outputs[rows] = (q[rows] * np.exp(total)[:, None]) @ state.T + ((q[rows] @ k[rows].T) * decay) @ v_new
        state = state * np.exp(total[-1]) + v_new.T @ (k[rows] * np.exp(total[-1] - total)[:, None])
    return outputs, state


def gated_delta_rule_golden(
    query: Array,
    key: Array,
    value: Array,
    beta: Array,
    gate: Array,
    states: Array,
    act_seq_len: NDArray[np.integer[Any]],
    *,
    rule: SequenceRule = token_by_token,
) -> tuple[Float64, Float64]:
    """The outputs of a packed batch in float64, with the shapes of the kernel's outputs.

    An empty sequence leaves its state as it was.
    """
    q = normalised(query) / np.sqrt(query.shape[-1])
    k = normalised(key)
    group = value.shape[1] // query.shape[1]
    outputs = np.zeros(value.shape, np.float64)
    last_states = np.zeros(states.shape, np.float64)
    for b in range(len(act_seq_len) - 1):
        tokens = slice(int(act_seq_len[b]), int(act_seq_len[b + 1]))
        for head in range(value.shape[1]):
            outputs[tokens, head], last_states[b, head] = rule(
                q[tokens, head // group],
                k[tokens, head // group],
                value[tokens, head].astype(np.float64),
                beta[tokens, head].astype(np.float64),
                gate[tokens, head].astype(np.float64),
                states[b, head].astype(np.float64),
            )
    return outputs, last_states
