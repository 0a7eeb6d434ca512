# mypy: ignore-errors
# (the annotations of a kernel's tensors are values, not types)
"""The kernel: a step of an LSTM whose gates are a sum of two projections, with normalised cell input and state.

Names follow the formula in README.md. One iteration takes one, two or four rows; all values are FP32 inside.
"""

from dataclasses import dataclass

import pypto
from openpto_gym.precision import rounded, widened
from openpto_gym.tiles import vector_tile

GELU_SLOPE = 1.702


@dataclass(frozen=True)
class SumLstmConfig:
    """``alpha`` scales the second projection; the epsilons keep the two normalisations away from zero."""

    alpha: float = 0.1
    eps_cell: float = 1e-6
    eps_state: float = 1e-6


DEFAULTS = SumLstmConfig()


def rms(x, width, epsilon):
    """Rows of x divided by their root mean square."""
    return x / pypto.sqrt(pypto.sum(x * x, -1, True) / width + epsilon)


def gelu(x):
    """The sigmoid form of gelu."""
    return x * pypto.sigmoid(x * GELU_SLOPE)


def part(source, row, column, size, width):
    """The window [size, width] at (row, column) of a tensor, in FP32."""
    return widened(pypto.view(source, [size, width], [row, column]))


@pypto.frontend.jit
def sum_lstm(
    states_4d: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC]),
    z4_4d: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC]),
    prev_cell: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC]),
    w_cell: pypto.Tensor([...]),
    b_cell: pypto.Tensor([...]),
    w_state: pypto.Tensor([...]),
    b_state: pypto.Tensor([...]),
    h_out: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC]),
    c_out: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC]),
    config: SumLstmConfig = DEFAULTS,
):
    """One step; shapes and formula in README.md. The batch is dynamic."""
    batch, width = prev_cell.shape
    pypto.set_vec_tile_shapes(*vector_tile([1, width]))
    row_shape = [1, width]
    w_c, b_c = widened(pypto.reshape(w_cell, row_shape)), widened(pypto.reshape(b_cell, row_shape))
    w_s, b_s = widened(pypto.reshape(w_state, row_shape)), widened(pypto.reshape(b_state, row_shape))
    for row, size in pypto.loop_unroll(0, batch, 1, unroll_list=[1, 2, 4], name="LOOP_B", idx_name="row"):
        pypto.set_vec_tile_shapes(*vector_tile([size, width]))
        gates = []
        for number in range(4):
            column = number * width
            state = part(states_4d, row, column, size, width)
            gates.append(state + part(z4_4d, row, column, size, width) * config.alpha)
        forget, enter, leave, candidate = gates
        candidate = gelu(rms(candidate, width, config.eps_cell) * w_c + b_c)
        cell = part(prev_cell, row, 0, size, width) * pypto.sigmoid(forget) + candidate * pypto.sigmoid(enter)
        hidden = gelu(rms(cell, width, config.eps_state) * w_s + b_s) * pypto.sigmoid(leave)
        pypto.assemble(rounded(hidden, h_out.dtype), [row, 0], h_out)
        pypto.assemble(rounded(cell, c_out.dtype), [row, 0], c_out)
