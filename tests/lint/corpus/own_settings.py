import openpto
import pypto

openpto.configure(threads=1)  # expect: PTO774


@pypto.frontend.jit
def kernel(x: pypto.Tensor([8, 32], pypto.DT_FP32), y: pypto.Tensor([8, 32], pypto.DT_FP32)):
    pypto.set_vec_tile_shapes(8, 32)
    y[:] = x + 1.0


if __name__ == "__main__":
    openpto.configure(engine="reference")
