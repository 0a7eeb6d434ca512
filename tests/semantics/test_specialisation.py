"""What makes a kernel trace again (semantics 7, core 1.7)."""

import numpy as np
from semantics_support import F32, I32, D, S, T, blank, fails, jit, whole

import openpto
import pypto

FACTOR = 2.0
TABLE = {1: 2.0}


def scale_kernel():
    @jit
    def kernel(x: T([4, 8], F32), o: T([4, 8], F32), scale):
        pypto.set_vec_tile_shapes(4, 8)
        o[:] = x * scale

    return kernel


def test_dynamic_dims_are_not_in_the_key():
    """A DYNAMIC dim never traces again, a STATIC one does, once per value."""

    @jit
    def kernel(x: T([D, S], F32), o: T([D, S], F32)):
        cols = x.shape[1]
        pypto.set_vec_tile_shapes(1, cols)
        for i in pypto.loop(x.shape[0], name="L", idx_name="i"):
            pypto.assemble(pypto.view(x, [1, cols], [i, 0]) + float(cols), [i, 0], o)

    compiled = []
    for shape in ((2, 8), (5, 8), (5, 16), (1, 8), (9, 16), (0, 8)):
        x, o = whole(*shape), blank(*shape)
        kernel(x, o)
        assert np.array_equal(o, x + shape[1])
        compiled.append(kernel.last_run.compiled)
    assert compiled == [True, False, True, False, False, False]
    assert kernel.compilations == 2


def test_ranks_and_dtypes_are_in_the_key():
    """`Tensor()` takes any shape and dtype; each launch stands for itself."""

    @jit
    def kernel(x: T(), o: T()):
        pypto.set_vec_tile_shapes(*x.shape)
        o[:] = x + x

    for shape, dtype in (((4, 8), np.float32), ((2, 8), np.float32), ((4, 8), np.int32), ((2, 4, 8), np.float32), ((4, 8), np.float32)):  # fmt: skip  # noqa: E501
        x = whole(*shape).astype(dtype)
        o = np.zeros_like(x)
        kernel(x, o)
        assert np.array_equal(o, x + x)
    assert kernel.compilations == 4


def test_values_that_compare_alike():
    """0.0 and -0.0, 1 and True and 1.0, NaN: each by type and value."""
    kernel = scale_kernel()
    x, o = np.ones((4, 8), np.float32), blank(4, 8)
    kernel(x, o, 0.0)
    assert not np.signbit(o).any()
    kernel(x, o, -0.0)
    assert np.signbit(o).all()
    kernel(x, o, 0.0)
    assert not np.signbit(o).any()
    for _ in range(2):
        kernel(x, o, float("nan"))
        assert np.isnan(o).all()
    assert kernel.compilations == 3
    kernel(x, o, 1)
    kernel(x, o, 1.0)
    kernel(x, o, True)
    assert (o == 1).all()


def test_arrays_by_content():
    """A numpy array as a non-tensor argument counts by content."""

    @jit
    def kernel(x: T([4, 8], F32), o: T([4, 8], F32), table):
        pypto.set_vec_tile_shapes(4, 8)
        o[:] = x * float(table[1000])

    x, o = whole(4, 8), blank(4, 8)
    table = np.zeros(5000)
    for value in (2.0, 3.0, 2.0):
        table[1000] = value
        kernel(x, o, table)
        assert np.array_equal(o, x * np.float32(value))
    assert kernel.compilations == 2


def test_containers_by_content():
    """Lists and dicts count by content, also when changed in place between calls."""

    @jit
    def kernel(x: T([4, 8], F32), o: T([4, 8], F32), config):
        pypto.set_vec_tile_shapes(4, 8)
        o[:] = x * config["scale"][0]

    x, o = whole(4, 8), blank(4, 8)
    config = {"scale": [2.0]}
    kernel(x, o, config)
    assert np.array_equal(o, x * 2)
    config["scale"][0] = 5.0
    kernel(x, o, config)
    assert np.array_equal(o, x * 5)


def test_aliasing_is_in_the_key():
    """The aliasing pattern of the arguments is in the key."""

    @jit
    def kernel(x: T([4, 8], F32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        o[:] = x + 1.0
        o[:] = x * 2.0

    x, o = whole(4, 8), blank(4, 8)
    kernel(x, o)
    assert np.array_equal(o, x * 2)
    y = x.copy()
    kernel(y, y)
    assert np.array_equal(y, (x + 1) * 2)
    kernel(x, o)
    assert np.array_equal(o, x * 2)


def test_globals_guard(monkeypatch):
    """A global that the kernel loads: if it changes, the next call traces again."""

    @jit
    def kernel(x: T([4, 8], F32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        o[:] = x * FACTOR

    x, o = whole(4, 8), blank(4, 8)
    kernel(x, o)
    kernel(x, o)
    assert np.array_equal(o, x * 2)
    assert kernel.compilations == 1
    monkeypatch.setitem(globals(), "FACTOR", 5.0)
    kernel(x, o)
    assert np.array_equal(o, x * 5)
    assert kernel.last_run.compiled


def test_global_containers_guard(monkeypatch):
    """The same for what a global list holds."""

    @jit
    def kernel(x: T([4, 8], F32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        o[:] = x * TABLE[1]

    x, o = whole(4, 8), blank(4, 8)
    kernel(x, o)
    assert np.array_equal(o, x * 2)
    monkeypatch.setitem(TABLE, 1, 7.0)
    kernel(x, o)
    assert np.array_equal(o, x * 7)


def test_helper_globals_guard(monkeypatch):
    """The same for a global that a traced helper loads."""

    @jit
    def kernel(x: T([4, 8], F32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        o[:] = by_factor(x)

    x, o = whole(4, 8), blank(4, 8)
    kernel(x, o)
    assert np.array_equal(o, x * 2)
    monkeypatch.setitem(globals(), "FACTOR", 9.0)
    kernel(x, o)
    assert np.array_equal(o, x * 9)


def by_factor(x):
    return x * FACTOR


def test_closure_guard():
    """A closure variable that changes."""
    factor = 2.0

    @jit
    def kernel(x: T([4, 8], F32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        o[:] = x * factor

    x, o = whole(4, 8), blank(4, 8)
    kernel(x, o)
    assert np.array_equal(o, x * 2)
    factor = 4.0
    kernel(x, o)
    assert np.array_equal(o, x * 4)


def test_replaced_helper(monkeypatch):
    """A helper that is replaced by another function."""

    @jit
    def kernel(x: T([4, 8], F32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        o[:] = by_factor(x)

    x, o = whole(4, 8), blank(4, 8)
    kernel(x, o)
    monkeypatch.setitem(globals(), "by_factor", lambda x: x - 1.0)
    kernel(x, o)
    assert np.array_equal(o, x - 1)


def test_global_settings_at_the_call():
    """Values set globally before the call are seen inside; what a kernel sets does not leak out."""

    @jit
    def kernel(x: T([4, 8], F32), o: T([4, 8], F32)):
        o[:] = x + 1.0

    x, o = whole(4, 8), blank(4, 8)
    with fails("tile shape not set"):
        kernel(x, o)
    before = pypto.get_vec_tile_shapes()
    pypto.set_vec_tile_shapes(4, 8)
    try:
        kernel(x, o)
        assert np.array_equal(o, x + 1)

        @jit
        def setter(x: T([4, 8], F32), o: T([4, 8], F32)):
            pypto.set_vec_tile_shapes(2, 8)
            o[:] = x + 2.0

        setter(x, o)
        assert list(pypto.get_vec_tile_shapes()) == [4, 8]
    finally:
        pypto.reset_options()
    assert list(pypto.get_vec_tile_shapes()) == list(before) == []


def test_two_kernels_of_one_name():
    """Kernels with one name and other bodies do not share."""
    results = []
    for step in (1.0, 2.0):

        @jit
        def kernel(x: T([4, 8], F32), o: T([4, 8], F32)):
            pypto.set_vec_tile_shapes(4, 8)
            o[:] = x + step

        x, o = whole(4, 8), blank(4, 8)
        kernel(x, o)
        results.append(o - x)
    assert np.array_equal(results[0] * 2, results[1])


def test_a_failed_trace_leaves_nothing_behind():
    """A kernel that failed to trace leaves no state behind, whatever the way it failed."""

    def fail_in_loop(x, o):
        for i in pypto.loop(4, name="L", idx_name="i"):
            pypto.view(x, [1], [0])

    def fail_in_branch(x, o):
        for i in pypto.loop(4, name="L", idx_name="i"):
            if i > 2:
                raise RuntimeError("mine")
            o[:] = x

    def fail_at_once(x, o):
        raise RuntimeError("mine")

    def fail_with_tiles(x, o):
        pypto.set_vec_tile_shapes(1, 1)
        pypto.nosuch(x)

    kernel = scale_kernel()
    x, o = whole(4, 8), blank(4, 8)
    kernel(x, o, 2.0)
    for body in (fail_in_loop, fail_in_branch, fail_at_once, fail_with_tiles):

        @jit
        def broken(x: T([4, 8], F32), o: T([4, 8], F32)):
            pypto.set_vec_tile_shapes(4, 8)
            body(x, o)

        for _ in range(2):
            try:
                broken(x, o)
            except Exception:
                pass
            else:
                raise AssertionError("nothing failed")
        kernel(x, o, 2.0)
        assert np.array_equal(o, x * 2)
        fresh = scale_kernel()
        fresh(x, o, 3.0)
        assert np.array_equal(o, x * 3)
    assert list(pypto.get_vec_tile_shapes()) == []


def test_a_run_time_fault_leaves_the_kernel_usable():
    """After a run-time fault the same kernel runs on good data without a new trace."""

    @jit
    def kernel(at: T([1], I32), x: T([4, 8], F32), o: T([1, 8], F32)):
        pypto.set_vec_tile_shapes(1, 8)
        o[:] = pypto.view(x, [1, 8], [at[0], 0]) + 0.0

    x, o = whole(4, 8), blank(1, 8)
    with fails("-3"):
        kernel(np.array([-3], np.int32), x, o)
    kernel(np.array([2], np.int32), x, o)
    assert np.array_equal(o[0], x[2])
    assert kernel.compilations == 1


def test_target_and_platform_are_in_the_key():
    """Targets and platforms are in the key; going back does not trace again."""
    kernel = scale_kernel()
    x, o = whole(4, 8), blank(4, 8)
    kernel(x, o, 2.0)
    with openpto.configure(target="0.3"):
        kernel(x, o, 2.0)
        assert kernel.last_run.compiled
    kernel(x, o, 2.0)
    assert not kernel.last_run.compiled


def test_a_parameter_hides_a_global(monkeypatch):
    """A global that has the name of a parameter or local is not what the kernel loads: it is no guard."""

    @jit
    def kernel(x: T([4, 8], F32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        t = x * 2.0
        o[:] = t

    for n in range(3):
        for name in ("x", "o", "t"):
            monkeypatch.setitem(globals(), name, np.full(3, float(n)))
        kernel(whole(4, 8), blank(4, 8))
    assert kernel.compilations == 1
