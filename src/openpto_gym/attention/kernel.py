# mypy: ignore-errors
# (the annotations of a kernel's tensors are values, not types)
"""The kernel: attention without a mask, blocks of keys folded into a running softmax.

For a block of queries three tensors are kept while the blocks of keys go by: the largest score of every row so far, the
sum of the weights relative to it, and the weighted sum of values. A new maximum scales the other two down.
"""

import pypto
from openpto_gym.precision import rounded

BLOCK = 128
"""Queries and keys of a block: scores [128, 128] in FP32 fill L0A, which holds them for the product with the values."""

MAX_WIDTH = 128


def load_block(source, b, start, head, live, width):
    """The block [BLOCK, width] of one head of a tensor [B, T, N, width], of which `live` rows are valid."""
    pypto.set_vec_tile_shapes(1, BLOCK, 1, width)
    block = pypto.view(source, [1, BLOCK, 1, width], [b, start, head, 0], valid_shape=[1, live, 1, width])
    block = pypto.reshape(block, [BLOCK, width], valid_shape=[live, width])
    pypto.set_vec_tile_shapes(BLOCK // 2, BLOCK)
    return block


@pypto.frontend.jit
def attention(
    query: pypto.Tensor([pypto.DYNAMIC, pypto.DYNAMIC, pypto.STATIC, pypto.STATIC]),
    key: pypto.Tensor([pypto.DYNAMIC, pypto.DYNAMIC, pypto.STATIC, pypto.STATIC]),
    value: pypto.Tensor([pypto.DYNAMIC, pypto.DYNAMIC, pypto.STATIC, pypto.STATIC]),
    out: pypto.Tensor([pypto.DYNAMIC, pypto.DYNAMIC, pypto.STATIC, pypto.STATIC]),
    scale: float,
):
    """out = softmax(scale * query @ key^T) @ value per batch entry and head.

    query, out [B, Tq, Nq, D]; key, value [B, Tk, Nkv, D]; of one float dtype, softmax and sums in FP32. Query head h
    uses key head h // (Nq // Nkv). B, Tq and Tk are dynamic, Tk at least 1.
    """
    batch, queries, heads, width = query.shape
    keys, group = key.shape[1], heads // key.shape[2]
    fp32 = pypto.DT_FP32
    pypto.set_cube_tile_shapes([BLOCK, BLOCK], [BLOCK, BLOCK], [BLOCK, BLOCK])
    for b in pypto.loop(batch, name="LOOP_B", idx_name="b"):
        for head in pypto.loop(heads, name="LOOP_HEAD", idx_name="head"):
            for i in pypto.loop(0, queries, BLOCK, name="LOOP_Q", idx_name="i"):
                live_q = (queries - i).min(BLOCK)
                q = load_block(query, b, i, head, live_q, width)
                largest = pypto.tensor([BLOCK, 1], fp32, "largest")
                total = pypto.tensor([BLOCK, 1], fp32, "total")
                weighted = pypto.tensor([BLOCK, width], fp32, "weighted")
                for j in pypto.loop(0, keys, BLOCK, name="LOOP_K", idx_name="j"):
                    live_k = (keys - j).min(BLOCK)
                    k = load_block(key, b, j, head // group, live_k, width)
                    v = load_block(value, b, j, head // group, live_k, width)
                    scores = pypto.matmul(q, k, fp32, b_trans=True) * scale
                    peak = pypto.amax(scores, -1, True)
                    if pypto.is_loop_begin(j):
                        weights = pypto.exp(scores - peak)
                        largest[:] = peak
                        total[:] = pypto.sum(weights, -1, True)
                        weighted[:] = weigh(weights, v)
                    else:
                        peak = pypto.maximum(largest, peak)
                        shrink = pypto.exp(largest - peak)
                        weights = pypto.exp(scores - peak)
                        largest[:] = peak
                        total[:] = total * shrink + pypto.sum(weights, -1, True)
                        weighted[:] = weighted * shrink + weigh(weights, v)
                result = rounded(weighted / total, out.dtype)
                pypto.set_vec_tile_shapes(1, BLOCK, 1, width)
                block = pypto.reshape(result, [1, BLOCK, 1, width], valid_shape=[1, live_q, 1, width])
                pypto.assemble(block, [b, i, head, 0], out)


def weigh(weights, values):
    """weights [BLOCK, BLOCK] in FP32 times values [BLOCK, D], whose dtype the cube unit wants for both."""
    return pypto.matmul(rounded(weights, values.dtype), values, pypto.DT_FP32)
