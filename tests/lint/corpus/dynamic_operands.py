import pypto

D = pypto.DYNAMIC
T = pypto.Tensor([D, 32], pypto.DT_FP32)


def scaled(t):
    return t * 2.0  # expect: PTO224


@pypto.frontend.jit
def kernel(x: T, y: T, w: pypto.Tensor([32, 32], pypto.DT_FP32)):
    pypto.set_vec_tile_shapes(8, 32)
    pypto.set_cube_tile_shapes([64, 64], [32, 32], [32, 32])
    y[:] = scaled(x)
    y[:] = pypto.exp(x)  # expect: PTO224
    y[:] = pypto.matmul(x, w, pypto.DT_FP32)  # expect: PTO271
