"""Hyperbolic functions and their inverses in FP32."""

from __future__ import annotations

from openpto.ops import arith
from openpto.ops.arith import F32, F64, I32, Expr, bitcast, convert, copysign, eq, fma, select

from ._coefficients import TANH
from .double import in_double, wide_expm1, wide_log1p
from .exponential import MAGIC_BITS, expm1_reduced, power_of_two, split_ln2
from .polynomial import horner


def tanh(x: Expr) -> Expr:
    """Hyperbolic tangent; the sign of zero stays."""
    t = abs(x)
    square = t * t
    near_zero = fma(horner(square, TANH) * square, t, t)
    # 1 - 2 / (exp(2t) + 1), where exp(2t) = 2^n + 2^n * expm1(r) is never rounded on its own.
    shifted, r = split_ln2(select(t > 10.0, 20.0, t + t))
    scale = power_of_two(bitcast(shifted, I32) - MAGIC_BITS)
    far = 1.0 - 2.0 / fma(scale, expm1_reduced(r), scale + 1.0)
    return copysign(select(t < 1.0, near_zero, far), x)


def _expm1_of_size(x: Expr) -> Expr:
    """``exp(|x|) - 1`` in FP64; beyond the FP32 range some value that rounds to infinity."""
    size = convert(abs(x), F64)
    return wide_expm1(select(size > 100.0, 100.0, size))


def sinh(x: Expr) -> Expr:
    """Hyperbolic sine; the sign of zero stays."""
    e = _expm1_of_size(x)
    return copysign(convert((e + e / (e + 1.0)) * 0.5, F32), x)


def cosh(x: Expr) -> Expr:
    """Hyperbolic cosine."""
    e = _expm1_of_size(x) + 1.0
    return convert((e + 1.0 / e) * 0.5, F32)


def asinh(x: Expr) -> Expr:
    """Inverse hyperbolic sine; the sign of zero stays."""
    t = convert(abs(x), F64)
    square = t * t
    grown = wide_log1p(t + square / (arith.sqrt(square + 1.0) + 1.0))
    return copysign(convert(select(eq(t, arith.inf(F64)), t, grown), F32), x)


@in_double
def acosh(x: Expr) -> Expr:
    """Inverse hyperbolic cosine; NaN below 1."""
    u = x - 1.0
    grown = wide_log1p(u + arith.sqrt(u * (u + 2.0)))
    ordinary = select(eq(x, arith.inf(F64)), x, grown)
    return select(x >= 1.0, ordinary, arith.nan(F64))


def atanh(x: Expr) -> Expr:
    """Inverse hyperbolic tangent; infinite at -1 and 1, NaN beyond; the sign of zero stays."""
    t = convert(abs(x), F64)
    value = wide_log1p((t + t) / (1.0 - t)) * 0.5
    value = select(eq(t, 1.0), arith.inf(F64), value)
    return copysign(convert(select(t <= 1.0, value, arith.nan(F64)), F32), x)
