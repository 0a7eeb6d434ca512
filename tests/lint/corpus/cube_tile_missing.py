import pypto


@pypto.frontend.jit
def kernel(
    a: pypto.Tensor([64, 64], pypto.DT_FP16),
    b: pypto.Tensor([64, 64], pypto.DT_FP16),
    c: pypto.Tensor([64, 64], pypto.DT_FP32),
):
    pypto.set_vec_tile_shapes(64, 64)
    c[:] = pypto.matmul(a, b, pypto.DT_FP32)  # expect: PTO320
