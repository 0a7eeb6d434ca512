"""The small rules (semantics 8, Small) and statements that are plain Python (core 3.2)."""

import numpy as np
import pytest
from semantics_support import F32, I32, D, T, blank, jit, silent, warns, whole

import pypto


def run(body, shape=(4, 8)):
    """`body(x, o)` on FP32 tiles."""

    @jit
    def kernel(x: T(list(shape), F32), o: T(list(shape), F32)):
        pypto.set_vec_tile_shapes(4, 8)
        body(x, o)

    x, o = whole(*shape), blank(*shape)
    kernel(x, o)
    return x, o


def test_full_with_a_value_out_of_range():
    """`full` with an out-of-range float gives infinity."""

    def body(x, o):
        o[0:2, :] = pypto.full([2, 8], 1e300, F32)
        o[2:4, :] = pypto.full([2, 8], -1e300, F32)

    _, o = run(body)
    assert np.isposinf(o[:2]).all()
    assert np.isneginf(o[2:]).all()


def test_nz_is_a_layout_mark():
    """NZ is a layout mark: host data stay in logical order."""

    nz = pypto.TileOpFormat.TILEOP_NZ

    @jit
    def kernel(w: T([16, 16], F32, format=nz), o: T([16, 16], F32, format=nz)):
        pypto.set_vec_tile_shapes(16, 16)
        assert w.format == o.format == nz
        pypto.assemble(pypto.view(w, [4, 16], [2, 0]), [8, 0], o)

    w, o = whole(16, 16), blank(16, 16)
    kernel(w, o)
    assert np.array_equal(o[8:12], w[2:6])
    assert (o[:8] == o[0, 0]).all()


@pytest.mark.parametrize(
    "options",
    [
        {"pass_options": {"enable_slice": True}},
        {"pass_options": {"pg_upper_bound": 5}},
        {"runtime_options": {"stitch_function_num_initial": 128}},
        {"runtime_options": {"stitch_cfgcache_size": 0}},
        {"new_ir": True},
        {"new_ir": False},
        {"create_new_logical_tensor": True},
        {"use_cache": True},
        {"infer_controlflow_shape": None},
    ],
    ids=str,
)
def test_names_of_shipped_files(options):
    """Options of shipped files are accepted, whatever the version they belong to."""

    @jit(**options)
    def kernel(x: T([4, 8], F32), o: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        o[:] = x + 1.0

    x, o = whole(4, 8), blank(4, 8)
    kernel(x, o)
    assert np.array_equal(o, x + 1)


def test_unknown_loop_keyword_still_loops():
    """Unknown loop keywords warn and change nothing."""

    @jit
    def kernel(o: T([4], I32)):
        for i in pypto.loop(4, name="L", idx_name="i", prefetch=True):
            o[i] = i

    o = np.full(4, -1, np.int32)
    with warns("prefetch"):
        kernel(o)
    assert o.tolist() == [0, 1, 2, 3]


def test_assignments_of_every_kind():
    """Chained, starred, nested, annotated, attribute and augmented assignments and deletions."""

    class Bag:
        pass

    def body(x, o):
        a = b = x + 1.0
        first, *rest = [a, b * 2.0, b * 3.0]
        (c, d), [e] = (rest[0], rest[1]), [first]
        typed: int = 2
        later: float
        later = 0.5
        bag = Bag()
        bag.value = c
        bag.value = bag.value + d
        slots = [None, e]
        slots[0] = bag.value
        del bag.value, slots[1]
        typed += 1
        typed *= 2
        o[:] = slots[0] + later * typed

    x, o = run(body)
    assert np.array_equal(o, (x + 1) * 5 + 3)


def test_deleted_name():
    """A deleted name is not defined any more."""

    def body(x, o):
        t = x + 1.0
        del t
        o[:] = t  # noqa: F821 - that is the point

    with pytest.raises(NameError, match=r"\bt\b"):
        run(body)


def test_conditional_definition_of_helpers():
    """Definitions under concrete conditions, default arguments that capture, helpers in containers."""

    def body(x, o):
        if len(x.shape) == 2:

            def step(t, by=len(x.shape)):
                return t + float(by)
        else:
            step = None
        steps = {"a": step, "b": lambda t: t * 2.0}
        t = x
        for name in sorted(steps):
            t = steps[name](t)
        o[:] = t

    x, o = run(body)
    assert np.array_equal(o, (x + 2) * 2)


def test_generators_of_helpers():
    """Comprehensions with conditions, nested ones, sets and dicts."""

    def body(x, o):
        grid = [(i, j) for i in range(2) for j in range(4) if (i + j) % 2 == 0]
        table = {key: x[2 * key[0] : 2 * key[0] + 2, 2 * key[1] : 2 * key[1] + 2] for key in grid}
        o[:] = x * 0.0
        for (i, j), part in table.items():
            o[2 * i : 2 * i + 2, 2 * j : 2 * j + 2] = part + 1.0
        assert {i for i, _ in grid} == {0, 1}

    x, o = run(body)
    want = np.zeros_like(x)
    for i in range(2):
        for j in range(4):
            if (i + j) % 2 == 0:
                want[2 * i : 2 * i + 2, 2 * j : 2 * j + 2] = x[2 * i : 2 * i + 2, 2 * j : 2 * j + 2] + 1
    assert np.array_equal(o, want)


def test_print_shows_expressions(capsys):
    """print at trace time shows expressions, tensors do not break it."""

    @jit
    def kernel(x: T([D, 8], F32), o: T([1], I32)):
        print(x.shape[0], x)
        o[0] = x.shape[0]

    kernel(whole(3, 8), np.zeros(1, np.int32))
    assert "RUNTIME_GetInputShapeDim(ARG_x,0)" in capsys.readouterr().out


def test_bits_of_a_tensor():
    """`view(x, dtype=)` reinterprets the whole tensor; NaNs show their canonical bits."""

    @jit
    def kernel(x: T([4, 8], F32), o: T([4, 8], I32), back: T([4, 8], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        bits = pypto.view(x, dtype=I32)
        o[:] = bits + 0
        back[:] = pypto.view(bits, dtype=F32) * 1.0

    x = whole(4, 8) * np.float32(0.37)
    x[0, :3] = [np.inf, -0.0, 1e-42]
    x[3, 3] = np.array([0xFFC12345], np.uint32).view(np.float32)[0]
    o, back = np.zeros((4, 8), np.int32), blank(4, 8)
    kernel(x, o, back)
    want = x.view(np.int32).copy()
    want[3, 3] = 0x7FC00000
    assert np.array_equal(o, want)
    assert np.array_equal(back, x, equal_nan=True)


def test_constants_of_the_module():
    """DYNAMIC, DYN and STATIC are StatusType members; enums print as `DataType.DT_FP32`."""
    assert pypto.DYNAMIC in pypto.StatusType
    assert pypto.DYN in pypto.StatusType
    assert pypto.STATIC in pypto.StatusType
    assert str(pypto.DT_FP32) == "DataType.DT_FP32"
    assert str(pypto.RunMode.SIM) == "RunMode.SIM"
    assert pypto.DataType.DT_FP32 is pypto.DT_FP32


def test_standard_kernels_warn_of_nothing():
    """An ordinary kernel is silent."""
    with silent():
        x, o = run(lambda x, o: o.move(pypto.exp(x * 0.0)))
    assert (o == 1).all()
