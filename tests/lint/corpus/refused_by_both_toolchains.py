# lint: target=0.3
import pypto

T = pypto.Tensor([64, 32], pypto.DT_FP32)


@pypto.frontend.jit
def inner(x: T, y: T):
    pypto.set_vec_tile_shapes(8, 32)
    y[:] = x + 1.0


@pypto.frontend.jit
def kernel(x: T, y: T, z: T):
    pypto.set_vec_tile_shapes(8, 32)
    inner(x, y)  # expect: PTO534
    z[:] = x
    y[0:8, :] = y[0:8, :] + 1.0  # expect: PTO611
    y[:] = x * 2.0  # expect: PTO610
    y[0:8, :] = 0.0  # expect: PTO650
    with pypto.options(vec_tile_shapes=[8, 32]):  # expect: PTO664
        y[:] = z * 2.0
