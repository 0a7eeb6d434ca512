"""Names of a loop that take another type after it (semantics 4 and 8, carries)."""

import numpy as np
import pytest

import openpto
import pypto

F32 = pypto.DT_FP32


@pytest.mark.parametrize("engine", ["reference", "native"])
def test_a_name_first_bound_in_a_loop_changes_its_shape_afterwards(engine):
    @pypto.frontend.jit
    def kernel(x: pypto.Tensor([pypto.DYNAMIC, 16], F32), o: pypto.Tensor([8, 1], F32)):
        pypto.set_vec_tile_shapes(8, 16)
        for i in pypto.loop((x.shape[0] + 7) // 8, name="L", idx_name="i"):
            t = pypto.view(x, [8, 16], [i * 8, 0]) * 2.0
        t[:] = pypto.amax(t, -1, True)
        o[:] = t

    x = np.random.default_rng(3).standard_normal((16, 16), dtype=np.float32)
    o = np.zeros((8, 1), np.float32)
    with openpto.configure(engine=engine):
        kernel(x, o)
    assert np.array_equal(o, x[8:].max(axis=1, keepdims=True) * 2)
