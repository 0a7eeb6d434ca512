# lint: extend-select=GYM
import pypto

T = pypto.Tensor([pypto.DYNAMIC, 32], pypto.DT_FP32)


def pypto_scale(t):
    return t * 2.0


def pypto_shift(t):
    return t + 1.0


def _kernel_impl(x, y):
    pypto.set_vec_tile_shapes(8, 32)  # expect: PTO747
    for i in pypto.loop(x.shape[0] // 8):
        tile = pypto.view(x, [8, 32], [i * 8, 0])
        y[i * 8 : i * 8 + 8, :] = pypto_shift(pypto_scale(tile))


@pypto.frontend.jit
def scale_kernel_npu(x: T, y: T):
    _kernel_impl(x, y)


def scale_wrapper(x, y):
    scale_kernel_npu(x, y)
