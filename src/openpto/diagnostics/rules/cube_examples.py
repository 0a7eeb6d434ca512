"""The matrix product that examples of rules about cube tiles vary."""

_CUBE = """import numpy as np
import pypto


@pypto.frontend.jit
def kernel(
    a: pypto.Tensor({a}, pypto.DT_FP32), b: pypto.Tensor({b}, pypto.DT_FP32), c: pypto.Tensor({c}, pypto.DT_FP32)
):
{body}

def run():
    kernel(np.ones({a}, np.float32), np.ones({b}, np.float32), np.zeros({c}, np.float32))
"""


def cube(*lines: str, a: str = "[32, 32]", b: str = "[32, 32]", c: str = "[32, 32]") -> str:
    """Source of a module with one matrix product in FP32, whose kernel has these lines, and a `run()` that calls it."""
    body = "".join(f"    {line}\n" for line in lines)
    return _CUBE.format(a=a, b=b, c=c, body=body)


MATMUL = "c[:] = pypto.matmul(a, b, pypto.DT_FP32)"
