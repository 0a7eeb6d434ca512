# lint: extend-select=GYM
import pypto
import pypto as pt  # expect: PTO707
from relu_golden import relu_golden  # expect: PTO716
from pypto.frontend import jit  # expect: PTO707


@pypto.frontend.jit
def first(x: pypto.Tensor([], pypto.DT_FP32), y: pypto.Tensor([64, 32])):  # expect: PTO708, PTO723, PTO725, PTO725, PTO729
    pypto.set_vec_tile_shapes(8, 32)
    y[:] = pypto.relu(x)


@jit
def second(x: pypto.Tensor([64, 32], pypto.DT_FP32), y: pypto.Tensor([64, 32], pypto.DT_FP32), scale=1.0):  # expect: PTO701, PTO705, PTO723
    pypto.set_vec_tile_shapes(8, 32)
    y[:] = pypto.relu(x) * scale
