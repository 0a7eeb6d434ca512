"""The host side: helper matrices, output buffers and one kernel call."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from openpto_gym.gated_delta_rule.kernel import build_kernel
from openpto_gym.operator import unwritten

Float32 = NDArray[np.float32]
CHUNK_SIZES = (32, 64, 128)


def chunk_size_for(lengths: NDArray[np.integer[Any]]) -> int:
    """The smallest of 32, 64 and 128 tokens that holds the longest sequence, or 128."""
    longest = int(lengths.max(initial=0))
    return next((size for size in CHUNK_SIZES if longest <= size), CHUNK_SIZES[-1])


def helper_matrices(size: int) -> tuple[Float32, Float32, Float32]:
    """`mask` (-1 below the diagonal, else 0), `tril_mask` (1 on and below it) and `eye`, FP32 `[size, size]` each."""
    ones = np.ones((size, size), np.float32)
    return -np.tril(ones, -1), np.tril(ones), np.eye(size, dtype=np.float32)


def run(
    query: Float32,
    key: Float32,
    value: Float32,
    beta: Float32,
    gate: Float32,
    states: Float32,
    act_seq_len: NDArray[np.int32],
    chunk_size: int | None = None,
) -> tuple[Float32, Float32]:
    """The outputs `core_attn_out` `[T, Nv, D]` and `last_state_data` `[B, Nv, D, D]` of a packed batch.

    Shapes as in README.md. `act_seq_len` holds the B + 1 prefix sums of the sequence lengths, from 0 to T;
    ValueError if it does not. `chunk_size` None chooses by the longest sequence.
    """
    lengths = np.diff(act_seq_len)
    if len(act_seq_len) != states.shape[0] + 1 or act_seq_len[0] != 0 or act_seq_len[-1] != query.shape[0]:
        raise ValueError("act_seq_len must hold one more entry than there are states, from 0 to the number of tokens")
    if np.any(lengths < 0):
        raise ValueError("act_seq_len must not decrease")
    size = chunk_size_for(lengths) if chunk_size is None else chunk_size
    kernel = build_kernel(query.shape[1], value.shape[1], query.shape[2], size)
    core_attn_out, last_state_data = unwritten(value), unwritten(states)
    inputs = (query, key, value, beta, gate, states, *helper_matrices(size), act_seq_len)
    kernel(*inputs, core_attn_out, last_state_data)
    return core_attn_out, last_state_data
