import pypto

T = pypto.Tensor([8, 32], pypto.DT_FP32)


@pypto.frontend.jit
def kernel(x: T, y: T, z: T):
    pypto.set_vec_tile_shapes(8, 32)
    y = x * 2.0  # noqa: PTO412
    z = x * 2.0  # noqa: E501  # expect: PTO412
