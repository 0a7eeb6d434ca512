# mypy: ignore-errors
# (the annotations of a kernel's tensors are values, not types)
"""Kernels that only the benchmarks need."""

import pypto

BLOCK = 128


@pypto.frontend.jit
def chain(
    x: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC], pypto.DT_FP32),
    out: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC], pypto.DT_FP32),
):
    """Eight elementwise operations on [rows, cols], a block of rows at a time."""
    rows, cols = x.shape
    pypto.set_vec_tile_shapes(8, cols)
    for row in pypto.loop(0, rows, BLOCK, name="LOOP_ROWS", idx_name="row"):
        live = (rows - row).min(BLOCK)
        y = pypto.view(x, [BLOCK, cols], [row, 0], valid_shape=[live, cols])
        y = y * 1.5 + 0.25
        y = pypto.maximum(y, -1.0)
        y = pypto.minimum(y, 2.0)
        y = pypto.abs(y) - 0.5
        y = y * y + 0.125
        pypto.assemble(y, [row, 0], out)


def chain_torch(x):
    """The same in torch, op by op."""
    import torch

    y = x * 1.5 + 0.25
    y = torch.maximum(y, torch.tensor(-1.0))
    y = torch.minimum(y, torch.tensor(2.0))
    y = y.abs() - 0.5
    return y * y + 0.125


def attention_torch(query, key, value, scale):
    """Attention block by block with a running softmax, as the kernel of the gym does it; [heads, T, D] each."""
    import torch

    out = torch.empty_like(query)
    heads, tokens, _ = query.shape
    for head in range(heads):
        for i in range(0, tokens, BLOCK):
            q = query[head, i : i + BLOCK]
            largest = total = weighted = None
            for j in range(0, tokens, BLOCK):
                scores = (q @ key[head, j : j + BLOCK].T) * scale
                peak = scores.amax(-1, keepdim=True)
                if largest is None:
                    weights = torch.exp(scores - peak)
                    total = weights.sum(-1, keepdim=True)
                    weighted = weights @ value[head, j : j + BLOCK]
                else:
                    peak = torch.maximum(largest, peak)
                    shrink = torch.exp(largest - peak)
                    weights = torch.exp(scores - peak)
                    total = total * shrink + weights.sum(-1, keepdim=True)
                    weighted = weighted * shrink + weights @ value[head, j : j + BLOCK]
                largest = peak
            out[head, i : i + BLOCK] = weighted / total
    return out
