"""Other names for the API change nothing."""

import pypto as pt
from pypto import frontend as F
from pypto.frontend import jit

D, FP32 = pt.DYNAMIC, pt.DT_FP32
view = pt.view


@F.jit()
def first(x: pt.Tensor([8, 32], FP32), y: pt.Tensor([8, 32], FP32)):
    pt.set_vec_tile_shapes(8, 32)
    y = x * 2.0  # expect: PTO412


@jit
def second(x: pt.Tensor([D, 32], FP32), y: pt.Tensor([D, 32], FP32)) -> None:  # expect: PTO501
    pt.set_vec_tile_shapes(8, 32)
    for i in range(x.shape[0]):  # expect: PTO134
        y[i * 8 : i * 8 + 8, :] = view(x, [8, 32], [i])  # expect: PTO236
