import pypto

T = pypto.Tensor([8, 32], pypto.DT_FP32)


@pypto.frontend.jit
def 缩放(输入: T, 输出: T):
    pypto.set_vec_tile_shapes(8, 32)
    结果 = 输入 * 2.0; 输出 = 结果  # expect: PTO412
