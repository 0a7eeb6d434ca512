import pypto


@pypto.frontend.jit
def double(x: pypto.Tensor([8, 32], pypto.DT_FP32), y: pypto.Tensor([8, 32], pypto.DT_FP32)):
    pypto.set_vec_tile_shapes(8, 32)
    y = x * 2.0  # expect: PTO412
