# mypy: ignore-errors
# (the annotations of a kernel's tensors are values, not types)
"""The kernel: `table[indices] -= updates`, equal indices add up, a block of updates at a time."""

import pypto
from openpto_gym.tiles import vector_tile

UPDATES = 64


@pypto.frontend.jit
def scatter_sub(
    indices: pypto.Tensor([pypto.DYNAMIC], pypto.DT_INT32),
    updates: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC]),
    table: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC]),
):
    """indices [U], updates [U, W], table [R, W], changed; of one float dtype. U and R are dynamic.

    Updates are subtracted in their order.
    """
    count, width = updates.shape
    for u in pypto.loop(0, count, UPDATES, name="LOOP_U", idx_name="u"):
        live = (count - u).min(UPDATES)
        pypto.set_vec_tile_shapes(UPDATES)
        rows = pypto.view(indices, [UPDATES], [u], valid_shape=[live])
        pypto.set_vec_tile_shapes(*vector_tile([UPDATES, width]))
        block = pypto.view(updates, [UPDATES, width], [u, 0], valid_shape=[live, width])
        pypto.index_put_(table, (rows,), -block, accumulate=True)
