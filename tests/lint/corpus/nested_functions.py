import pypto

T = pypto.Tensor([8, 32], pypto.DT_FP32)


@pypto.frontend.jit
def kernel(x: T, y: T):
    pypto.set_vec_tile_shapes(8, 32)

    def total(*parts):  # expect: PTO111
        return parts[0] + parts[1]

    y[:] = total(x, x)
    y[:] = x.exponential()  # expect: PTO219
