# mypy: ignore-errors
# (the annotations of a kernel's tensors are values, not types)
"""The kernel: every token goes to the slot that is named for it, or nowhere."""

import pypto
from openpto_gym.tiles import vector_tile


@pypto.frontend.jit
def kv_cache_write(
    key: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC, pypto.STATIC]),
    value: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC, pypto.STATIC]),
    slots: pypto.Tensor([pypto.DYNAMIC], pypto.DT_INT32),
    key_cache: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC, pypto.STATIC, pypto.STATIC]),
    value_cache: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC, pypto.STATIC, pypto.STATIC]),
):
    """key, value [T, N, D] into the caches [blocks, size, N, D], both changed; of one dtype. T and blocks are dynamic.

    Token t goes to row slots[t] % size of block slots[t] // size; a negative slot drops it. Of two tokens for one slot
    the last one stays.
    """
    tokens, heads, width = key.shape
    size = key_cache.shape[1]
    for t in pypto.loop(tokens, name="LOOP_T", idx_name="t"):
        slot = slots[t]
        if slot >= 0:
            place = [slot // size, slot % size, 0, 0]
            for source, cache in ((key, key_cache), (value, value_cache)):
                pypto.set_vec_tile_shapes(*vector_tile([1, heads, width]))
                row = pypto.view(source, [1, heads, width], [t, 0, 0])
                pypto.assemble(pypto.reshape(row, [1, 1, heads, width]), place, cache)
