"""Faults: each stops the run with its code, at the line of the statement, with loop indices and sizes."""

import numpy as np
import pytest

from openpto import runtime
from openpto.diagnostics import PyptoError
from openpto.ir import expr as ex
from openpto.ir.dtypes import DataType
from openpto.ir.nodes import Imm, TileType

F32, I32 = DataType.DT_FP32, DataType.DT_INT32


def x_and_out(p, rows=32, columns=16):
    x = np.arange(rows * columns, dtype=np.float32).reshape(rows, columns)
    out = np.full((rows, columns), -777, np.float32)
    n = (ex.dim("x", 0), columns)
    return p.param("x", x, n), p.param("o", out, (ex.dim("o", 0), columns))


def lengths(p, *values, dtype=np.int32):
    return p.param("n", np.array(values, dtype))


def stopped(p, code, **fields):
    with pytest.raises(PyptoError) as caught:
        p.run()
    error = caught.value
    assert error.code == code, str(error)
    assert error.fault
    for name, value in fields.items():
        assert error.fields[name] == value, (name, error.fields[name], str(error))
    assert "unspecified" in str(error)
    return error


def indices(error):
    return [(frame.index_name, frame.value) for frame in error.site.loops]


def test_an_undefined_element_must_not_reach_an_output(p):
    x, o = x_and_out(p)
    t = p.alloc([8, 16], F32)
    p.store(p.view(x, [4, 16], [0, 0]), (0, 0), t)
    doubled = p.mul(t, 2.0)
    line = next(p.lines)
    p.store(doubled, (8, 0), o)
    with pytest.warns(UserWarning, match="PTO431|never given a value"):
        error = stopped(p, "PTO401", name="o", index="[12, 0]")
    assert error.site.span.line == line + 1


def test_an_undefined_element_that_is_dropped_is_a_warning(p):
    x, o = x_and_out(p)
    t = p.alloc([8, 16], F32)
    p.store(p.view(x, [4, 16], [0, 0]), (0, 0), t)
    doubled = p.mul(t, 2.0)
    p.store(p.view(doubled, [4, 16], [0, 0]), (0, 0), o)
    with pytest.warns(UserWarning, match="never given a value"):
        report = p.run()
    assert [w.code for w in report.warnings] == ["PTO431"]
    assert (p.arrays[1][:4] == 2 * p.arrays[0][:4]).all()


def test_an_undefined_part_that_is_overwritten_later_is_fine(p):
    x, o = x_and_out(p)
    t = p.alloc([8, 16], F32)
    p.store(p.view(x, [4, 16], [0, 0]), (0, 0), t)
    p.store(t, (0, 0), o)
    p.store(p.view(x, [4, 16], [8, 0]), (4, 0), o)
    p.run()
    assert (p.arrays[1][:4] == p.arrays[0][:4]).all()
    assert (p.arrays[1][4:8] == p.arrays[0][8:12]).all()


def test_the_line_of_an_undefined_output_names_the_iteration(p):
    x, o = x_and_out(p)
    t = p.alloc([8, 16], F32)
    p.store(p.view(x, [4, 16], [0, 0]), (0, 0), t)
    with p.loop(4) as i:
        p.store(t, (ex.binary("mul", i, 8), 0), o)
        p.store(p.view(x, [8, 16], [0, 0]), (0, 0), o)
    error = stopped(p, "PTO401", index="[12, 0]")
    assert indices(error) == [("i", 1)]


def test_rows_of_a_matmul_that_touch_undefined_elements(p):
    x, o = x_and_out(p, 32, 16)
    t = p.alloc([16, 16], F32)
    p.store(p.view(x, [4, 16], [0, 0]), (0, 0), t)
    product = p.matmul(t, p.view(x, [16, 16], [0, 0]), F32)
    p.store(p.view(product, [4, 16], [0, 0]), (0, 0), o)
    with pytest.warns(UserWarning, match="never given a value"):
        p.run()
    want = p.arrays[0][:4].astype(np.float64) @ p.arrays[0][:16]
    np.testing.assert_allclose(p.arrays[1][:4], want, rtol=1e-6)


def test_columns_of_a_matmul_that_touch_undefined_elements(p):
    x, o = x_and_out(p, 32, 16)
    t = p.alloc([16, 16], F32)
    p.store(p.view(x, [16, 4], [0, 0]), (0, 0), t)
    product = p.matmul(p.view(x, [16, 16], [0, 0]), t, F32)
    p.store(product, (0, 0), o)
    with pytest.warns(UserWarning, match="never given a value"):
        stopped(p, "PTO401", index="[0, 4]")


def test_an_undefined_scalar(p):
    x, o = x_and_out(p)
    t = p.alloc([4], I32)
    p.write(t, (2,), ex.const(5))
    p.read(t, 1)
    stopped(p, "PTO402", name="t", index="[1]")


def test_a_tensor_that_no_write_reached(p):
    x, o = x_and_out(p)
    t = p.alloc([8, 16], F32)
    with p.loop(ex.binary("sub", ex.dim("x", 0), 32)):
        p.move(p.view(x, [8, 16], [0, 0]), t)
    p.store(t, (0, 0), o)
    stopped(p, "PTO403", name="t", shape="[8, 16]")


def test_a_name_that_only_a_branch_sets(p):
    x, o = x_and_out(p)
    from openpto.ir.nodes import TileType

    t = p.trace.carry(TileType((8, 16), F32), (8, 16), "t", p.site())
    p.branch(ex.binary("gt", ex.dim("x", 0), 100), lambda: p.move(p.view(x, [8, 16], [0, 0]), t))
    p.store(t, (0, 0), o)
    error = stopped(p, "PTO404", name="t")
    assert isinstance(error, UnboundLocalError)
    assert "name 't' is not defined" in str(error)


def test_a_scalar_that_no_iteration_sets(p):
    x, o = x_and_out(p)
    site = p.site()
    cell = p.trace.scalar("last", site)
    with p.loop(ex.binary("sub", ex.dim("x", 0), 32)) as i:
        p.trace.set_scalar(cell, i, site)
    last = p.trace.get_scalar(cell, site)
    p.store(p.view(x, [8, 16], [last, 0]), (0, 0), o)
    stopped(p, "PTO404", name="last")


@pytest.mark.parametrize(
    ("expression", "code", "cls"),
    [
        (lambda n: ex.binary("mul", n, 2**62), "PTO405", OverflowError),
        (lambda n: ex.binary("div", 8, ex.binary("sub", n, 4)), "PTO406", ZeroDivisionError),
        (lambda n: ex.binary("mod", 8, ex.binary("sub", n, 4)), "PTO406", ZeroDivisionError),
        (lambda n: ex.binary("div", ex.binary("sub", 1, n), 2), "PTO407", ArithmeticError),
    ],
)
def test_scalars_without_a_meaning(p, expression, code, cls):
    x, o = x_and_out(p)
    n = p.read(lengths(p, 4), 0)
    p.store(p.view(x, [8, 16], [expression(n), 0]), (0, 0), o)
    error = stopped(p, code)
    assert isinstance(error, cls)
    assert "ceildiv" in str(error) or code != "PTO407"


def test_the_untaken_side_of_a_select_is_not_evaluated(p):
    x, o = x_and_out(p)
    n = p.read(lengths(p, 0), 0)
    at = ex.select(ex.binary("gt", n, 0), ex.binary("div", 8, n), 3)
    p.store(p.view(x, [8, 16], [at, 0]), (0, 0), o)
    p.run()
    assert (p.arrays[1][:8] == p.arrays[0][3:11]).all()


@pytest.mark.parametrize("index", [4, -1])
def test_element_indices_out_of_range(p, index):
    n = lengths(p, 1, 2, 3, 4)
    p.read(n, ex.binary("add", index, ex.binary("sub", ex.dim("n", 0), 4)))
    stopped(p, "PTO408", name="n", index=f"[{index}]", axis=0, extent=4)


def test_a_stored_scalar_out_of_range(p):
    n = lengths(p, 4)
    p.write(n, (0,), ex.binary("mul", p.read(n, 0), 2**30))
    stopped(p, "PTO409", value=2**32)


def test_a_window_before_the_tensor_names_loop_and_numbers(p):
    x, o = x_and_out(p)
    with p.loop(4, name="OUTER", idx="a"), p.loop(3, name="INNER", idx="b") as b:
        at = ex.binary("sub", 1, b)
        p.store(p.view(x, [8, 16], [at, 0]), (0, 0), o)
    error = stopped(p, "PTO450", axis=0, offset=-1)
    assert indices(error) == [("a", 0), ("b", 2)]
    assert "b = 2" in str(error)


def test_valid_shape_past_the_source(p):
    x, o = x_and_out(p)
    n = p.read(lengths(p, 6), 0)
    p.store(p.view(x, [8, 16], [28, 0], valid_shape=[n, 16]), (0, 0), o)
    error = stopped(p, "PTO451", axis=0, want=6, rest=4, have=32)
    assert "newValidShapes" in str(error)


def test_valid_shape_outside_of_the_shape(p):
    x, o = x_and_out(p)
    n = p.read(lengths(p, -1), 0)
    p.store(p.view(x, [8, 16], [0, 0], valid_shape=[n, 16]), (0, 0), o)
    stopped(p, "PTO455", valid="[-1, 16]", shape="[8, 16]")


def test_a_window_past_the_end_is_cut_and_a_window_outside_is_empty(p):
    x, o = x_and_out(p)
    n = p.read(lengths(p, 28, 40), 0)
    p.store(p.view(x, [8, 16], [n, 0]), (0, 0), o)
    p.store(p.view(x, [8, 16], [ex.binary("add", n, 12), 0]), (1000, 0), o)
    report = p.run()
    assert report.elements_written[1] == 4 * 16
    assert (p.arrays[1][:4] == p.arrays[0][28:]).all()
    assert (p.arrays[1][4:] == -777).all()


def test_a_store_past_the_end_counts_the_valid_region(p):
    x, o = x_and_out(p)
    n = p.read(lengths(p, 4), 0)
    p.store(p.view(x, [8, 16], [0, 0], valid_shape=[n, 16]), (28, 0), o)
    p.run()
    assert (p.arrays[1][28:] == p.arrays[0][:4]).all()


@pytest.mark.parametrize(("offset", "low", "high"), [(28, 28, 36), (-1, -1, 7)])
def test_a_store_outside(p, offset, low, high):
    x, o = x_and_out(p)
    at = ex.binary("add", p.read(lengths(p, 0), 0), offset)
    p.store(p.view(x, [8, 16], [0, 0]), (at, 0), o)
    stopped(p, "PTO452", axis=0, low=low, high=high, capacity=32)


def test_a_slice_whose_extent_is_not_that_of_the_value(p):
    x, o = x_and_out(p)
    n = p.read(lengths(p, 5), 0)
    p.store(p.view(x, [8, 16], [0, 0], valid_shape=[4, 16]), (0, 0), o, extents=(n, None))
    stopped(p, "PTO453", axis=0, extent=5, capacity=8, have=4)


@pytest.mark.parametrize("extent", [8, 4])
def test_a_slice_with_the_extent_of_the_value_or_of_its_valid_region(p, extent):
    x, o = x_and_out(p)
    n = p.read(lengths(p, extent), 0)
    p.store(p.view(x, [8, 16], [0, 0], valid_shape=[4, 16]), (0, 0), o, extents=(n, None))
    p.run()
    assert (p.arrays[1][4:] == -777).all()


@pytest.mark.parametrize("bad", [16, -1])
def test_indices_of_gather_and_scatter(p, bad):
    x, o = x_and_out(p, 8, 16)
    index = np.zeros((8, 16), np.int32)
    index[3, 2] = bad
    i = p.param("i", index)
    p.move(p.gather(p.view(x, [8, 16], [0, 0]), 1, i), o)
    stopped(p, "PTO454", value=bad, at="[3, 2]", axis=1, extent=16)


def test_concat_along_a_cut_axis(p):
    x, o = x_and_out(p)
    n = p.read(lengths(p, 5), 0)
    a = p.view(x, [8, 8], [0, 0], valid_shape=[8, n])
    b = p.view(x, [8, 8], [0, 8])
    p.store(p.concat([a, b], 1), (0, 0), o)
    stopped(p, "PTO457", number=0, axis=1, have=5, capacity=8)


def test_concat_of_different_extents(p):
    x, o = x_and_out(p)
    n = p.read(lengths(p, 5), 0)
    a = p.view(x, [8, 8], [0, 0], valid_shape=[n, 8])
    b = p.view(x, [8, 8], [0, 8])
    p.store(p.concat([a, b], 1), (0, 0), o)
    stopped(p, "PTO458", number=1, have="[8, 8]", first="[5, 8]")


def test_a_loop_step_of_zero(p):
    x, o = x_and_out(p)
    n = p.read(lengths(p, 0), 0)
    with p.loop(4, step=n):
        p.store(p.view(x, [8, 16], [0, 0]), (0, 0), o)
    stopped(p, "PTO460", name="L")


def test_a_local_with_a_negative_extent(p):
    x, o = x_and_out(p)
    n = p.read(lengths(p, -3), 0)
    p.alloc([n, 16], F32)
    stopped(p, "PTO459", shape="[-3, 16]")


def test_moving_another_number_of_elements(p):
    x, o = x_and_out(p)
    t = p.alloc([ex.binary("sub", ex.dim("x", 0), 2), 16], F32)
    p.store(p.view(x, [8, 16], [0, 0]), (0, 0), t)
    p.move(t, o)
    stopped(p, "PTO462", op="move")


def test_the_first_fault_in_program_order_wins(p):
    x, o = x_and_out(p)
    with p.loop(8) as i:
        p.store(p.view(x, [8, 16], [0, 0]), (ex.binary("mul", i, 8), 0), o)
        p.view(x, [8, 16], [ex.binary("sub", 3, i), 0])
    error = stopped(p, "PTO452", low=32)
    assert indices(error) == [("i", 4)]


def test_storing_outside_of_a_cut_local(p):
    x, o = x_and_out(p)
    n = p.read(lengths(p, 4), 0)
    t = p.clone(p.view(x, [8, 16], [0, 0], valid_shape=[n, 16]))
    p.store(p.view(x, [2, 16], [0, 0]), (5, 0), t)
    stopped(p, "PTO452", low=5, high=7, capacity=4)


def test_no_memory(p, monkeypatch):
    x, o = x_and_out(p)
    huge = TileType((2**20, 2**30), F32)  # more than an operation takes; a symbolic local may ask for it
    with p.line() as site:
        p.trace.emit("full", [Imm(1.0, F32)], [(huge, huge.shape)], {"valid": None}, site=site)
    error = stopped(p, "PTO442")
    assert isinstance(error, MemoryError)


def test_an_unknown_engine(p):
    with pytest.raises(PyptoError) as caught:
        runtime.execute(p.kernel(), [], {}, engine="abacus")
    assert caught.value.code == "PTO440"


def test_flushed_denormals_are_refused(p, monkeypatch, reference_alone):
    from openpto.runtime.reference import engine

    monkeypatch.setattr(engine, "denormals_flushed", lambda: True)
    x_and_out(p)
    with pytest.raises(PyptoError) as caught:
        p.run()
    assert caught.value.code == "PTO441"


def test_a_run_can_be_interrupted_and_repeated(p, monkeypatch):
    from openpto.runtime.reference import machine

    x, o = x_and_out(p)
    with p.loop(4) as i:
        at = ex.binary("mul", i, 8)
        p.store(p.mul(p.view(x, [8, 16], [at, 0]), 2.0), (at, 0), o)
    kernel = p.kernel()
    real, calls = machine.Machine.op, []

    def interrupted(self, op):
        calls.append(op)
        if len(calls) == 5:
            raise KeyboardInterrupt
        real(self, op)

    monkeypatch.setattr(machine.Machine, "op", interrupted)
    with pytest.raises(KeyboardInterrupt):
        runtime.execute(kernel, p.arrays, {})
    monkeypatch.undo()
    runtime.execute(kernel, p.arrays, {})
    assert (p.arrays[1] == 2 * p.arrays[0]).all()
