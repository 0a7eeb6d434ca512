import pypto


@pypto.frontend.jit
def double(x: pypto.Tensor([pypto.DYNAMIC, 32], pypto.DT_FP32), y: pypto.Tensor([pypto.DYNAMIC, 32], pypto.DT_FP32)):
    pypto.set_vec_tile_shapes(8, 32)
    for i in pypto.loop(x.shape[0] // 8, name="rows", idx_name="i"):
        tile = pypto.view(x, [8, 32], [i * 8, 0])
        y = tile * 2.0  # expect: PTO412
