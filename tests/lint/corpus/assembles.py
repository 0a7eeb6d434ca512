import pypto


@pypto.frontend.jit
def kernel(x: pypto.Tensor([8, 32], pypto.DT_FP32), y: pypto.Tensor([4, 8, 32], pypto.DT_FP32)):
    pypto.set_vec_tile_shapes(8, 32)
    block = pypto.view(x, [8, 32], [0, 0], valid_shape=[8])  # expect: PTO236
    pypto.assemble(block * 2.0, [0, 0], y)  # expect: PTO249
    pypto.assemble(block * 2.0, [0, 0, 0], y)  # expect: PTO248
