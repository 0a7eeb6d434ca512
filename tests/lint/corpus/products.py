import pypto

A = pypto.Tensor([64, 32], pypto.DT_FP16)


@pypto.frontend.jit
def kernel(
    a: A,
    b: pypto.Tensor([48, 64], pypto.DT_FP16),
    d: pypto.Tensor([32, 64], pypto.DT_FP32),
    wide: pypto.Tensor([32, 70000], pypto.DT_FP16),
    deep: pypto.Tensor([2, 32, 64], pypto.DT_FP16),
    c: pypto.Tensor([64, 64], pypto.DT_FP32),
):
    pypto.set_cube_tile_shapes([64, 64], [32, 32], [64, 64])
    c[:] = pypto.matmul(a, b, pypto.DT_FP32)  # expect: PTO274
    c[:] = pypto.matmul(a, d, pypto.DT_FP32)  # expect: PTO272
    e = pypto.matmul(a, wide, pypto.DT_FP32)  # expect: PTO279
    f = pypto.matmul(a, deep, pypto.DT_FP32)  # expect: PTO270
    c[:] = a @ b  # expect: PTO274
    c[:] = a @ d  # expect: PTO272
    c[:] = a @ deep  # expect: PTO270
