"""A carried scalar that overflows names the loops around it, its own included, on every engine."""

import numpy as np
import pytest

import openpto
import pypto


@pypto.frontend.jit
def squares(n: pypto.Tensor([1], pypto.DT_INT32), out: pypto.Tensor([8, 8], pypto.DT_FP32)):
    pypto.set_vec_tile_shapes(8, 8)
    k = n[0]
    for _ in pypto.loop(2, name="outer", idx_name="b"):
        for _ in pypto.loop(30, name="inner", idx_name="i"):
            k = k * k
            out[0:8, :] = pypto.full([8, 8], 1.0, pypto.DT_FP32)
    if k > 0:
        out[0:8, :] = pypto.full([8, 8], 2.0, pypto.DT_FP32)


@pytest.mark.parametrize("engine", ["reference", "native"])
def test_overflow_in_an_inner_loop(engine):
    out = np.zeros((8, 8), np.float32)
    # 7 ** (2 ** 5) is the first square of the chain beyond 2 ** 63
    with openpto.configure(engine=engine), pytest.raises(OverflowError) as raised:
        squares(np.array([7], np.int32), out)
    assert raised.value.code == "PTO405"
    text = str(raised.value)
    assert "in loop outer (b = 0), in loop inner (i = 4)" in text
    line = squares.__wrapped__.__code__.co_firstlineno + 5
    assert f":{line}:" in text
