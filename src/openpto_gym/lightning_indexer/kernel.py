# mypy: ignore-errors
# (the annotations of a kernel's tensors are values, not types)
"""The kernel: scores of all earlier tokens of a sequence, page by page, and the best of them so far."""

import pypto
from openpto_gym import flash
from openpto_gym.precision import widened

LOWEST = flash.LOWEST
"""The score of a place that no token has."""


def scores_of(q, weight, keys):
    """[1, size]: the sum over heads of weight * relu(q . key), q [N, D], weight [N, 1], keys [size, D]."""
    each = pypto.relu(pypto.matmul(q, keys, pypto.DT_FP32, b_trans=True))
    return pypto.sum(each * weight, 0, True)


@pypto.frontend.jit
def lightning_indexer(
    query: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC, pypto.STATIC, pypto.STATIC]),
    weights: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC, pypto.STATIC]),
    key_cache: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC, pypto.STATIC]),
    block_table: pypto.Tensor([pypto.DYNAMIC, pypto.DYNAMIC], pypto.DT_INT32),
    lengths: pypto.Tensor([pypto.DYNAMIC], pypto.DT_INT32),
    scores: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC, pypto.STATIC], pypto.DT_FP32),
    chosen: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC, pypto.STATIC], pypto.DT_INT32),
):
    """query [B, S, N, D], weights [B, S, N], key_cache [blocks, size, D], of one float dtype; scores, chosen [B, S, K].

    Query s of a sequence sees its first lengths[b] - S + s + 1 tokens; of those the K with the greatest scores are
    chosen, best first, of equal ones the earlier. Places behind the last token have -1 and the score LOWEST. B, blocks
    and the width of the block table are dynamic.
    """
    batch, steps, heads, width = query.shape
    size, count = key_cache.shape[1], chosen.shape[2]
    for b in pypto.loop(batch, name="LOOP_B", idx_name="b"):
        for s in pypto.loop(steps, name="LOOP_S", idx_name="s"):
            seen = (lengths[b] - (steps - 1) + s).max(0)
            q = flash.rows_of(query, [1, 1, heads, width], [b, s, 0, 0], [1, 1, heads, width])
            pypto.set_vec_tile_shapes(1, 1, heads)
            weight = widened(pypto.reshape(pypto.view(weights, [1, 1, heads], [b, s, 0]), [heads, 1]))
            pypto.set_vec_tile_shapes(1, count + size)
            best = pypto.full([1, count], LOWEST, pypto.DT_FP32)
            places = pypto.full([1, count], -1, pypto.DT_INT32)
            for page in pypto.loop(pypto.ceildiv(seen, size), name="LOOP_PAGE", idx_name="page"):
                live = (seen - page * size).min(size)
                block = [block_table[b, page], 0, 0]
                keys = flash.rows_of(key_cache, [1, size, width], block, [1, live, width])
                found = pypto.fillpad(scores_of(q, weight, keys), "constant", LOWEST)
                pypto.set_vec_tile_shapes(1, count + size)
                tokens = pypto.reshape(pypto.arange(0, size), [1, size]) + pypto.full(
                    [1, size], page * size, pypto.DT_INT32
                )
                best_now, order = pypto.topk(pypto.concat([best, found], 1), count)
                places[:] = pypto.gather(pypto.concat([places, tokens], 1), 1, order)
                best[:] = best_now
            pypto.set_vec_tile_shapes(1, 1, count)
            places = pypto.where(pypto.gt(best, LOWEST), places, -1)
            pypto.assemble(pypto.reshape(best, [1, 1, count]), [b, s, 0], scores)
            pypto.assemble(pypto.reshape(places, [1, 1, count]), [b, s, 0], chosen)
