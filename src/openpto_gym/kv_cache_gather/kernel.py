# mypy: ignore-errors
# (the annotations of a kernel's tensors are values, not types)
"""The kernel: a range of the tokens of every sequence is copied from its pages, page by page, to one packed tensor."""

import pypto
from openpto_gym.tiles import vector_tile


@pypto.frontend.jit
def kv_cache_gather(
    cache: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC, pypto.STATIC, pypto.STATIC]),
    block_table: pypto.Tensor([pypto.DYNAMIC, pypto.DYNAMIC], pypto.DT_INT32),
    starts: pypto.Tensor([pypto.DYNAMIC], pypto.DT_INT32),
    cu_seqlens: pypto.Tensor([pypto.DYNAMIC], pypto.DT_INT32),
    out: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC, pypto.STATIC]),
):
    """cache [blocks, size, N, D], out [T, N, D] of one dtype; of sequence b the tokens from starts[b] on are copied.

    Their number is cu_seqlens[b + 1] - cu_seqlens[b], their place in out begins at cu_seqlens[b]. All counts are
    dynamic.
    """
    size, heads, width = cache.shape[1:]
    for b in pypto.loop(starts.shape[0], name="LOOP_B", idx_name="b"):
        start, place = starts[b], cu_seqlens[b]
        end = start + cu_seqlens[b + 1] - place
        for page in pypto.loop(start // size, pypto.ceildiv(end, size), name="LOOP_PAGE", idx_name="page"):
            low = start.max(page * size)
            live = end.min((page + 1) * size) - low
            pypto.set_vec_tile_shapes(*vector_tile([1, size, heads, width]))
            offsets = [block_table[b, page], low - page * size, 0, 0]
            rows = pypto.view(cache, [1, size, heads, width], offsets, valid_shape=[1, live, heads, width])
            pypto.set_vec_tile_shapes(*vector_tile([size, heads, width]))
            rows = pypto.reshape(rows, [size, heads, width], valid_shape=[live, heads, width])
            pypto.assemble(rows, [place + low - start, 0, 0], out)
