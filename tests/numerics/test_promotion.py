"""Where chains of FP16 and BF16 operations round: numerics npu and strict against step-by-step numpy."""

import ml_dtypes
import numpy as np
import pytest

import openpto
import pypto

BF16, F32 = ml_dtypes.bfloat16, np.float32
SHAPE = (8, 16)


def data(dtype, *seeds):
    return [np.random.default_rng(s).standard_normal(SHAPE).astype(dtype) for s in seeds]


def wide(*arrays):
    return [a.astype(F32) for a in arrays]


@pypto.frontend.jit
def bf16_chain(
    x: pypto.Tensor([8, 16], pypto.DT_BF16),
    y: pypto.Tensor([8, 16], pypto.DT_BF16),
    out: pypto.Tensor([8, 16], pypto.DT_BF16),
):
    pypto.set_vec_tile_shapes(8, 16)
    out[:] = (x + y) * x - y


@pypto.frontend.jit
def fp16_chain(
    x: pypto.Tensor([8, 16], pypto.DT_FP16),
    y: pypto.Tensor([8, 16], pypto.DT_FP16),
    out: pypto.Tensor([8, 16], pypto.DT_FP16),
):
    pypto.set_vec_tile_shapes(8, 16)
    out[:] = (x + y) * x / y


@pypto.frontend.jit
def bf16_reads(
    x: pypto.Tensor([8, 16], pypto.DT_BF16),
    y: pypto.Tensor([8, 16], pypto.DT_BF16),
    out: pypto.Tensor([8, 16], pypto.DT_BF16),
):
    pypto.set_vec_tile_shapes(8, 16)
    total = x * y
    whole = pypto.clone(total)
    out[:] = total + whole * 0.3


@pypto.frontend.jit
def bf16_loop(
    x: pypto.Tensor([8, 16], pypto.DT_BF16),
    y: pypto.Tensor([8, 16], pypto.DT_BF16),
    out: pypto.Tensor([8, 16], pypto.DT_BF16),
):
    pypto.set_vec_tile_shapes(8, 16)
    total = x * y
    for _ in pypto.loop(3):
        total = total * x + y
    out[:] = total


@pypto.frontend.jit
def bf16_sum(x: pypto.Tensor([8, 16], pypto.DT_BF16), out: pypto.Tensor([8, 1], pypto.DT_BF16)):
    pypto.set_vec_tile_shapes(8, 16)
    out[:] = pypto.sum(x * 0.1, -1, True) * 3.0


def lanes_sum(x):
    """Sum of 16 columns: a halving tree from -0."""
    x = x + F32(-0.0)
    for half in (8, 4, 2, 1):
        x = x[:, :half] + x[:, half : 2 * half]
    return x


def run(kernel, *arrays, shape=SHAPE, dtype=None):
    out = np.zeros(shape, dtype or arrays[0].dtype)
    kernel(*arrays, out)
    return out


@pytest.mark.parametrize("numerics", ["npu", "strict"])
def test_bf16_chain_rounds_once(numerics):
    x, y = data(BF16, 1, 2)
    a, b = wide(x, y)
    step = (lambda v: v) if numerics == "npu" else (lambda v: v.astype(BF16).astype(F32))
    want = (step(step(a + b) * a) - b).astype(BF16)
    with openpto.configure(numerics=numerics):
        assert np.array_equal(run(bf16_chain, x, y), want)


def test_the_modes_differ():
    x, y = data(BF16, 1, 2)
    with openpto.configure(numerics="strict"):
        strict = run(bf16_chain, x, y)
    assert not np.array_equal(strict, run(bf16_chain, x, y))


@pytest.mark.parametrize("numerics", ["npu", "strict"])
def test_fp16_division_is_not_promoted(numerics):
    x, y = data(np.float16, 3, 4)
    a, b = wide(x, y)
    step = (lambda v: v) if numerics == "npu" else (lambda v: v.astype(np.float16).astype(F32))
    product = (step(a + b) * a).astype(np.float16).astype(F32)
    want = (product / b).astype(np.float16)
    with openpto.configure(numerics=numerics):
        assert np.array_equal(run(fp16_chain, x, y), want)


def test_data_movement_reads_the_rounded_value():
    x, y = data(BF16, 5, 6)
    a, b = wide(x, y)
    factor = F32(np.asarray(0.3).astype(BF16))
    moved = (a * b).astype(BF16).astype(F32)
    assert np.array_equal(run(bf16_reads, x, y), (a * b + moved * factor).astype(BF16))


@pypto.frontend.jit
def bf16_taken_over(
    x: pypto.Tensor([8, 16], pypto.DT_BF16),
    y: pypto.Tensor([8, 16], pypto.DT_BF16),
    out: pypto.Tensor([8, 16], pypto.DT_BF16),
):
    pypto.set_vec_tile_shapes(8, 16)
    t = x + y
    t[:] = t * x
    part = pypto.tensor([8, 16], pypto.DT_BF16)
    part[0:4, :] = t[0:4, :]
    part[4:8, :] = t[4:8, :]
    out[0:4, :] = (t * y)[0:4, :]
    out[4:8, :] = (part * y)[4:8, :]


def test_a_local_that_takes_a_value_over_rounds_nothing_and_a_store_of_a_part_rounds():
    x, y = data(BF16, 9, 10)
    a, b = wide(x, y)
    exact = (a + b) * a
    want = np.concatenate([exact[:4], exact.astype(BF16).astype(F32)[4:]]) * b
    assert np.array_equal(run(bf16_taken_over, x, y), want.astype(BF16))


def test_loop_results_are_rounded():
    x, y = data(BF16, 7, 8)
    a, b = wide(x, y)
    total = (a * b).astype(BF16)
    for _ in range(3):
        total = (total.astype(F32) * a + b).astype(BF16)
    assert np.array_equal(run(bf16_loop, x, y), total)


@pytest.mark.parametrize("numerics", ["npu", "strict"])
def test_reductions_accumulate_in_fp32(numerics):
    (x,) = data(BF16, 9)
    step = (lambda v: v) if numerics == "npu" else (lambda v: v.astype(BF16).astype(F32))
    scaled = step(x.astype(F32) * F32(np.asarray(0.1).astype(BF16)))
    want = (step(lanes_sum(scaled)) * F32(3)).astype(BF16)
    with openpto.configure(numerics=numerics):
        assert np.array_equal(run(bf16_sum, x, shape=(8, 1)), want)


def test_kernels_without_16_bit_types_stay_as_they_are():
    @pypto.frontend.jit
    def plain(x: pypto.Tensor([8, 16], pypto.DT_FP32), out: pypto.Tensor([8, 16], pypto.DT_FP32)):
        pypto.set_vec_tile_shapes(8, 16)
        out[:] = x + 1.0

    x = np.ones(SHAPE, F32)
    assert np.array_equal(run(plain, x), x + 1)
    assert plain.last_run.ops_executed == 2


def test_undefined_elements_are_told_of_the_operation_that_the_author_wrote():
    @pypto.frontend.jit
    def partly(x: pypto.Tensor([8, 16], pypto.DT_BF16), out: pypto.Tensor([8, 1], pypto.DT_BF16)):
        pypto.set_vec_tile_shapes(8, 16)
        t = pypto.tensor([8, 16], pypto.DT_BF16)
        t[0:4, :] = x[0:4, :]
        total = pypto.sum(t, -1, True)
        out[0:4, :] = total[0:4, :]

    out = np.zeros((8, 1), BF16)
    with pytest.warns(pypto.PyptoWarning, match="sum") as told:
        partly(np.ones(SHAPE, BF16), out)
    assert out.ravel().tolist() == [16.0] * 4 + [0.0] * 4
    assert not [w for w in told if "convert" in str(w.message)]


def test_values_enter_loops_and_branches_in_fp32_and_leave_them_rounded():
    @pypto.frontend.jit
    def nested(
        x: pypto.Tensor([8, 16], pypto.DT_BF16),
        n: pypto.Tensor([1], pypto.DT_INT32),
        out: pypto.Tensor([2, 8, 16], pypto.DT_BF16),
    ):
        pypto.set_vec_tile_shapes(1, 8, 16)
        square = x * x
        picked = x
        for i in pypto.loop(2):
            out[i, :, :] = square - x
        if n[0] > 0:
            picked = square + x
        out[1, :, :] = picked * x

    (x,) = data(BF16, 10)
    a = x.astype(F32)
    out = np.zeros((2, 8, 16), BF16)
    nested(x, np.ones(1, np.int32), out)
    picked = (a * a + a).astype(BF16).astype(F32)
    assert np.array_equal(out[0], (a * a - a).astype(BF16))
    assert np.array_equal(out[1], (picked * a).astype(BF16))
    nested(x, np.zeros(1, np.int32), out)
    assert np.array_equal(out[1], (a * a).astype(BF16))
