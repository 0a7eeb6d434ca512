# lint: target=0.2
from __future__ import annotations

import pypto


def block(t, i):
    if i > 2:  # expect: PTO661
        out = t * 2.0
    else:
        out = t * 1.0
    return out


@pypto.frontend.jit
def kernel(x: pypto.Tensor([64, 32], pypto.DT_FP32), y: pypto.Tensor([64, 32], pypto.DT_FP32)):  # expect: PTO508, PTO508
    pypto.set_vec_tile_shapes(8, 32)
    step: int = 8  # expect: PTO671
    for i in pypto.loop(8, name="rows", idx_name="i"):
        if pypto.cond(i < 4):  # expect: PTO660
            y[i * 8 : i * 8 + 8, :] = block(x[i * 8 : i * 8 + 8, :], i)
        if i > 1 and i < 3:  # expect: PTO669
            last = min(i, 5)  # expect: PTO663
            y[last * 8 : last * 8 + 8, :] = x[0:8, :] * 1.0
