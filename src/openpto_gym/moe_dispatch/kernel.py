# mypy: ignore-errors
# (the annotations of a kernel's tensors are values, not types)
"""The kernel: the rows of an expert are counted, counts become places, and every token is copied to its places."""

import pypto
from openpto_gym.tiles import vector_tile


@pypto.frontend.jit
def moe_dispatch(
    x: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC]),
    experts: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC], pypto.DT_INT32),
    rows: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC]),
    places: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC], pypto.DT_INT32),
    group_sums: pypto.Tensor([pypto.STATIC], pypto.DT_INT32),
):
    """x [T, H], experts [T, K]; rows [T * K, H] sorted by expert, in one expert by token; T is dynamic.

    places [T, K] says which row a token became; expert e has the rows group_sums[e] to group_sums[e + 1] - 1 of
    group_sums [E + 1]. An expert of -1 drops the token: its place is -1. Rows behind the last group are not written.
    """
    tokens, hidden = x.shape
    choices, count = experts.shape[1], group_sums.shape[0] - 1
    pypto.set_vec_tile_shapes(16)
    starts = pypto.full([count + 1], 0, pypto.DT_INT32)
    for t in pypto.loop(tokens, name="LOOP_COUNT", idx_name="t", submit_before_loop=True):
        for k in range(choices):
            expert = experts[t, k]
            if expert >= 0:
                starts[expert + 1] = starts[expert + 1] + 1
    for e in pypto.loop(count, name="LOOP_EXPERT", idx_name="e"):
        starts[e + 1] = starts[e] + starts[e + 1]
    group_sums[:] = pypto.clone(starts)
    pypto.set_vec_tile_shapes(*vector_tile([1, hidden]))
    for t in pypto.loop(tokens, name="LOOP_TOKEN", idx_name="t"):
        row = pypto.view(x, [1, hidden], [t, 0])
        for k in range(choices):
            expert = experts[t, k]
            if expert >= 0:
                place = starts[expert]
                pypto.assemble(row, [place, 0], rows)
                places[t, k] = place
                starts[expert] = place + 1
            else:
                places[t, k] = -1
