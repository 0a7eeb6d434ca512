# mypy: ignore-errors
# (the annotations of a kernel's tensors are values, not types)
"""Matrix products as kernels."""

import pypto

T = 128
F32, F16, BF16, I8, I32 = pypto.DT_FP32, pypto.DT_FP16, pypto.DT_BF16, pypto.DT_INT8, pypto.DT_INT32


@pypto.frontend.jit
def tiles(
    a: pypto.Tensor([pypto.DYNAMIC, T], F32), b: pypto.Tensor([T, T], F32), o: pypto.Tensor([pypto.DYNAMIC, T], F32)
):
    """[128, 128] tiles of ``a`` times ``b``, sixty-four times over, so that the call itself counts little."""
    pypto.set_cube_tile_shapes([T, T], [T, T], [T, T])
    for _ in pypto.loop(64, name="AGAIN", idx_name="again"):
        for i in pypto.loop(a.shape[0] // T, name="LOOP", idx_name="i"):
            pypto.assemble(pypto.matmul(pypto.view(a, [T, T], [i * T, 0]), b, F32), [i * T, 0], o)


@pypto.frontend.jit
def tiles_turned(
    a: pypto.Tensor([pypto.DYNAMIC, T], F32), b: pypto.Tensor([T, T], F32), o: pypto.Tensor([pypto.DYNAMIC, T], F32)
):
    """The same with ``b`` stored as [N, K]."""
    pypto.set_cube_tile_shapes([T, T], [T, T], [T, T])
    for _ in pypto.loop(64, name="AGAIN", idx_name="again"):
        for i in pypto.loop(a.shape[0] // T, name="LOOP", idx_name="i"):
            tile = pypto.view(a, [T, T], [i * T, 0])
            pypto.assemble(pypto.matmul(tile, b, F32, b_trans=True), [i * T, 0], o)


N = 2048


@pypto.frontend.jit
def large_fp32(a: pypto.Tensor([N, N], F32), b: pypto.Tensor([N, N], F32), o: pypto.Tensor([N, N], F32)):
    """A whole product in one operation."""
    pypto.set_cube_tile_shapes([T, T], [T, T], [T, T])
    o[:] = pypto.matmul(a, b, F32)


@pypto.frontend.jit
def large_fp16(a: pypto.Tensor([N, N], F16), b: pypto.Tensor([N, N], F16), o: pypto.Tensor([N, N], F16)):
    """A whole product in one operation."""
    pypto.set_cube_tile_shapes([T, T], [T, T], [T, T])
    o[:] = pypto.matmul(a, b, F16)


@pypto.frontend.jit
def large_bf16(a: pypto.Tensor([N, N], BF16), b: pypto.Tensor([N, N], BF16), o: pypto.Tensor([N, N], BF16)):
    """A whole product in one operation."""
    pypto.set_cube_tile_shapes([T, T], [T, T], [T, T])
    o[:] = pypto.matmul(a, b, BF16)


@pypto.frontend.jit
def large_int8(a: pypto.Tensor([N, N], I8), b: pypto.Tensor([N, N], I8), o: pypto.Tensor([N, N], I32)):
    """A whole product in one operation."""
    pypto.set_cube_tile_shapes([T, T], [T, T], [T, T])
    o[:] = pypto.matmul(a, b, I32)


LARGE = {"FP32": large_fp32, "FP16": large_fp16, "BF16": large_bf16, "INT8": large_int8}


@pypto.frontend.jit
def query_key(q: pypto.Tensor([T, T], F32), k: pypto.Tensor([4096, T], F32), o: pypto.Tensor([T, T], F32)):
    """Scores of a block of queries against one block of keys after the other; the last ones stay."""
    pypto.set_cube_tile_shapes([T, T], [T, T], [T, T])
    for j in pypto.loop(k.shape[0] // T, name="LOOP", idx_name="j"):
        keys = pypto.view(k, [T, T], [j * T, 0])
        pypto.assemble(pypto.matmul(q, keys, F32, b_trans=True), [0, 0], o)


@pypto.frontend.jit
def weights_value(p: pypto.Tensor([T, T], F32), v: pypto.Tensor([4096, T], F32), o: pypto.Tensor([T, T], F32)):
    """Weights times one block of values after the other; the last product stays."""
    pypto.set_cube_tile_shapes([T, T], [T, T], [T, T])
    for j in pypto.loop(v.shape[0] // T, name="LOOP", idx_name="j"):
        values = pypto.view(v, [T, T], [j * T, 0])
        pypto.assemble(pypto.matmul(p, values, F32), [0, 0], o)
