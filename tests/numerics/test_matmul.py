"""Matrix products against one scalar fused multiply-add at a time, and against exact integers."""

from __future__ import annotations

import ctypes
import ctypes.util
from collections.abc import Callable

import ml_dtypes
import numpy as np
import pytest

from openpto.ir.enums import TransMode
from openpto.ops.math.conversion import tf32_expression
from openpto.runtime.reference import matmul as module
from openpto.runtime.reference.evaluate import evaluate
from openpto.runtime.reference.matmul import matmul_f32, matmul_i8


@pytest.fixture(scope="module")
def scalar_fma() -> Callable[[float, float, float], float]:
    name = ctypes.util.find_library("m")
    if name is None:
        pytest.skip("no C mathematics library")
    function = ctypes.CDLL(name).fmaf
    function.restype = ctypes.c_float
    function.argtypes = [ctypes.c_float] * 3
    return function


def slow_product(a: np.ndarray, b: np.ndarray, fma: Callable[[float, float, float], float]) -> np.ndarray:
    out = np.zeros((a.shape[0], b.shape[1]), np.float32)
    rows, columns = a.tolist(), b.T.tolist()
    for i, row in enumerate(rows):
        for j, column in enumerate(columns):
            acc = 0.0
            for x, y in zip(row, column):
                acc = fma(x, y, acc)
            out[i, j] = acc
    return out


def same_bits(a: np.ndarray, b: np.ndarray) -> None:
    assert a.shape == b.shape
    assert a.dtype == b.dtype == np.float32
    wrong = (a.view(np.uint32) != b.view(np.uint32)) & ~(np.isnan(a) & np.isnan(b))
    assert not wrong.any(), f"{wrong.sum()} differ, first at {np.argwhere(wrong)[0]}"


def operands(kind: str, m: int, k: int, n: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(m * 10000 + k * 100 + n)
    a, b = rng.standard_normal((m, k)), rng.standard_normal((k, n))
    if kind == "bf16":  # short mantissas: exact FP64 sums and many true ties
        a, b = a.astype(ml_dtypes.bfloat16), b.astype(ml_dtypes.bfloat16)
    elif kind == "integers":
        a, b = rng.integers(-8, 9, (m, k)), rng.integers(-8, 9, (k, n))
    elif kind == "large integers":
        a, b = rng.integers(-(2**13), 2**13, (m, k)), rng.integers(-(2**13), 2**13, (k, n))
    elif kind == "denormal":
        a, b = a * 2.0 ** rng.integers(-90, -60, (m, k)), b * 2.0 ** rng.integers(-85, -55, (k, n))
    elif kind == "midpoints":
        a = 2.0 ** rng.integers(-20, 20, (m, k)) * (1 + rng.integers(-1, 2, (m, k)) * 2.0**-23)
        b = 2.0 ** rng.integers(-20, 20, (k, n)) * (1 + rng.integers(-1, 2, (k, n)) * 2.0**-23)
    elif kind == "extreme":
        a, b = a * 2.0 ** rng.integers(-120, 120, (m, k)), b * 2.0 ** rng.integers(-120, 120, (k, n))
        a[0, 0], b[-1, -1] = np.inf, np.nan
    return a.astype(np.float32), b.astype(np.float32)


KINDS = ["random", "bf16", "integers", "large integers", "denormal", "midpoints", "extreme"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("m", "k", "n"), [(1, 1, 1), (5, 40, 7), (16, 64, 33), (40, 129, 20)])
def test_matches_scalar_steps(kind, m, k, n, scalar_fma):
    a, b = operands(kind, m, k, n)
    same_bits(matmul_f32(a, b), slow_product(a, b, scalar_fma))


@pytest.mark.parametrize("block", [1, 7, 64, 10**6])
@pytest.mark.parametrize("kind", ["random", "midpoints", "denormal"])
def test_blocking_changes_nothing(monkeypatch, block, kind):
    a, b = operands(kind, 33, 17, 600)
    usual = matmul_f32(a, b)
    monkeypatch.setattr(module, "BLOCK", block)
    same_bits(matmul_f32(a[:9], b[:, :520]), usual[:9, :520])


def test_exact_shortcut_gives_plus_zero(scalar_fma):
    a, b = np.array([[-1.0, 0.0]], np.float32), np.array([[0.0], [-3.0]], np.float32)
    result = matmul_f32(a, b)
    assert not np.signbit(result).any()
    same_bits(result, slow_product(a, b, scalar_fma))


def test_transposed_operands_are_the_same_product():
    a, b = operands("random", 20, 30, 25)
    expected = matmul_f32(a, b)
    same_bits(matmul_f32(np.ascontiguousarray(a.T), b, a_trans=True), expected)
    same_bits(matmul_f32(a, np.ascontiguousarray(b.T), b_trans=True), expected)
    same_bits(matmul_f32(a.T.copy(), b.T.copy(), a_trans=True, b_trans=True), expected)


@pytest.mark.parametrize(
    ("left", "right"), [((4, 1), (1, 5)), ((3,), (3,)), ((2, 3), (1, 1)), ((), (6,)), ((1, 70), (2, 1))]
)
def test_batches_broadcast(left, right):
    rng = np.random.default_rng(1)
    a = rng.standard_normal((*left, 6, 9)).astype(np.float32)
    b = rng.standard_normal((*right, 9, 8)).astype(np.float32)
    batch = np.broadcast_shapes(left, right)
    result = matmul_f32(a, b)
    assert result.shape == (*batch, 6, 8)
    wide_a, wide_b = np.broadcast_to(a, (*batch, 6, 9)), np.broadcast_to(b, (*batch, 9, 8))
    for index in np.ndindex(*batch):
        same_bits(result[index], matmul_f32(wide_a[index], wide_b[index]))


def test_close_to_the_double_product():
    a, b = operands("random", 128, 128, 128)
    np.testing.assert_allclose(matmul_f32(a, b), a.astype(np.float64) @ b, atol=2e-5)


def test_epilogue_rounds_once_per_step():
    a, b = operands("random", 10, 50, 12)
    bias, scale = np.linspace(-1, 1, 12, dtype=np.float32), np.float32(0.3)
    plain = matmul_f32(a, b)
    expected = (plain + bias) * scale
    same_bits(matmul_f32(a, b, bias=bias, scale=scale), expected)
    same_bits(matmul_f32(a, b, bias=bias, scale=scale, relu=True), np.where(expected > 0, expected, np.float32(0)))


def test_relu_keeps_nan_and_gives_plus_zero():
    a = np.array([[np.nan], [-1.0], [0.0], [2.0]], np.float32)
    result = matmul_f32(a, np.ones((1, 1), np.float32), scale=-1.0, relu=True)
    np.testing.assert_array_equal(result, np.array([[np.nan], [1], [0], [0]], np.float32))
    assert not np.signbit(result[1:]).any()


def test_empty_extents():
    assert matmul_f32(np.zeros((3, 0), np.float32), np.zeros((0, 4), np.float32)).tolist() == [[0.0] * 4] * 3
    assert matmul_f32(np.zeros((0, 5), np.float32), np.zeros((5, 4), np.float32)).shape == (0, 4)
    assert matmul_f32(np.zeros((2, 5), np.float32), np.zeros((5, 0), np.float32)).shape == (2, 0)


def test_different_k_is_refused():
    with pytest.raises(ValueError, match="K extents"):
        matmul_f32(np.zeros((2, 3), np.float32), np.zeros((4, 2), np.float32))


def test_int8_is_exact():
    rng = np.random.default_rng(2)
    a, b = rng.integers(-128, 128, (3, 9, 300), dtype=np.int8), rng.integers(-128, 128, (300, 11), dtype=np.int8)
    expected = np.array([[[sum(x * y for x, y in zip(r, c)) for c in b.T.tolist()] for r in m] for m in a.tolist()])
    result = matmul_i8(a, b)
    assert result.dtype == np.int32
    np.testing.assert_array_equal(result, expected)
    bias = rng.integers(-1000, 1000, 11).astype(np.int32)
    np.testing.assert_array_equal(matmul_i8(a, b, bias=bias, relu=True), np.maximum(expected + bias, 0))
    np.testing.assert_array_equal(matmul_i8(a, np.ascontiguousarray(b.T), b_trans=True), expected)


def test_int8_sums_wrap_in_int32():
    k = 2**17 + 5
    a, b = np.full((1, k), -128, np.int8), np.full((k, 1), -128, np.int8)
    assert matmul_i8(a, b)[0, 0] == (k * 2**14 + 2**31) % 2**32 - 2**31


@pytest.mark.parametrize("host", [np.float16, ml_dtypes.bfloat16])
def test_products_of_halves_take_the_same_steps(host):
    rng = np.random.default_rng(11)
    a, b = (rng.standard_normal(s).astype(host).astype(np.float32) for s in ((9, 200), (200, 7)))
    a[0, :3] = np.inf, np.nan, 0.0
    same_bits(matmul_f32(a, b, halves=True), matmul_f32(a, b))


def test_tiny_products_of_bf16_are_rounded_like_others():
    tiny = np.full((2, 8), 2.0**-100, np.float32)
    small = (np.arange(8, dtype=np.float32)[:, None] + 129) * np.float32(2.0**-45)
    same_bits(matmul_f32(tiny, small, halves=True), matmul_f32(tiny, small))


def test_tf32_rounds_to_ten_bits():
    one, step = 1.0, 2.0**-10
    x = np.array([one + step / 2, one + 1.5 * step, one + 0.75 * step, -one - step / 2, 3e38, np.nan], np.float32)
    even = evaluate(tf32_expression(TransMode.CAST_RINT), [x])
    away = evaluate(tf32_expression(TransMode.CAST_ROUND), [x])
    np.testing.assert_array_equal(even[:4], [one, one + 2 * step, one + step, -one])
    np.testing.assert_array_equal(away[:4], [one + step, one + 2 * step, one + step, -one - step])
    assert np.isnan(even[5])
    assert np.isnan(away[5])
    assert np.isfinite(even[4])
    greatest = np.array([np.finfo(np.float32).max], np.float32)
    assert np.isinf(evaluate(tf32_expression(TransMode.CAST_RINT), [greatest])).all()
