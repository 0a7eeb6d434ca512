# mypy: ignore-errors
# (the annotations of a kernel's tensors are values, not types)
"""The kernel: gradients of attention for queries, keys and values, from the saved row maxima and sums.

Two passes over pairs of blocks: rows of queries collect dq, rows of keys collect dk and dv. Weights are computed again
from the scores; nothing of size Tq x Tk is stored.
"""

import pypto
from openpto_gym import flash
from openpto_gym.flash import BLOCK
from openpto_gym.precision import rounded, widened


def load(source, token, head, live, width):
    """A block [BLOCK, width] of one head of a packed tensor."""
    return flash.rows_of(source, [BLOCK, 1, width], [token, head, 0], [live, 1, width])


def column(source, token, head, live):
    """A block [BLOCK, 1] of one head of the statistics [T, N]."""
    return pypto.view(source, [BLOCK, 1], [token, head], valid_shape=[live, 1])


def store(block, token, head, live, width, out):
    """A block [BLOCK, width] into one head of a packed tensor."""
    result = rounded(block, out.dtype)
    pypto.set_vec_tile_shapes(BLOCK, 1, width)
    pypto.assemble(pypto.reshape(result, [BLOCK, 1, width], valid_shape=[live, 1, width]), [token, head, 0], out)


def scores_of(q, k, row_max, row_sum, i, j, live_q, live_k, first, head, scale, causal):
    """The weights [BLOCK, BLOCK] of queries from i and keys from j on, again from the saved statistics."""
    scores = pypto.matmul(q, k, pypto.DT_FP32, b_trans=True) * scale
    weights = pypto.exp(scores - column(row_max, first + i, head, live_q)) / column(row_sum, first + i, head, live_q)
    if causal:
        visible = pypto.le(flash.positions(j, BLOCK, live_k, 1), flash.positions(i, BLOCK, live_q, 0))
        weights = pypto.where(visible, weights, 0.0)
    return weights


def slopes_of(weights, above, result, v, scale):
    """The gradients [BLOCK, BLOCK] of scores, from the gradient `above` of the rows `result` of the output."""
    mean = pypto.sum(widened(above) * widened(result), -1, True)
    return weights * (pypto.matmul(above, v, pypto.DT_FP32, b_trans=True) - mean) * scale


@pypto.frontend.jit
def attention_backward(
    query: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC, pypto.STATIC]),
    key: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC, pypto.STATIC]),
    value: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC, pypto.STATIC]),
    out: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC, pypto.STATIC]),
    row_max: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC], pypto.DT_FP32),
    row_sum: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC], pypto.DT_FP32),
    grad: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC, pypto.STATIC]),
    cu_seqlens: pypto.Tensor([pypto.DYNAMIC], pypto.DT_INT32),
    dq: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC, pypto.STATIC]),
    dk: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC, pypto.STATIC]),
    dv: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC, pypto.STATIC]),
    scale: float,
    causal: bool = False,
):
    """query, out, grad, dq [T, Nq, D]; key, value, dk, dv [T, Nkv, D], of one float dtype; statistics [T, Nq] in FP32.

    out, row_max and row_sum are the results of varlen_attention on the same arguments. T and B are dynamic.
    """
    heads, kv_heads, width = query.shape[1], key.shape[1], query.shape[2]
    group, sequences, fp32 = heads // kv_heads, cu_seqlens.shape[0] - 1, pypto.DT_FP32
    for b in pypto.loop(sequences, name="LOOP_B", idx_name="b"):
        first = cu_seqlens[b]
        length = cu_seqlens[b + 1] - first
        for head in pypto.loop(heads, name="LOOP_HEAD", idx_name="head"):
            for i in pypto.loop(0, length, BLOCK, name="LOOP_Q", idx_name="i"):
                live_q = (length - i).min(BLOCK)
                q, above = load(query, first + i, head, live_q, width), load(grad, first + i, head, live_q, width)
                result = load(out, first + i, head, live_q, width)
                total = pypto.full([BLOCK, width], 0.0, fp32, valid_shape=[live_q, width])
                end = i + live_q if causal else length
                for j in pypto.loop(0, end, BLOCK, name="LOOP_K", idx_name="j"):
                    live_k = (end - j).min(BLOCK)
                    k = load(key, first + j, head // group, live_k, width)
                    v = load(value, first + j, head // group, live_k, width)
                    weights = scores_of(q, k, row_max, row_sum, i, j, live_q, live_k, first, head, scale, causal)
                    slopes = slopes_of(weights, above, result, v, scale)
                    total[:] = total + pypto.matmul(rounded(slopes, query.dtype), k, fp32)
                store(total, first + i, head, live_q, width, dq)
        for head in pypto.loop(kv_heads, name="LOOP_KV_HEAD", idx_name="head"):
            for j in pypto.loop(0, length, BLOCK, name="LOOP_K_ROWS", idx_name="j"):
                live_k = (length - j).min(BLOCK)
                k, v = load(key, first + j, head, live_k, width), load(value, first + j, head, live_k, width)
                total_k = pypto.full([BLOCK, width], 0.0, fp32, valid_shape=[live_k, width])
                total_v = pypto.full([BLOCK, width], 0.0, fp32, valid_shape=[live_k, width])
                for member in pypto.loop(group, name="LOOP_GROUP", idx_name="member"):
                    mine = head * group + member
                    begin = j if causal else 0
                    for i in pypto.loop(begin, length, BLOCK, name="LOOP_Q_ROWS", idx_name="i"):
                        live_q = (length - i).min(BLOCK)
                        q = load(query, first + i, mine, live_q, width)
                        above = load(grad, first + i, mine, live_q, width)
                        result = load(out, first + i, mine, live_q, width)
                        weights = scores_of(q, k, row_max, row_sum, i, j, live_q, live_k, first, mine, scale, causal)
                        slopes = rounded(slopes_of(weights, above, result, v, scale), query.dtype)
                        weights = rounded(weights, query.dtype)
                        total_k[:] = total_k + pypto.matmul(slopes, q, fp32, a_trans=True)
                        total_v[:] = total_v + pypto.matmul(weights, above, fp32, a_trans=True)
                store(total_k, first + j, head, live_k, width, dk)
                store(total_v, first + j, head, live_k, width, dv)
