# lint: extend-select=GYM
import pypto
import torch

T = pypto.Tensor([pypto.DYNAMIC, 32], pypto.DT_BF16)


@pypto.frontend.jit
def gate_kernel_npu(x: T, y: T):
    pypto.set_vec_tile_shapes(8, 32)
    for _ in pypto.loop(1):  # expect: PTO746
        for i in pypto.loop(x.shape[0] // 8):
            tile = pypto.view(x, [8, 32], [i * 8, 0])
            tile = pypto.div(1.0, tile)  # expect: PTO223, PTO761
            y[i * 8 : i * 8 + 8, :] = pypto.sigmoid(pypto.view(x, [8, 32], [i * 8, 0]))  # expect: PTO728


def gate_wrapper(x):
    y = pypto.zeros(64, 32)  # expect: PTO758
    for block in range(4):
        gate_kernel_npu(torch.exp(x[block]), y)  # expect: PTO745, PTO762
    return y
