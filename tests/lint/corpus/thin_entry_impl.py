# lint: extend-select=GYM
"""A thin entry and its body in a helper: rules follow the call, where a look at the decorated body alone sees nothing."""

import pypto

T = pypto.Tensor([pypto.DYNAMIC, 32], pypto.DT_FP32)


def _kernel_impl(x, y, n, a, b, c):
    pypto.set_vec_tile_shapes(n, 64)  # expect: PTO748
    pypto.set_cube_tile_shapes(m=[n, n], k=[64], n=[96, 128])  # expect: PTO287, PTO748, PTO748
    for i in pypto.loop(4, unroll_list=[8, 4, 1]):  # expect: PTO749, PTO756
        for j, k in pypto.loop_unroll(8, unroll_list=[8, 4, 1]):  # expect: PTO756
            tile = pypto.view(x, [8, 32], [i * 8, 0])
            y[i * 8 : i * 8 + 8, :] = tile * max(i, 2)  # expect: PTO226
    y = x  # rebinding the name of a helper's parameter writes nothing, and y was written before
    while n > 4:  # expect: PTO757
        n = n - 1
    return y


@pypto.frontend.jit
def op_kernel_npu(
    x: T,
    y: T,
    a: pypto.Tensor([64, 64], pypto.DT_FP16),
    b: pypto.Tensor([64, 64], pypto.DT_FP16),
    c: pypto.Tensor([64, 64], pypto.DT_FP32),
    n: int,
):
    _kernel_impl(x, y, n, a, b, c)


def op_wrapper(x, y, a, b, c, n):
    op_kernel_npu(x, y, a, b, c, n)
