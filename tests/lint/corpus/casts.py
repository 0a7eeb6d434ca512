import pypto

F, B = pypto.DT_FP32, pypto.DT_BOOL


@pypto.frontend.jit
def kernel(x: pypto.Tensor([8, 64], F), n: pypto.Tensor([8, 64], pypto.DT_INT64), y: pypto.Tensor([8, 64], F)):
    pypto.set_vec_tile_shapes(8, 64)
    a = pypto.cast(x > 0.0, F)  # expect: PTO265
    b = pypto.cast(x, B)  # expect: PTO265
    c = pypto.cast(n, pypto.DT_BF16)  # expect: PTO265
    y[:] = pypto.where(x > 0.0, a, pypto.cast(pypto.cast(x, pypto.DT_INT32), F))
    for t in (b, c):
        pypto.pass_verify_print(t)
