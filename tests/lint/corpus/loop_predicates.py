# lint: target=0.3
import pypto

T = pypto.Tensor([64, 32], pypto.DT_FP32)


@pypto.frontend.jit
def kernel(x: T, y: T):
    pypto.set_vec_tile_shapes(8, 32)
    for i in pypto.loop(8, name="rows", idx_name="i"):
        if pypto.is_loop_begin(i + 1):  # expect: PTO209
            y[i * 8 : i * 8 + 8, :] = x[i * 8 : i * 8 + 8, :] * 1.0
        for j in pypto.loop(4, name="inner", idx_name="i"):  # expect: PTO662
            if pypto.is_loop_end(i):  # expect: PTO670
                y[i * 8 : i * 8 + 8, :] = x[i * 8 : i * 8 + 8, :] * 2.0
