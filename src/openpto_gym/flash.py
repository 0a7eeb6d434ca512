# mypy: ignore-errors
# (tensors of a kernel while it is traced)
"""The running softmax of the attention kernels of this package, and the blocks that it takes in.

Three tensors are kept per row while blocks of keys go by: the largest score so far, the sum of the weights relative to
it, and the weighted sum of values. A new maximum scales the other two down. A row that sees no key keeps zeros.
"""

import pypto
from openpto_gym.precision import rounded

BLOCK = 128
"""Queries and keys of a block: scores [128, 128] in FP32 fill L0A, which holds them for the product with the values."""

LOWEST = -1e30
"""Below every score; e to the power of any difference to it is 0, and its difference to itself is 0 and not NaN."""


def set_tiles(rows=BLOCK):
    """Tiles for scores [rows, BLOCK] and for products with up to BLOCK columns at a time."""
    pypto.set_vec_tile_shapes(min(rows, BLOCK // 2), BLOCK)
    pypto.set_cube_tile_shapes([rows, rows], [BLOCK, BLOCK], [BLOCK, BLOCK])


def rows_of(source, shape, offsets, valid):
    """A window of a tensor of any rank as [rows, width]: all axes of extent one but the rows and the last are dropped.

    `shape` has one axis besides the last that is not one; `valid` are its valid extents.
    """
    rows = next((axis for axis in range(len(shape) - 1) if shape[axis] > 1), 0)
    pypto.set_vec_tile_shapes(*shape[:-1], min(shape[-1], BLOCK))
    window = pypto.view(source, shape, offsets, valid_shape=valid)
    flat = pypto.reshape(window, [shape[rows], shape[-1]], valid_shape=[valid[rows], valid[-1]])
    set_tiles(shape[rows] if shape[rows] >= 16 else 16)
    return flat


def start(rows, width, live):
    """Largest score, sum of weights and weighted sum of values before the first key, for `live` of `rows` rows."""
    fp32 = pypto.DT_FP32
    return (
        pypto.full([rows, 1], LOWEST, fp32, valid_shape=[live, 1]),
        pypto.full([rows, 1], 0.0, fp32, valid_shape=[live, 1]),
        pypto.full([rows, width], 0.0, fp32, valid_shape=[live, width]),
    )


def fold(state, scores, values, visible=None):
    """Take in a block of scores [rows, BLOCK] and values [BLOCK, width]; what is not `visible` does not count."""
    largest, total, weighted = state
    if visible is not None:
        scores = pypto.where(visible, scores, LOWEST)
    peak = pypto.maximum(largest, pypto.amax(scores, -1, True))
    weights = pypto.exp(scores - peak)
    if visible is not None:
        weights = pypto.where(visible, weights, 0.0)
    shrink = pypto.exp(largest - peak)
    total[:] = total * shrink + pypto.sum(weights, -1, True)
    weighted[:] = weighted * shrink + weigh(weights, values)
    largest[:] = peak


def weigh(weights, values):
    """weights [rows, BLOCK] in FP32 times values [BLOCK, width], whose dtype the cube unit wants for both."""
    return pypto.matmul(rounded(weights, values.dtype), values, pypto.DT_FP32)


def finish(state):
    """The weighted means [rows, width]. The largest weight of a row is 1: only without keys is a sum below that."""
    _, total, weighted = state
    return weighted / pypto.maximum(total, 1.0)


def positions(first, count, live, axis):
    """first, first + 1, ... as FP32 along that axis of [count, 1] or [1, count], `live` of them valid."""
    shape, valid = ([count, 1], [live, 1]) if axis == 0 else ([1, count], [1, live])
    steps = pypto.view(pypto.reshape(pypto.arange(0.0, float(count)), shape), shape, [0, 0], valid_shape=valid)
    return steps + pypto.full(shape, first, pypto.DT_FP32, valid_shape=valid)
