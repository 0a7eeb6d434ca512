# mypy: ignore-errors
# (the annotations of a kernel's tensors are values, not types)
"""The kernel: attention inside each of a batch of packed sequences, causal or not, with row maxima and sums."""

import pypto
from openpto_gym import flash
from openpto_gym.flash import BLOCK
from openpto_gym.precision import rounded


@pypto.frontend.jit
def varlen_attention(
    query: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC, pypto.STATIC]),
    key: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC, pypto.STATIC]),
    value: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC, pypto.STATIC]),
    cu_seqlens: pypto.Tensor([pypto.DYNAMIC], pypto.DT_INT32),
    out: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC, pypto.STATIC]),
    row_max: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC], pypto.DT_FP32),
    row_sum: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC], pypto.DT_FP32),
    scale: float,
    causal: bool = False,
):
    """query, out [T, Nq, D]; key, value [T, Nkv, D], of one float dtype; row_max, row_sum [T, Nq] in FP32.

    cu_seqlens [B + 1] are prefix sums of the lengths; T and B are dynamic. row_max is the largest scaled score of a
    row, row_sum the sum of exp(score - row_max).
    """
    heads, width = query.shape[1], query.shape[2]
    group, sequences = heads // key.shape[1], cu_seqlens.shape[0] - 1
    for b in pypto.loop(sequences, name="LOOP_B", idx_name="b"):
        first = cu_seqlens[b]
        length = cu_seqlens[b + 1] - first
        for head in pypto.loop(heads, name="LOOP_HEAD", idx_name="head"):
            for i in pypto.loop(0, length, BLOCK, name="LOOP_Q", idx_name="i"):
                live_q = (length - i).min(BLOCK)
                q = flash.rows_of(query, [BLOCK, 1, width], [first + i, head, 0], [live_q, 1, width])
                state = flash.start(BLOCK, width, live_q)
                rows = flash.positions(i, BLOCK, live_q, 0)
                end = i + live_q if causal else length
                for j in pypto.loop(0, end, BLOCK, name="LOOP_K", idx_name="j"):
                    live_k = (end - j).min(BLOCK)
                    place, valid = [first + j, head // group, 0], [live_k, 1, width]
                    k = flash.rows_of(key, [BLOCK, 1, width], place, valid)
                    v = flash.rows_of(value, [BLOCK, 1, width], place, valid)
                    scores = pypto.matmul(q, k, pypto.DT_FP32, b_trans=True) * scale
                    visible = pypto.le(flash.positions(j, BLOCK, live_k, 1), rows) if causal else None
                    flash.fold(state, scores, v, visible)
                largest, total, _ = state
                pypto.assemble(largest, [first + i, head], row_max)
                pypto.assemble(total, [first + i, head], row_sum)
                result = rounded(flash.finish(state), out.dtype)
                pypto.set_vec_tile_shapes(BLOCK, 1, width)
                block = pypto.reshape(result, [BLOCK, 1, width], valid_shape=[live_q, 1, width])
                pypto.assemble(block, [first + i, head, 0], out)
