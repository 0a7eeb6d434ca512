# mypy: ignore-errors
# (the annotations of a kernel's tensors are values, not types)
"""The kernel: `out = silu(x @ w_gate + b_gate) * (x @ w_up + b_up)`, a block of rows and columns at a time."""

import pypto
from openpto_gym.precision import rounded, widened

ROWS = 128
COLS = 128
DEPTH_TILE = 64


@pypto.frontend.jit
def fused_swiglu(
    x: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC]),
    w_gate: pypto.Tensor([pypto.STATIC, pypto.DYNAMIC]),
    w_up: pypto.Tensor([pypto.STATIC, pypto.DYNAMIC]),
    b_gate: pypto.Tensor([1, pypto.DYNAMIC]),
    b_up: pypto.Tensor([1, pypto.DYNAMIC]),
    out: pypto.Tensor([pypto.DYNAMIC, pypto.DYNAMIC]),
):
    """x [M, K], weights [K, N], biases [1, N], out [M, N]; of one float dtype, computed in FP32. M, N are dynamic."""
    rows, depth = x.shape
    cols = w_gate.shape[1]
    pypto.set_vec_tile_shapes(ROWS // 2, COLS)
    pypto.set_cube_tile_shapes([ROWS, ROWS], [DEPTH_TILE, DEPTH_TILE], [COLS, COLS])
    for m in pypto.loop(0, rows, ROWS, name="LOOP_M", idx_name="m"):
        live_m = (rows - m).min(ROWS)
        left = pypto.view(x, [ROWS, depth], [m, 0], valid_shape=[live_m, depth])
        for n in pypto.loop(0, cols, COLS, name="LOOP_N", idx_name="n"):
            live_n = (cols - n).min(COLS)
            parts = []
            for weight, bias in ((w_gate, b_gate), (w_up, b_up)):
                right = pypto.view(weight, [depth, COLS], [0, n], valid_shape=[depth, live_n])
                shift = widened(pypto.view(bias, [1, COLS], [0, n], valid_shape=[1, live_n]))
                parts.append(pypto.matmul(left, right, pypto.DT_FP32) + shift)
            gate, up = parts
            pypto.assemble(rounded(gate * pypto.sigmoid(gate) * up, out.dtype), [m, n], out)
