"""What a trace tells the compiler ahead of time: the routines that its products are going to call."""

import numpy as np
import pytest

import openpto
import pypto
from openpto.runtime.native import foresee, gemm, jit, pool

F32 = pypto.DT_FP32


def product():
    """A kernel of its own, which is traced anew: a times the transposed b, and another one of the same kind."""

    @pypto.frontend.jit
    def kernel(a: pypto.Tensor([16, 32], F32), b: pypto.Tensor([16, 32], F32), o: pypto.Tensor([16, 16], F32)):
        pypto.set_vec_tile_shapes(16, 16)
        pypto.set_cube_tile_shapes([16, 16], [32, 32], [16, 16])
        twice = pypto.matmul(a, b, F32, b_trans=True)
        o[:] = twice + pypto.matmul(a, b, F32, b_trans=True)

    return kernel


@pytest.fixture
def begun(monkeypatch):
    """Names of modules that are begun, in order; nothing is compiled ahead."""
    names: list[str] = []
    monkeypatch.setattr(jit, "begin", lambda goal, modules: names.extend(modules))
    foresee._product.cache_clear()
    yield names
    foresee._product.cache_clear()


@pytest.mark.parametrize(("threads", "engine"), [(2, "native"), (1, "native"), (2, "reference")])
def test_a_product_begins_its_routine_once_where_a_thread_is_free(begun, monkeypatch, threads, engine):
    monkeypatch.setattr(pool, "wanted", lambda: threads)
    rng = np.random.default_rng(threads)
    a, b = rng.standard_normal((2, 16, 32), dtype=np.float32)
    o = np.empty((16, 16), np.float32)
    with openpto.configure(engine=engine):
        product()(a, b, o)
        product()(a, b, o)
    np.testing.assert_allclose(o, 2 * (a.astype(np.float64) @ b.T), rtol=1e-5, atol=1e-5)
    if threads == 1 or engine == "reference":
        assert begun == []
        return
    goal = jit.target()
    routine = gemm.routine(F32, pypto.TransMode.CAST_NONE, False, True)
    routines = list(gemm.modules((routine,), goal))
    assert "gemm_f32" in routines
    assert begun[: len(routines)] == routines
    assert foresee._product.cache_info().misses == 1
