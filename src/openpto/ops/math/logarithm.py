"""Logarithms in FP32."""

from __future__ import annotations

from openpto.ops import arith
from openpto.ops.arith import F32, F64, I32, Expr, bitcast, convert, eq, fma, inf, is_nan, nan, select

from ._coefficients import LN2, LOG1P, WIDE_LOG2_E, WIDE_LOG10_2, WIDE_LOG10_E
from .double import in_double, split_logarithm, wide_log1p
from .polynomial import horner

MIN_NORMAL = 2.0**-126


def split_exponent(x: Expr) -> tuple[Expr, Expr]:
    """``(e, f)`` with ``x = 2**e * (1 + f)`` and f in [-1/3, 1/3), exactly; e as FP32. For finite x > 0.

    Denormals are scaled by 2^23 first.
    """
    denormal = x < MIN_NORMAL
    bits = bitcast(select(denormal, x * 2.0**23, x), I32)
    steps = (bits - 0x3F2AAAAB) >> 23
    mantissa = bitcast(bits - (steps << 23), F32)
    exponent = convert(steps, F32) - select(denormal, arith.const(23.0, F32), 0.0)
    return exponent, mantissa - 1.0


def log(x: Expr) -> Expr:
    """Natural logarithm: -inf at zero of either sign, NaN below."""
    exponent, f = split_exponent(x)
    near_one = fma(horner(f, LOG1P), f * f, f)
    return special_log_values(x, fma(exponent, LN2, near_one))


@in_double
def log2(x: Expr) -> Expr:
    """Logarithm to base 2, exact for powers of two: -inf at zero of either sign, NaN below."""
    exponent, rest = split_logarithm(x)
    return special_log_values(x, rest * WIDE_LOG2_E + exponent)


@in_double
def log10(x: Expr) -> Expr:
    """Logarithm to base 10, exact for powers of ten: -inf at zero of either sign, NaN below."""
    exponent, rest = split_logarithm(x)
    return special_log_values(x, rest * WIDE_LOG10_E + exponent * WIDE_LOG10_2)


def log1p(x: Expr) -> Expr:
    """``log(1 + x)``, accurate near zero: -inf at -1, NaN below; the sign of zero stays."""
    wide = convert(x, F64)
    result = convert(special_log_values(wide + 1.0, wide_log1p(wide)), F32)
    return select(eq(x, 0.0), x, result)


def special_log_values(x: Expr, ordinary: Expr) -> Expr:
    """``ordinary`` for finite x > 0, and what a logarithm gives elsewhere."""
    result = select(eq(x, inf(x.dtype)), x, ordinary)
    result = select(eq(x, 0.0), -inf(x.dtype), result)
    return select((x < 0.0) | is_nan(x), nan(x.dtype), result)
