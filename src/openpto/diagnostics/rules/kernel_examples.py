"""The kernel that examples of rules about signatures and arguments vary."""

ADD = """import numpy as np
import pypto

F = pypto.DT_FP32
{before}

@pypto.frontend.jit
def kernel({params}){arrow}:
    pypto.set_vec_tile_shapes(8, 32)
    {body}


def run():
    x, out = np.ones((8, 32), np.float32), np.zeros((8, 32), np.float32)
    {call}
"""
X = "x: pypto.Tensor([8, 32], F)"
OUT = "out: pypto.Tensor([8, 32], F)"


def add_kernel(
    params: str = f"{X}, {OUT}",
    call: str = "kernel(x, out)",
    body: str = "out[:] = x + 1.0",
    arrow: str = "",
    before: str = "",
) -> str:
    """Source of a module with one kernel `out = x + 1` on [8, 32] FP32 and a `run()` that calls it."""
    return ADD.format(params=params, call=call, body=body, arrow=arrow, before=before)


GOOD = add_kernel()
