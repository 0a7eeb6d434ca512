import pypto


@pypto.frontend.jit
def kernel(
    a: pypto.Tensor([64, 64], pypto.DT_FP16),
    b: pypto.Tensor([64, 64], pypto.DT_FP16),
    n: pypto.Tensor([1], pypto.DT_INT32),
    c: pypto.Tensor([64, 64], pypto.DT_FP32),
):
    pypto.set_cube_tile_shapes([16], [64, 64], [64, 64])  # expect: PTO287
    pypto.set_cube_tile_shapes(64, [64, 64], [64, 64])  # expect: PTO288
    pypto.set_cube_tile_shapes(m=[n[0], 64], k=[64, 64], n=[64, 64])  # expect: PTO286
    pypto.set_cube_tile_shapes([64, 64], [64, 64], [64, 64], enable_splitk=True)  # expect: PTO281
    pypto.set_cube_tile_shapes([64, 64], [64, 64], [64, 64], set_enable=True)  # expect: PTO289
    c[:] = pypto.matmul(a, b, pypto.DT_FP32)
