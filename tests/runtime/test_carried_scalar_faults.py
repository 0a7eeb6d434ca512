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
    line = squares.__wrapped__.__code__.co_firstlineno + 6  # where k is stored
    assert f":{line}:" in text


@pypto.frontend.jit
def chosen(n: pypto.Tensor([2], pypto.DT_INT32), out: pypto.Tensor([8, 8], pypto.DT_FP32)):
    pypto.set_vec_tile_shapes(8, 8)
    k = n[0]
    for i in pypto.loop(3, name="turns", idx_name="i"):
        if i > n[1]:
            k = k + 1
            k = k * 1000000000000000000
        else:
            k = k // 2
        out[0:8, :] = pypto.full([8, 8], 1.0, pypto.DT_FP32)
    if k > 0:
        out[0:8, :] = pypto.full([8, 8], 2.0, pypto.DT_FP32)


@pytest.mark.parametrize("engine", ["reference", "native"])
@pytest.mark.parametrize(
    ("n", "code", "offset", "i"),
    [
        ((99, -1), "PTO405", 7, 0),  # 100 * 10**18 does not fit, in the first branch
        ((-3, 5), "PTO407", 9, 0),  # the quotient rounded down is not the one rounded towards zero
    ],
)
def test_a_branch_names_the_line_that_stores(engine, n, code, offset, i):
    out = np.zeros((8, 8), np.float32)
    first = chosen.__wrapped__.__code__.co_firstlineno
    with openpto.configure(engine=engine), pytest.raises(ArithmeticError) as raised:
        chosen(np.array(n, np.int32), out)
    assert raised.value.code == code
    text = str(raised.value)
    assert f"in loop turns (i = {i})" in text
    assert f":{first + offset}:" in text


def test_without_a_fault():
    out = np.zeros((8, 8), np.float32)
    chosen(np.array([12, 1], np.int32), out)  # 12, 6, 3, then (3 + 1) * 10**18
    assert (out == 2.0).all()
