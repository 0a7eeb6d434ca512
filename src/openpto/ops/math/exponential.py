"""exp and what is built on it, in FP32."""

from __future__ import annotations

from openpto.ops.arith import F32, I32, Expr, bitcast, eq, fma, select

from ._coefficients import EXP, EXP2, EXP_SHIFT, LN2_HIGH, LN2_LOW, LOG2_E
from .double import in_double, wide_expm1
from .polynomial import horner

# Adding 1.5 * 2^23 rounds to an integer and leaves that integer in the low mantissa bits.
MAGIC = 1.5 * 2.0**23
MAGIC_BITS = 0x4B400000


def split_ln2(x: Expr) -> tuple[Expr, Expr]:
    """``(n, r)`` with ``x = n * ln2 + r`` and exp(r) in [3/4, 3/2], r rounded once. n comes as ``n + MAGIC``.

    Meant for |x| below 2^21; the first subtraction of a multiple of ln2 is exact.
    """
    shifted = fma(x, LOG2_E, -EXP_SHIFT) + MAGIC
    n = shifted - MAGIC
    return shifted, fma(n, -LN2_LOW, fma(n, -LN2_HIGH, x))


def expm1_reduced(r: Expr) -> Expr:
    """``exp(r) - 1`` where that lies in [-1/4, 1/2]."""
    return fma(horner(r, EXP), r * r, r)


def scale_by_power(y: Expr, shifted: Expr) -> Expr:
    """``y * 2**n`` for y in [1/2, 2] and n in [-152, 130], with one rounding; ``shifted`` is ``n + MAGIC``.

    Two factors keep the first product normal, so that overflow and gradual underflow happen in the second alone.
    """
    n = bitcast(shifted, I32) - MAGIC_BITS
    half = n >> 1
    return y * power_of_two(half) * power_of_two(n - half)


def power_of_two(n: Expr) -> Expr:
    """``2**n`` as FP32 for an INT32 n in [-126, 127]."""
    return bitcast(((n + 127) << 23), F32)


def exp(x: Expr) -> Expr:
    """e**x: overflow gives inf, underflow is gradual, NaN stays NaN."""
    # Beyond the limits the result is inf or 0 anyway; NaN passes both comparisons unchanged.
    limited = select(x > 89.0, 89.0, x)
    limited = select(limited < -104.5, -104.5, limited)
    shifted, r = split_ln2(limited)
    return scale_by_power(expm1_reduced(r) + 1.0, shifted)


def exp2(x: Expr) -> Expr:
    """2**x: exact for integers, overflow gives inf, underflow is gradual."""
    limited = select(x > 129.0, 129.0, x)
    limited = select(limited < -151.0, -151.0, limited)
    shifted = limited + MAGIC
    r = limited - (shifted - MAGIC)
    return scale_by_power(fma(horner(r, EXP2), r, 1.0), shifted)


@in_double
def expm1(x: Expr) -> Expr:
    """``exp(x) - 1``, accurate near zero; the sign of zero stays."""
    limited = select(x > 100.0, 100.0, x)
    value = wide_expm1(select(limited < -100.0, -100.0, limited))
    return select(eq(x, 0.0), x, value)


def sigmoid(x: Expr) -> Expr:
    """``1 / (1 + exp(-x))`` in exactly these FP32 steps; 0 below about -88.7, where exp(-x) overflows."""
    return 1.0 / (exp(-x) + 1.0)
