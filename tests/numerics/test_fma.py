"""Fused multiply-add against exact integer arithmetic and against the hardware."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from openpto.ops import arith
from openpto.ops.arith import F32
from openpto.runtime.reference.evaluate import evaluate
from openpto.runtime.reference.fma import denormals_flushed, fma

EXPRESSION = arith.build(arith.fma, F32, F32, F32)


def rounded(value: Fraction) -> float:
    """Nearest FP32, ties to even, by integer arithmetic alone. The value must not be zero."""
    size = abs(value)
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    if size < Fraction(2) ** exponent:
        exponent -= 1
    unit = Fraction(2) ** max(exponent - 23, -149)
    whole = round(size / unit) * unit
    result = float("inf") if whole >= Fraction(2) ** 128 else float(whole)
    return result if value > 0 else -result


def exact(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """The golden for finite operands."""
    out = []
    for x, y, z in zip(a.tolist(), b.tolist(), c.tolist()):
        value = Fraction(x) * Fraction(y) + Fraction(z)
        # An exact zero takes the sign that both terms share, else +: what FP64 gives, where nothing rounds here.
        out.append(rounded(value) if value else x * y + z if x * y == 0 else 0.0)
    return np.array(out, np.float32)


def same_bits(a: np.ndarray, b: np.ndarray) -> None:
    wrong = (a.view(np.uint32) != b.view(np.uint32)) & ~(np.isnan(a) & np.isnan(b))
    assert not wrong.any(), f"{wrong.sum()} of {wrong.size} differ, first at {np.argmax(wrong)}"


def random_bits(rng: np.random.Generator, n: int) -> np.ndarray:
    return rng.integers(0, 2**32, n, dtype=np.uint32).view(np.float32)


def finite(x: np.ndarray) -> np.ndarray:
    return np.where(np.isfinite(x), x, np.float32(1.0)).astype(np.float32)


def hard_triples(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Triples whose exact sum lies at, or a little beside, a midpoint of two FP32 values, denormals included.

    c has a short product's unit far below its own half unit; a * b is half a unit of c plus or minus a tiny part.
    """
    a = (rng.integers(2**23, 2**24, n) * 2.0 ** rng.integers(-60, 40, n)).astype(np.float32)
    unit = 2.0 ** rng.integers(-149, 80, n)
    kind = rng.integers(0, 4, n)
    wanted = unit * (rng.integers(0, 4, n) + 0.5)
    with np.errstate(all="ignore"):
        b = (wanted / a).astype(np.float32)
    power = np.exp2(np.floor(np.log2(np.abs(wanted))) - 30)
    a = np.where(kind == 0, np.float32(1 + 2**-23), np.where(kind == 1, np.float32(1.0), a)).astype(np.float32)
    b = np.where(kind == 0, wanted * (1 - 2**-23), np.where(kind == 1, wanted + power, b)).astype(np.float32)
    c = (rng.integers(-(2**24), 2**24, n) * unit).astype(np.float32)
    # Denormal results: a * b = 2^-150 (1 - 2^-46) of either sign, beside the midpoint of two denormals.
    sign, odd = rng.choice([-1.0, 1.0], n), rng.random(n) < 0.25
    a = np.where(odd, sign * (1 + 2**-23) * 2.0**-75, a).astype(np.float32)
    b = np.where(odd, (1 - 2**-23) * 2.0**-75, b).astype(np.float32)
    c = np.where(odd, rng.integers(-(2**23), 2**23, n) * 2.0**-149, c).astype(np.float32)
    return finite(a), finite(b), finite(c)


@pytest.mark.parametrize("make", ["random", "hard", "cancelling", "denormal"])
def test_matches_exact_arithmetic(make):
    rng = np.random.default_rng(7)
    n = 6000
    if make == "hard":
        a, b, c = hard_triples(rng, n)
    else:
        a, b, c = (finite(random_bits(rng, n)) for _ in range(3))
    if make == "cancelling":
        with np.errstate(all="ignore"):
            c = finite((-a.astype(np.float64) * b * (1 + rng.integers(-2, 3, n) * 2.0**-24)).astype(np.float32))
    if make == "denormal":
        a, b = (finite(np.ldexp(rng.standard_normal(n), rng.integers(-90, -55, n)).astype(np.float32)) for _ in "ab")
        c = (rng.integers(-(2**20), 2**20, n) * 2.0**-149).astype(np.float32)
    same_bits(fma(a, b, c), exact(a, b, c))


def test_known_double_rounding():
    # 1 + 2^-23 + 2^-24 (a midpoint) plus or minus 2^-78: FP64 loses the last term and then ties.
    a = np.array([2.0**-39, -(2.0**-39)], np.float32)
    b = np.array([2.0**-39, 2.0**-39], np.float32)
    base = np.float32(1 + 2**-23)
    total = fma(np.float32(2.0**-12) + a * 0, np.float32(2.0**-12), base)  # the exact midpoint: to even
    assert total.tolist() == [1 + 2**-22, 1 + 2**-22]
    # (2^-12 + 2^-36)(2^-12 - 2^-36) = 2^-24 - 2^-72, just below the midpoint of base and its upper neighbour.
    low = fma(np.float32(2.0**-12 + 2.0**-35), np.float32(2.0**-12 - 2.0**-35), base)
    assert float(low) == float(base)
    up = fma(np.float32(2.0**-12 + 2.0**-35), np.float32(2.0**-12), np.float32(1.0))
    assert float(up) == 1 + 2**-23
    assert b.size == 2


def test_special_values():
    inf, nan = np.float32(np.inf), np.float32(np.nan)
    cases = [
        (inf, 1, -inf, nan), (inf, 0, 1, nan), (inf, 2, 3, inf), (1, 1, -inf, -inf), (nan, 0, 0, nan),
        (0, 0, nan, nan), (-0.0, 1, 0.0, 0.0), (-0.0, 1, -0.0, -0.0), (1, -1, 1, 0.0), (3e38, 3e38, -inf, -inf),
        (3e38, 2, -3e38, 3e38), (2.0**-149, 0.5, 0, 0.0), (2.0**-149, 0.75, 0, 2.0**-149), (-(2.0**-149), 0.5, 0, -0.0),
    ]  # fmt: skip
    a, b, c, expected = (np.array(column, np.float32) for column in zip(*cases))
    same_bits(fma(a, b, c), expected)


def test_overflow_rounds_at_the_midpoint():
    top = np.float32(np.finfo(np.float32).max)
    half = np.float32(2.0**103)  # half a unit of the greatest value
    assert np.isinf(fma(half, 1, top))
    assert fma(np.nextafter(half, np.float32(0)), 1, top) == top


@pytest.mark.parametrize("make", ["random", "hard"])
def test_matches_the_hardware(make):
    llvm_engine = pytest.importorskip("fit.llvm_engine", reason="needs llvmlite")
    rng = np.random.default_rng(8)
    for _ in range(4):
        operands = hard_triples(rng, 2**19) if make == "hard" else [random_bits(rng, 2**19) for _ in range(3)]
        same_bits(evaluate(EXPRESSION, operands), llvm_engine.run(EXPRESSION, operands))


@pytest.mark.slow
def test_matches_the_hardware_on_many_triples():
    llvm_engine = pytest.importorskip("fit.llvm_engine", reason="needs llvmlite")
    rng = np.random.default_rng(9)
    for _ in range(64):
        for operands in (hard_triples(rng, 2**19), tuple(random_bits(rng, 2**19) for _ in range(3))):
            same_bits(evaluate(EXPRESSION, operands), llvm_engine.run(EXPRESSION, operands))


def test_shapes_broadcast():
    a = np.arange(3, dtype=np.float32)[:, None]
    b = np.arange(4, dtype=np.float32)
    np.testing.assert_array_equal(fma(a, b, np.float32(1)), a * b + 1)
    assert fma(2.0, 3.0, 4.0).shape == ()


def test_this_process_keeps_denormals():
    assert denormals_flushed() is False


def test_flushed_denormals_are_noticed():
    """Set the flush bits in a thread of its own: the control word belongs to the thread."""
    llvm = pytest.importorskip("llvmlite.binding", reason="needs llvmlite")
    import ctypes
    import platform
    import threading

    if platform.machine() not in ("x86_64", "AMD64"):
        pytest.skip("the control word is set by x86 code")
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    module = llvm.parse_assembly(
        """
        declare void @llvm.x86.sse.ldmxcsr(ptr)
        define void @set(i32 %word) {
          %p = alloca i32
          store i32 %word, ptr %p
          call void @llvm.x86.sse.ldmxcsr(ptr %p)
          ret void
        }"""
    )
    machine = llvm.Target.from_default_triple().create_target_machine(jit=True)
    engine = llvm.create_mcjit_compiler(module, machine)
    engine.finalize_object()
    set_word = ctypes.CFUNCTYPE(None, ctypes.c_uint32)(engine.get_function_address("set"))
    seen: list[bool] = []

    def work() -> None:
        for word in (0x1F80, 0x1F80 | 0x8000, 0x1F80 | 0x0040, 0x1F80):  # default, FTZ, DAZ, default
            set_word(word)
            seen.append(denormals_flushed())

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [False, True, True, False]
