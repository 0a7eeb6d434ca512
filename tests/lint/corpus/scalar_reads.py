# lint: target=0.2
import pypto


@pypto.frontend.jit
def kernel(
    x: pypto.Tensor([8, 32], pypto.DT_FP32),
    n: pypto.Tensor([8], pypto.DT_INT64),
    y: pypto.Tensor([8, 32], pypto.DT_FP32),
):
    pypto.set_vec_tile_shapes(8, 32)
    first = x[0, 0]  # expect: PTO256
    for i in pypto.loop(n[0]):  # expect: PTO651
        y[:] = x + 1.0
