# mypy: ignore-errors
# (the annotations of a kernel's tensors are values, not types)
"""A kernel with a mistake on purpose, for the demonstration."""

import pypto

TILE_ROWS = 64


@pypto.frontend.jit
def softmax_that_forgets_the_tail(
    x: pypto.Tensor([pypto.DYNAMIC, 64], pypto.DT_FP32),
    out: pypto.Tensor([pypto.DYNAMIC, 64], pypto.DT_FP32),
):
    """Row softmax that declares every block full, also the last one."""
    pypto.set_vec_tile_shapes(TILE_ROWS, 64)
    for row in pypto.loop(0, x.shape[0], TILE_ROWS, name="LOOP_ROWS", idx_name="row"):
        block = pypto.view(x, [TILE_ROWS, 64], [row, 0], valid_shape=[TILE_ROWS, 64])
        weights = pypto.exp(block - pypto.amax(block, -1, True))
        pypto.assemble(weights / pypto.sum(weights, -1, True), [row, 0], out)
