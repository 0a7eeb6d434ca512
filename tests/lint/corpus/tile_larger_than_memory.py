# lint: chip=910B
import pypto

F = pypto.DT_FP32
ROWS, COLUMNS = 2 * 64, 512


def halves(t):
    return pypto.sin(t)  # expect: PTO304


@pypto.frontend.jit
def kernel(
    x: pypto.Tensor([512, 512], F),
    z: pypto.Tensor([512, 512], F),
    row: pypto.Tensor([1, 512], F),
    y: pypto.Tensor([512, 512], F),
):
    pypto.set_vec_tile_shapes(ROWS, COLUMNS)
    a = x + z  # expect: PTO304
    b = pypto.exp(x)  # expect: PTO304
    pypto.set_vec_tile_shapes(96, 512)
    c = pypto.exp(x)
    d = pypto.maximum(x, row)  # expect: PTO304
    pypto.set_vec_tile_shapes(64, 512)
    e = halves(x)
    pypto.set_vec_tile_shapes(8, 512)
    y[:] = a + b + c + d + e


@pypto.frontend.jit
def one_window(x: pypto.Tensor([pypto.DYNAMIC, 2048], F), y: pypto.Tensor([pypto.DYNAMIC, 2048], F)):
    pypto.set_vec_tile_shapes(64, 2048)
    for i in pypto.loop(x.shape[0] // 16):
        tile = pypto.view(x, [16, 2048], [i * 16, 0])
        pypto.assemble(tile * 2.0, [i * 16, 0], y)
    for i in pypto.loop(x.shape[0] // 64):
        tile = pypto.view(x, [64, 2048], [i * 64, 0])
        pypto.assemble(tile * 2.0, [i * 64, 0], y)  # expect: PTO304
