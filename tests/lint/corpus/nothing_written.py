import pypto


@pypto.frontend.jit
def forgets(x: pypto.Tensor([8, 32], pypto.DT_FP32), y: pypto.Tensor([8, 32], pypto.DT_FP32)):  # expect: PTO411
    pypto.set_vec_tile_shapes(8, 32)
    result = x + y
