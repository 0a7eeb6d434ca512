# mypy: ignore-errors
# (the annotations of a kernel's tensors are values, not types)
"""The kernel: Sinkhorn iterations on the matrix of every token, with the tokens along the last axis."""

import pypto

TOKENS = 64


@pypto.frontend.jit
def sinkhorn(
    logits: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC, pypto.STATIC], pypto.DT_FP32),
    out: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC, pypto.STATIC], pypto.DT_FP32),
    iterations: int = 20,
    epsilon: float = 1e-6,
):
    """logits, out [T, N, N]: softmax of the rows plus epsilon, then columns and rows are divided by their sums in turn.

    The first iteration divides the columns only. The number of tokens is dynamic, N small.
    """
    tokens, size, _ = logits.shape
    for t in pypto.loop(0, tokens, TOKENS, name="LOOP_T", idx_name="t"):
        live = (tokens - t).min(TOKENS)
        pypto.set_vec_tile_shapes(TOKENS, size, 8)
        block = pypto.view(logits, [TOKENS, size, size], [t, 0, 0], valid_shape=[live, size, size])
        flat = pypto.reshape(block, [TOKENS, size * size], valid_shape=[live, size * size])
        pypto.set_vec_tile_shapes(TOKENS, size * size)
        turned = pypto.transpose(flat, 0, 1)
        pypto.set_vec_tile_shapes(size, size, TOKENS)
        x = pypto.reshape(turned, [size, size, TOKENS], valid_shape=[size, size, live])
        x = pypto.exp(x - pypto.amax(x, 1, True))
        x = x / pypto.sum(x, 1, True) + epsilon
        x = x / (pypto.sum(x, 0, True) + epsilon)
        for _ in range(iterations - 1):
            x = x / (pypto.sum(x, 1, True) + epsilon)
            x = x / (pypto.sum(x, 0, True) + epsilon)
        flat = pypto.reshape(x, [size * size, TOKENS], valid_shape=[size * size, live])
        pypto.set_vec_tile_shapes(size * size, TOKENS)
        turned = pypto.transpose(flat, 0, 1)
        pypto.set_vec_tile_shapes(TOKENS, size, 8)
        block = pypto.reshape(turned, [TOKENS, size, size], valid_shape=[live, size, size])
        pypto.assemble(block, [t, 0, 0], out)
