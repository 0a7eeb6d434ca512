# lint: target=0.2
import pypto

T = pypto.Tensor([64, 32], pypto.DT_FP32)


@pypto.frontend.function
def block(t, y, i):
    rows: int = 8  # expect: PTO671
    if i > 2:
        y[i * 8 : i * 8 + 8, :] = t * 2.0
    else:
        y[i * 8 : i * 8 + 8, :] = not_there(t)  # expect: PTO120


@pypto.frontend.jit
def kernel(x: T, y: T):
    pypto.set_vec_tile_shapes(8, 32)
    for i in pypto.loop(8):
        block(x[i * 8 : i * 8 + 8, :], y, i)
