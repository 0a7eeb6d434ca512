"""Tile shapes and options: where they hold (core 2)."""

import numpy as np
import pytest
from semantics_support import F32, D, T, blank, fails, jit, whole

import pypto


def run(body, *extra):
    @jit
    def kernel(x: T([4, 8], F32), o: T([4, 8], F32)):
        body(x, o)

    x, o = whole(4, 8), blank(4, 8)
    kernel(x, o)
    return x, o


def test_a_tile_must_be_set():
    """A vector op without a tile in force: tile shape not set, with the vendor's code beside ours."""

    def body(x, o):
        o[:] = x + 1.0

    with fails("tile shape not set", line="o[:] = x + 1.0") as caught:
        run(body)
    assert caught.value.code == "PTO301"
    assert "F21004" in str(caught.value)
    assert "set_vec_tile_shapes" in str(caught.value)


def test_a_tile_set_in_a_loop_is_gone_after_it():
    """A loop opens a child scope."""

    def body(x, o):
        for i in pypto.loop(2, name="L", idx_name="i"):
            pypto.set_vec_tile_shapes(4, 8)
            o[:] = x + 1.0
        o[:] = x + 2.0

    with fails("tile shape not set", line="o[:] = x + 2.0"):
        run(body)


def test_a_tile_is_inherited_inward():
    """Outer tiles hold inside; inner ones end with the loop."""

    def body(x, o):
        pypto.set_vec_tile_shapes(4, 8)
        for i in pypto.loop(2, name="L", idx_name="i"):
            assert list(pypto.get_vec_tile_shapes()) == [4, 8]
            pypto.set_vec_tile_shapes(2, 8)
            assert list(pypto.get_vec_tile_shapes()) == [2, 8]
        assert list(pypto.get_vec_tile_shapes()) == [4, 8]
        o[:] = x + 1.0

    x, o = run(body)
    assert np.array_equal(o, x + 1)


def test_a_tile_set_in_a_helper_holds_after_it():
    """A helper is no scope."""

    def tiles():
        pypto.set_vec_tile_shapes(4, 8)

    def body(x, o):
        tiles()
        o[:] = x + 1.0

    x, o = run(body)
    assert np.array_equal(o, x + 1)


@pytest.mark.parametrize(
    ("tile", "match"),
    [((), "tile shape not set"), ((0, 8), "tile shape not set"), ((4, -1), "tile shape not set")],
    ids=str,
)
def test_tiles_without_a_value(tile, match):
    """No values, zero or negative values count as not set."""

    def body(x, o):
        pypto.set_vec_tile_shapes(*tile)
        o[:] = x + 1.0

    with fails(match):
        run(body)


def test_tiles_are_variadic_ints():
    """A list instead of ints is a TypeError."""

    def body(x, o):
        pypto.set_vec_tile_shapes([4, 8])
        o[:] = x + 1.0

    with fails("list|int", exc=TypeError, line="pypto.set_vec_tile_shapes([4, 8])"):
        run(body)


def test_too_few_tile_values():
    """Fewer values than the output has axes."""

    def body(x, o):
        pypto.set_vec_tile_shapes(8)
        o[:] = x + 1.0

    with fails("tile", line="o[:] = x + 1.0"):
        run(body)


def test_tiles_that_exceed_or_do_not_divide():
    """Larger tiles are cut to the shape, tiles need not divide it; results are the same."""
    for tile in ((64, 64), (3, 5), (1, 8), (4, 8)):

        def body(x, o):
            pypto.set_vec_tile_shapes(*tile)
            o[:] = x + 1.0

        x, o = run(body)
        assert np.array_equal(o, x + 1)


def test_cube_tile_must_be_set():
    """matmul without a cube tile: Invalid tile values."""

    @jit
    def kernel(a: T([4, 8], F32), b: T([8, 4], F32), o: T([4, 4], F32)):
        pypto.set_vec_tile_shapes(4, 8)
        o[:] = pypto.matmul(a, b, F32)

    with fails("Invalid tile values: kL0=0", line="o[:] = pypto.matmul(a, b, F32)"):
        kernel(whole(4, 8), whole(8, 4), blank(4, 4))


@pytest.mark.parametrize(
    ("tiles", "match"),
    [
        (([16], [16, 16], [16, 16]), "m must have exactly 2 elements"),
        (([16, 16], [16], [16, 16]), "k must have 2 or 3 elements"),
        (([16, 16], [16, 16], [16, 16, 16]), "n must have exactly 2 elements"),
        (([32, 16], [16, 16], [16, 16]), "Invalid L1/L0 relation"),
        (([16, 24], [16, 16], [16, 16]), "Invalid L1/L0 relation"),
        (([16, 16], [8, 8], [16, 16]), "aligned to 16 elements"),
        (([16, 16], [16, 16], [24, 24]), "aligned to 16 elements"),
        (([256, 256], [128, 128], [16, 16]), "L0A"),
        (([16, 16], [128, 128], [256, 256]), "L0B"),
    ],
    ids=str,
)
def test_cube_tiles_that_do_not_fit(tiles, match):
    """Lengths, relations, alignment and capacity of cube tiles."""

    @jit
    def kernel(a: T([256, 256], F32), b: T([256, 256], F32), o: T([256, 256], F32)):
        pypto.set_vec_tile_shapes(64, 128)
        pypto.set_cube_tile_shapes(*tiles)
        o[:] = pypto.matmul(a, b, F32)

    with fails(match):
        kernel(whole(256, 256), whole(256, 256), blank(256, 256))


def test_getters():
    """Getters return what is in force; outside kernels the globals, empty when unset."""
    assert list(pypto.get_vec_tile_shapes()) == []
    seen = []

    def body(x, o):
        pypto.set_vec_tile_shapes(4, 8)
        pypto.set_cube_tile_shapes([16, 32], [16, 64], [16, 16])
        seen.append((list(pypto.get_vec_tile_shapes()), pypto.get_cube_tile_shapes()))
        o[:] = x + 1.0

    run(body)
    vec, cube = seen[0]
    assert vec == [4, 8]
    assert [list(part) for part in cube[:3]] == [[16, 32], [16, 64, 64], [16, 16]]
    assert cube[3] is False or cube[3] == 0


def test_pass_options_are_local():
    """Pass options set in a kernel do not leak out."""
    before = pypto.get_pass_options()

    def body(x, o):
        pypto.set_vec_tile_shapes(4, 8)
        pypto.set_pass_options(sg_set_scope=3)
        o[:] = x + 1.0

    x, o = run(body)
    assert np.array_equal(o, x + 1)
    assert pypto.get_pass_options() == before


def test_options_as_a_decorator_change_no_result():
    """Options that steer the device change no result."""

    @jit(
        pass_options={"vec_nbuffer_setting": {-1: 2}, "cube_l1_reuse_setting": {-1: 4}},
        runtime_options={"stitch_function_max_num": 8, "device_sched_mode": 1},
    )
    def kernel(x: T([D, 8], F32), o: T([D, 8], F32)):
        pypto.set_vec_tile_shapes(1, 8)
        pypto.set_semantic_label("rows")
        pypto.experimental.set_operation_options(combine_axis=True)
        for i in pypto.loop(x.shape[0], name="L", idx_name="i"):
            pypto.assemble(pypto.view(x, [1, 8], [i, 0]) + 1.0, [i, 0], o)

    x, o = whole(3, 8), blank(3, 8)
    kernel(x, o)
    assert np.array_equal(o, x + 1)


def test_unified_buffer_overflow():
    """A tile whose buffers exceed UB."""

    @jit
    def kernel(x: T([512, 512], F32), o: T([512, 512], F32)):
        pypto.set_vec_tile_shapes(512, 512)
        o[:] = x + 1.0

    with fails("UB", line="o[:] = x + 1.0"):
        kernel(whole(512, 512), blank(512, 512))


def test_options_as_a_decorator_of_a_helper():
    """A helper under `@pypto.options(...)` has its own settings, and its loops and conditions are traced."""

    @pypto.options(vec_tile_shapes=[2, 8])
    def rows_plus_one(x, o):
        assert list(pypto.get_vec_tile_shapes()) == [2, 8]
        for i in pypto.loop(0, 4, 2, name="L", idx_name="i"):
            if i > 0:
                pypto.assemble(pypto.view(x, [2, 8], [i, 0]) + 1.0, [i, 0], o)
            else:
                pypto.assemble(pypto.view(x, [2, 8], [i, 0]) + 2.0, [i, 0], o)

    def body(x, o):
        pypto.set_vec_tile_shapes(4, 8)
        rows_plus_one(x, o)
        assert list(pypto.get_vec_tile_shapes()) == [4, 8]

    x, o = run(body)
    assert np.array_equal(o[2:], x[2:] + 1)
    assert np.array_equal(o[:2], x[:2] + 2)
