"""The host side: weights that were left out, output buffers and one kernel call."""

from __future__ import annotations

import numpy as np

from openpto_gym.operator import Array, unwritten
from openpto_gym.sum_lstm.kernel import DEFAULTS, SumLstmConfig, sum_lstm


def run(
    states_4d: Array,
    z4_4d: Array,
    prev_cell: Array,
    w_cell: Array | None = None,
    b_cell: Array | None = None,
    w_state: Array | None = None,
    b_state: Array | None = None,
    config: SumLstmConfig = DEFAULTS,
) -> tuple[Array, Array]:
    """`h_out` and `c_out` [B, H] of one step. A weight that is None counts as ones, a bias that is None as zeros."""
    width = prev_cell.shape[1]
    ones, zeros = np.ones(width, prev_cell.dtype), np.zeros(width, prev_cell.dtype)
    weights = (
        ones if w_cell is None else w_cell,
        zeros if b_cell is None else b_cell,
        # A buffer of its own: memory that is passed twice is one tensor and a compilation of its own.
        ones.copy() if w_state is None else w_state,
        zeros.copy() if b_state is None else b_state,
    )
    h_out, c_out = unwritten(prev_cell), unwritten(prev_cell)
    sum_lstm(states_4d, z4_4d, prev_cell, *weights, h_out, c_out, config=config)
    return h_out, c_out
