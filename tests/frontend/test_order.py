"""The program that is recorded does not depend on where objects lie in memory: equal kernels have equal hashes."""

import numpy as np

import pypto
from openpto.ir.nodes import Loop

F32, D, T = pypto.DT_FP32, pypto.DYNAMIC, pypto.Tensor


@pypto.frontend.jit
def moved(x: T([D, 16], F32), o: T([D, 16], F32)):
    pypto.set_vec_tile_shapes(8, 16)
    a = pypto.view(x, [8, 16], [0, 0], valid_shape=[8, 16])
    b = pypto.view(x, [8, 16], [0, 0], valid_shape=[8, 16])
    c = pypto.view(x, [8, 16], [0, 0], valid_shape=[8, 16])
    d = pypto.view(x, [8, 16], [0, 0], valid_shape=[8, 16])
    for i in pypto.loop(x.shape[0] // 8, name="L", idx_name="i"):
        n = (x.shape[0] - i * 8).min(8)
        d[:] = pypto.view(x, [8, 16], [i * 8, 0], valid_shape=[n, 16])
        b[:] = pypto.view(x, [8, 16], [i * 8, 0], valid_shape=[n, 15])
        c[:] = pypto.view(x, [8, 16], [i * 8, 0], valid_shape=[n, 14])
        a[:] = pypto.view(x, [8, 16], [i * 8, 0], valid_shape=[n, 13])
        pypto.assemble(a + b + c + d, [i * 8, 0], o)


def test_extents_that_an_iteration_changes_are_read_in_the_order_of_the_changes():
    rows = np.zeros((20, 16), np.float32)
    kernel = moved.lower(rows, np.zeros_like(rows))
    loop = next(node for node in kernel.body.body if isinstance(node, Loop))
    a, b, c, d = (op.results[0].var for op in kernel.body.body if getattr(op, "name", "") == "view")
    heads = [op.operands[0].var for op in loop.body.body if getattr(op, "name", "") == "valid_of"]
    assert list(dict.fromkeys(heads)) == [d, b, c, a]
