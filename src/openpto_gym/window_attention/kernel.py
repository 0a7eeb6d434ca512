# mypy: ignore-errors
# (the annotations of a kernel's tensors are values, not types)
"""The kernel: a query sees its own position and those before it within a window; a sink takes a share of its weight."""

import pypto
from openpto_gym import flash
from openpto_gym.flash import BLOCK
from openpto_gym.precision import rounded


def finish_with_sink(state, sink):
    """The weighted means where a key of score `sink` [1, 1], which has no value, shares in the weights."""
    largest, total, weighted = state
    peak = pypto.maximum(largest, sink)
    shrink = pypto.exp(largest - peak)
    return weighted * shrink / (total * shrink + pypto.exp(sink - peak))


@pypto.frontend.jit
def window_attention(
    query: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC, pypto.STATIC]),
    key: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC, pypto.STATIC]),
    value: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC, pypto.STATIC]),
    sink: pypto.Tensor([pypto.STATIC], pypto.DT_FP32),
    cu_seqlens: pypto.Tensor([pypto.DYNAMIC], pypto.DT_INT32),
    out: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC, pypto.STATIC]),
    window: int,
    scale: float,
):
    """query, out [T, Nq, D]; key, value [T, Nkv, D], packed sequences of one float dtype; sink [Nq] in FP32.

    cu_seqlens [B + 1] are prefix sums of the lengths. The row at position p of a sequence sees keys p - window + 1 to
    p. T and B are dynamic, `window` is a constant of the compilation.
    """
    heads, width = query.shape[1], query.shape[2]
    group, sequences = heads // key.shape[1], cu_seqlens.shape[0] - 1
    for b in pypto.loop(sequences, name="LOOP_B", idx_name="b"):
        first = cu_seqlens[b]
        length = cu_seqlens[b + 1] - first
        for head in pypto.loop(heads, name="LOOP_HEAD", idx_name="head"):
            pypto.set_vec_tile_shapes(1, 16)
            share = pypto.reshape(pypto.view(sink, [1], [head]), [1, 1])
            for i in pypto.loop(0, length, BLOCK, name="LOOP_Q", idx_name="i"):
                live_q = (length - i).min(BLOCK)
                q = flash.rows_of(query, [BLOCK, 1, width], [first + i, head, 0], [live_q, 1, width])
                state = flash.start(BLOCK, width, live_q)
                rows = flash.positions(i, BLOCK, live_q, 0)
                oldest = (i - (window - 1)).max(0)
                for j in pypto.loop(oldest, i + live_q, BLOCK, name="LOOP_K", idx_name="j"):
                    live_k = (i + live_q - j).min(BLOCK)
                    place, valid = [first + j, head // group, 0], [live_k, 1, width]
                    k = flash.rows_of(key, [BLOCK, 1, width], place, valid)
                    v = flash.rows_of(value, [BLOCK, 1, width], place, valid)
                    scores = pypto.matmul(q, k, pypto.DT_FP32, b_trans=True) * scale
                    cols = flash.positions(j, BLOCK, live_k, 1)
                    visible = pypto.logical_and(pypto.le(cols, rows), pypto.gt(cols, rows - float(window)))
                    flash.fold(state, scores, v, visible)
                result = rounded(finish_with_sink(state, share), out.dtype)
                pypto.set_vec_tile_shapes(BLOCK, 1, width)
                block = pypto.reshape(result, [BLOCK, 1, width], valid_shape=[live_q, 1, width])
                pypto.assemble(block, [first + i, head, 0], out)
