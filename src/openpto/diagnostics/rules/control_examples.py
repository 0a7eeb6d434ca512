"""The kernel that examples of rules about source and control flow vary."""

_MODULE = """import numpy as np
import pypto

F = pypto.DT_FP32
{before}

@pypto.frontend.jit
def kernel(x: pypto.Tensor([8, 8], F), n: pypto.Tensor([1], pypto.DT_INT32), out: pypto.Tensor([8, 8], F)):
    pypto.set_vec_tile_shapes(8, 8)
    count = n[0]
{body}

{after}
def run():
    x, out = np.ones((8, 8), np.float32), np.zeros((8, 8), np.float32)
    kernel(x, np.full(1, 3, np.int32), out)
"""


def program(body: str, before: str = "", after: str = "") -> str:
    """Source of a module with one kernel on `x`, a symbol `count` (3 at run time) and `out`."""
    lines = "\n".join(f"    {line}" if line else line for line in body.strip("\n").split("\n"))
    return _MODULE.format(body=lines, before=f"\n\n{before}\n" if before else "", after=after)


COPY = program("out[:] = x + 1.0")
