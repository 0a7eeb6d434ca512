# lint: chip=910B
import pypto

F, H = pypto.DT_FP32, pypto.DT_FP16


@pypto.frontend.jit
def kernel(
    a: pypto.Tensor([256, 1024], F),
    b: pypto.Tensor([1024, 512], F),
    half: pypto.Tensor([256, 1024], H),
    other: pypto.Tensor([1024, 512], H),
    bytes_a: pypto.Tensor([256, 1024], pypto.DT_INT8),
    bytes_b: pypto.Tensor([1024, 512], pypto.DT_INT8),
    c: pypto.Tensor([256, 512], F),
    d: pypto.Tensor([256, 512], pypto.DT_INT32),
):
    pypto.set_vec_tile_shapes(16, 64)
    pypto.set_cube_tile_shapes([128, 128], [256, 256], [64, 64])
    c[:] = pypto.matmul(a, b, F)  # expect: PTO324
    c[:] = pypto.matmul(half, other, F)
    pypto.set_cube_tile_shapes([128, 128], [64, 64], [512, 512])
    c[:] = a @ b  # expect: PTO324
    pypto.set_cube_tile_shapes([256, 256], [32, 1024], [32, 32])
    c[:] = pypto.matmul(a, b, F)  # expect: PTO324
    pypto.set_cube_tile_shapes([128, 256], [32, 1024], [64, 64])
    c[:] = pypto.matmul(half, other, F)  # expect: PTO326
    pypto.set_cube_tile_shapes([16, 16], [16, 48, 32], [16, 16])
    c[:] = pypto.matmul(half, other, F)  # expect: PTO325
    pypto.set_cube_tile_shapes([64, 64], [16, 64], [64, 64])
    d[:] = pypto.matmul(bytes_a, bytes_b, pypto.DT_INT32)  # expect: PTO323
