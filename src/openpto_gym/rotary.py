# mypy: ignore-errors
# (tensors of a kernel while it is traced)
"""Rotary position embedding on blocks of heads; shared by the kernels of this package."""

import pypto
from openpto_gym.precision import widened
from openpto_gym.tiles import vector_tile


def angle_halves(table, token, live, rows, width):
    """The halves of a block of `rows` tokens of a table [T, width], in FP32, as [rows, 1, width // 2] for all heads."""
    half = width // 2
    halves = []
    for column in (0, half):
        pypto.set_vec_tile_shapes(*vector_tile([rows, half]))
        block = widened(pypto.view(table, [rows, half], [token, column], valid_shape=[live, half]))
        halves.append(pypto.reshape(block, [rows, 1, half], valid_shape=[live, 1, half]))
    return halves


def head_halves(source, token, live, rows, heads, width):
    """The halves of the first `width` columns of `rows` tokens of a tensor [T, heads, D], in FP32."""
    half = width // 2
    pypto.set_vec_tile_shapes(*vector_tile([rows, heads, half]))
    valid = [live, heads, half]
    return [
        widened(pypto.view(source, [rows, heads, half], [token, 0, column], valid_shape=valid)) for column in (0, half)
    ]


def rotated(halves, cosines, sines):
    """The pairs (left[i], right[i]) turned by their angles; the angles of the two halves need not be the same."""
    left, right = halves
    return left * cosines[0] - right * sines[0], right * cosines[1] + left * sines[1]
