"""Values: what operations leave in outputs, against numpy."""

import numpy as np
import pytest

from openpto.ir import expr as ex
from openpto.ir.dtypes import DataType

F32, I32, I64, BOOL = DataType.DT_FP32, DataType.DT_INT32, DataType.DT_INT64, DataType.DT_BOOL
rng = np.random.default_rng(7)


def normal(*shape):
    return rng.standard_normal(shape).astype(np.float32)


def test_a_pointwise_chain(p):
    x, y = normal(16, 32), normal(16, 32)
    out = np.zeros((16, 32), np.float32)
    a, b, o = p.param("x", x), p.param("y", y), p.param("o", out)
    p.move(p.mul(p.add(a, b), p.sub(a, b)), o)
    report = p.run()
    np.testing.assert_array_equal(out, (x + y) * (x - y))
    assert report.engine == "reference"
    assert report.ops_executed == 4
    assert report.elements_written == (0, 0, 512)


def test_broadcast_and_scalars(p):
    x, row, column = normal(4, 8), normal(1, 8), normal(4, 1)
    out = np.zeros((4, 8), np.float32)
    a, r, c, o = p.param("x", x), p.param("r", row), p.param("c", column), p.param("o", out)
    p.move(p.add(p.mul(a, r), p.mul(c, 2.0)), o)
    p.run()
    np.testing.assert_array_equal(out, x * row + column * np.float32(2))


def test_a_window_keeps_what_it_saw(p):
    x, out = normal(8, 8), np.zeros((4, 8), np.float32)
    before = x.copy()
    a, o = p.param("x", x), p.param("o", out)
    window = p.view(a, [4, 8], [2, 0])
    p.store(p.full([4, 8], 9.0, F32), (2, 0), a)
    p.move(window, o)
    p.run()
    np.testing.assert_array_equal(out, before[2:6])
    before[2:6] = 9
    np.testing.assert_array_equal(x, before)


def test_a_window_that_is_written_does_not_change_its_source(p):
    x, out = normal(8, 8), np.zeros((4, 8), np.float32)
    before = x.copy()
    a, o = p.param("x", x), p.param("o", out)
    window = p.view(a, [4, 8], [4, 0])
    p.store(p.full([2, 8], 1.0, F32), (0, 0), window)
    p.move(p.add(window, p.view(a, [4, 8], [4, 0])), o)
    p.run()
    want = before[4:] * 2
    want[:2] = before[4:6] + 1
    np.testing.assert_array_equal(out, want)
    np.testing.assert_array_equal(x, before)


def test_a_parameter_that_is_overwritten_while_a_full_window_of_it_lives(p):
    """The window gets the copy: the parameter stays in the caller's memory."""
    x = normal(8, 8)
    before = x.copy()
    a = p.param("x", x)
    whole = p.view(a, [8, 8], [0, 0])
    copy = p.clone(a)
    p.store(p.full([8, 8], 3.0, F32), (0, 0), a)
    p.store(p.add(whole, copy), (0, 0), a)
    p.run()
    np.testing.assert_array_equal(x, before + before)


@pytest.mark.parametrize("merged", [False, True])
def test_a_local_that_took_over_a_parameter_is_written_apart(p, merged):
    x, out = normal(8, 8), np.zeros((8, 8), np.float32)
    before = x.copy()
    a, o = p.param("x", x), p.param("o", out)
    t = p.full([8, 8], 0.0, F32)
    if merged:
        p.branch(ex.binary("gt", ex.dim("x", 0), 3), lambda: p.move(a, t))
    else:
        p.move(a, t)
    p.store(p.full([2, 8], 5.0, F32), (0, 0), t)
    p.move(p.add(t, a), o)
    report = p.run()
    want = before * 2
    want[:2] = before[:2] + 5
    np.testing.assert_array_equal(out, want)
    np.testing.assert_array_equal(x, before)
    assert report.elements_written == (0, 64)


def test_swapped_parameters(p):
    x, y = normal(4, 4), normal(4, 4)
    want = y.copy(), x.copy()
    a, b = p.param("x", x), p.param("y", y)
    keep = p.clone(a)
    p.move(b, a)
    p.move(keep, b)
    p.run()
    np.testing.assert_array_equal(x, want[0])
    np.testing.assert_array_equal(y, want[1])


def test_what_the_kernel_does_not_write_stays(p):
    x, out = normal(4, 8), np.full((16, 8), -777, np.float32)
    a, o = p.param("x", x), p.param("o", out)
    p.store(a, (8, 0), o)
    p.run()
    want = np.full((16, 8), -777, np.float32)
    want[8:12] = x
    np.testing.assert_array_equal(out, want)


def test_a_loop_over_a_dynamic_axis(p):
    x, out = normal(40, 16), np.zeros((40, 16), np.float32)
    n = ex.dim("x", 0)
    a, o = p.param("x", x, (n, 16)), p.param("o", out, (ex.dim("o", 0), 16))
    with p.loop(ex.binary("div", ex.binary("add", n, 15), 16)) as i:
        at = ex.binary("mul", i, 16)
        p.store(p.exp(p.view(a, [16, 16], [at, 0])), (at, 0), o)
    report = p.run()
    np.testing.assert_allclose(out, np.exp(x.astype(np.float64)), rtol=3e-7)
    assert report.elements_written == (0, 640)


def test_a_loop_that_runs_downwards(p):
    x, out = normal(4, 8), np.zeros((8,), np.float32)
    a, o = p.param("x", x), p.param("o", out)
    with p.loop(-1, start=3, step=-1) as i:
        p.move(p.squeeze(p.view(a, [1, 8], [i, 0]), (0,)), o)
    p.run()
    np.testing.assert_array_equal(out, x[0])


def test_a_carried_accumulator_of_a_local_tensor(p):
    x, out = normal(32, 8), np.zeros((8, 8), np.float32)
    a, o = p.param("x", x), p.param("o", out)
    total = p.full([8, 8], 0.0, F32)
    with p.loop(4) as i:
        window = p.view(a, [8, 8], [ex.binary("mul", i, 8), 0])
        p.move(p.add(total, window), total)
    p.move(total, o)
    p.run()
    want = np.zeros((8, 8), np.float32)
    for i in range(4):
        want = want + x[8 * i : 8 * i + 8]
    np.testing.assert_array_equal(out, want)


def test_after_no_iterations_the_old_value_counts(p):
    x, out = normal(8, 8), np.zeros((8, 8), np.float32)
    a, o = p.param("x", x), p.param("o", out)
    total = p.full([8, 8], 2.0, F32)
    with p.loop(ex.binary("sub", ex.dim("x", 0), 8)):
        p.move(p.add(total, a), total)
    p.move(total, o)
    p.run()
    assert (out == 2).all()


@pytest.mark.parametrize("taken", [0, 1])
def test_a_branch_and_its_merge(p, taken):
    x, out, flag = normal(8, 8), np.zeros((8, 8), np.float32), np.array([taken], np.int32)
    a, f, o = p.param("x", x), p.param("f", flag), p.param("o", out)
    t = p.clone(a)
    cond = ex.binary("gt", p.read(f, 0), 0)
    p.branch(cond, lambda: p.store(p.full([2, 8], 5.0, F32), (0, 0), t), lambda: p.move(p.neg(t), t))
    p.move(t, o)
    p.run()
    want = x.copy()
    if taken:
        want[:2] = 5
    else:
        want = -x
    np.testing.assert_array_equal(out, want)


def test_scalars_from_tensors_and_carried_scalars(p):
    seq, out = np.array([3, 9, 4], np.int32), np.zeros(2, np.int32)
    s, o = p.param("s", seq), p.param("o", out)
    site = p.site()
    cell = p.trace.scalar("total", site)
    p.trace.set_scalar(cell, ex.const(0), site)
    with p.loop(3) as i:
        present = p.trace.get_scalar(cell, site)
        p.trace.set_scalar(cell, ex.binary("add", present, p.read(s, i)), site)
    total = p.trace.get_scalar(cell, site)
    p.write(o, (0,), total)
    p.write(o, (1,), ex.binary("mul", total, total))
    p.run()
    assert out.tolist() == [16, 256]


@pytest.mark.parametrize("op", ["sum", "amax", "amin"])
@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("keepdim", [False, True])
def test_reductions(p, op, axis, keepdim):
    x = normal(6, 40)
    want = getattr(np, op)(x.astype(np.float64), axis, keepdims=keepdim)
    out = np.zeros(want.shape, np.float32)
    a, o = p.param("x", x), p.param("o", out)
    p.move(getattr(p, op)(a, axis, keepdim), o)
    p.run()
    np.testing.assert_allclose(out, want, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize(("a_trans", "b_trans"), [(False, False), (True, False), (False, True), (True, True)])
def test_matmul_with_batch_broadcast(p, a_trans, b_trans):
    x, y = normal(3, 8, 24), normal(1, 24, 16)
    out = np.zeros((3, 8, 16), np.float32)
    left = np.ascontiguousarray(x.swapaxes(1, 2)) if a_trans else x
    right = np.ascontiguousarray(y.swapaxes(1, 2)) if b_trans else y
    a, b, o = p.param("x", left), p.param("y", right), p.param("o", out)
    p.move(p.matmul(a, b, F32, a_trans=a_trans, b_trans=b_trans), o)
    p.run()
    np.testing.assert_allclose(out, x.astype(np.float64) @ y, rtol=1e-5, atol=1e-5)


def test_matmul_bias_and_relu(p):
    from openpto.ir.enums import ReLuType

    x, y, bias = normal(8, 16), normal(16, 8), normal(1, 8)
    out = np.zeros((8, 8), np.float32)
    a, b, c, o = p.param("x", x), p.param("y", y), p.param("c", bias), p.param("o", out)
    p.move(p.matmul(a, b, F32, extend_params={"bias_tensor": c, "relu_type": ReLuType.RELU}), o)
    p.run()
    np.testing.assert_allclose(out, np.maximum(x.astype(np.float64) @ y + bias, 0), rtol=1e-5, atol=1e-5)


def test_data_movement(p):
    x = normal(4, 6)
    outs = [np.zeros(s, np.float32) for s in ((6, 4), (3, 8), (4, 1, 6), (8, 6), (5, 4, 6))]
    a = p.param("x", x)
    o = [p.param(f"o{k}", out) for k, out in enumerate(outs)]
    p.move(p.transpose(a, 0, 1), o[0])
    p.move(p.reshape(a, (3, 8)), o[1])
    p.move(p.unsqueeze(a, 1), o[2])
    p.move(p.concat([a, p.neg(a)], 0), o[3])
    p.move(p.expand_clone(p.unsqueeze(a, 0), [5, 4, 6]), o[4])
    p.run()
    goldens = [x.T, x.reshape(3, 8), x[:, None], np.concatenate([x, -x]), np.broadcast_to(x, (5, 4, 6))]
    for out, golden in zip(outs, goldens):
        np.testing.assert_array_equal(out, golden)


def test_gather_and_scatter(p):
    x, index = normal(8, 16), rng.integers(0, 8, (4, 16)).astype(np.int32)
    picked, placed, summed = np.zeros((4, 16), np.float32), np.zeros((8, 16), np.float32), np.zeros((8, 16), np.float32)
    a, i = p.param("x", x), p.param("i", index)
    o = [p.param(n, v) for n, v in (("picked", picked), ("placed", placed), ("summed", summed))]
    p.move(p.gather(a, 0, i), o[0])
    p.move(p.scatter(a, 0, i, 2.0), o[1])
    p.move(p.scatter(a, 0, i, p.gather(a, 0, i), reduce="add"), o[2])
    p.run()
    np.testing.assert_array_equal(picked, np.take_along_axis(x, index.astype(np.int64), 0))
    want, total = x.copy(), x.copy()
    for r in range(4):
        for c in range(16):
            want[index[r, c], c] = 2
            total[index[r, c], c] += picked[r, c]
    np.testing.assert_array_equal(placed, want)
    np.testing.assert_array_equal(summed, total)


def test_casts_and_comparisons(p):
    x = normal(4, 8) * 100
    ints, flags = np.zeros((4, 8), np.int32), np.zeros((4, 8), np.bool_)
    a, i, f = p.param("x", x), p.param("i", ints), p.param("f", flags)
    p.move(p.cast(a, I32), i)
    p.move(p.gt(a, 0.0), f)
    p.run()
    np.testing.assert_array_equal(ints, np.trunc(x).astype(np.int32))
    np.testing.assert_array_equal(flags, x > 0)


def test_bits_of_a_nan_are_canonical(p):
    x = np.array([[1.0, np.nan, -0.0, np.inf]], np.float32)
    x.view(np.uint32)[0, 1] = 0xFFC12345
    bits = np.zeros((1, 4), np.int32)
    a, o = p.param("x", x), p.param("o", bits)
    p.move(p.view(a, dtype=I32), o)
    p.run()
    assert bits.view(np.uint32).tolist() == [[0x3F800000, 0x7FC00000, 0x80000000, 0x7F800000]]
    assert x.view(np.uint32)[0, 1] == 0xFFC12345


def test_arange_and_full(p):
    ints, floats, filled = np.zeros(7, np.int32), np.zeros(16, np.float32), np.zeros((2, 2), np.int32)
    a, b, c = p.param("a", ints), p.param("b", floats), p.param("c", filled)
    p.move(p.arange(3, 24, 3), a)
    p.move(p.arange(0.0, 8.0, 0.5), b)
    p.move(p.full([2, 2], ex.binary("mul", ex.dim("a", 0), 3), I32), c)
    p.run()
    assert ints.tolist() == list(range(3, 24, 3))
    assert floats.tolist() == [k * 0.5 for k in range(16)]
    assert (filled == 21).all()


def test_one_tensor_as_two_parameters(p):
    x = normal(4, 4)
    before = x.copy()
    a = p.param("x", x)
    p.trace.params.append(a)
    p.arrays.append(x)
    p.store(p.add(a, a), (0, 0), a)
    assert p.run().elements_written == (16, 16)
    np.testing.assert_array_equal(x, before + before)


def test_a_large_parameter_is_never_copied(p, reference_alone):
    """Windows, writes and loops over a parameter use its own memory only."""
    import tracemalloc

    x = np.zeros((4096, 1024), np.float32)
    n = ex.dim("x", 0)
    a = p.param("x", x, (n, 1024))
    with p.loop(ex.binary("div", n, 16)) as i:
        at = ex.binary("mul", i, 16)
        p.store(p.add(p.view(a, [16, 1024], [at, 0]), 1.0), (at, 0), a)
    kernel = p.kernel()
    from openpto import runtime

    tracemalloc.start()
    runtime.execute(kernel, p.arrays, {})
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (x == 1).all()
    assert peak < 2_000_000
