# lint: target=0.2
import pypto

T = pypto.Tensor([64, 32], pypto.DT_FP32)


@pypto.frontend.jit
def kernel(x: T, y: T):
    pypto.set_vec_tile_shapes(8, 32)
    total = x[0:8, :]
    for i in pypto.loop(8, name="rows", idx_name="i"):  # expect: PTO668
        total = total + x[i * 8 : i * 8 + 8, :]
    y[i * 8 : i * 8 + 8, :] = total  # expect: PTO123
    for j in pypto.loop(8, name="more", idx_name="j"):
        if j > 3:
            late = x[j * 8 : j * 8 + 8, :] * 2.0
        y[j * 8 : j * 8 + 8, :] = late + nothing  # expect: PTO120, PTO121
