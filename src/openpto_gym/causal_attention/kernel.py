# mypy: ignore-errors
# (the annotations of a kernel's tensors are values, not types)
"""The kernel: a query sees the keys up to its own position; blocks above the diagonal are skipped."""

import pypto
from openpto_gym import flash
from openpto_gym.flash import BLOCK
from openpto_gym.precision import rounded


@pypto.frontend.jit
def causal_attention(
    query: pypto.Tensor([pypto.DYNAMIC, pypto.DYNAMIC, pypto.STATIC, pypto.STATIC]),
    key: pypto.Tensor([pypto.DYNAMIC, pypto.DYNAMIC, pypto.STATIC, pypto.STATIC]),
    value: pypto.Tensor([pypto.DYNAMIC, pypto.DYNAMIC, pypto.STATIC, pypto.STATIC]),
    out: pypto.Tensor([pypto.DYNAMIC, pypto.DYNAMIC, pypto.STATIC, pypto.STATIC]),
    scale: float,
):
    """query, out [B, Tq, Nq, D]; key, value [B, Tk, Nkv, D]; of one float dtype, softmax and sums in FP32.

    The last query has the position of the last key. Query head h uses key head h // (Nq // Nkv). B, Tq and Tk are
    dynamic.
    """
    batch, queries, heads, width = query.shape
    keys, group = key.shape[1], heads // key.shape[2]
    history = keys - queries
    for b in pypto.loop(batch, name="LOOP_B", idx_name="b"):
        for head in pypto.loop(heads, name="LOOP_HEAD", idx_name="head"):
            for i in pypto.loop(0, queries, BLOCK, name="LOOP_Q", idx_name="i"):
                live_q = (queries - i).min(BLOCK)
                q = flash.rows_of(query, [1, BLOCK, 1, width], [b, i, head, 0], [1, live_q, 1, width])
                state = flash.start(BLOCK, width, live_q)
                rows = flash.positions(history + i, BLOCK, live_q, 0)
                for j in pypto.loop(0, history + i + live_q, BLOCK, name="LOOP_K", idx_name="j"):
                    live_k = (keys - j).min(BLOCK)
                    place, valid = [b, j, head // group, 0], [1, live_k, 1, width]
                    k = flash.rows_of(key, [1, BLOCK, 1, width], place, valid)
                    v = flash.rows_of(value, [1, BLOCK, 1, width], place, valid)
                    scores = pypto.matmul(q, k, pypto.DT_FP32, b_trans=True) * scale
                    visible = pypto.le(flash.positions(j, BLOCK, live_k, 1), rows)
                    flash.fold(state, scores, v, visible)
                result = rounded(flash.finish(state), out.dtype)
                pypto.set_vec_tile_shapes(1, BLOCK, 1, width)
                block = pypto.reshape(result, [1, BLOCK, 1, width], valid_shape=[1, live_q, 1, width])
                pypto.assemble(block, [b, i, head, 0], out)
