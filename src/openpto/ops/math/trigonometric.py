"""Sines, tangents and their inverses in FP32.

The direct functions take |x| <= 2^27, 2048 times the documented range of +-65504, and give NaN beyond, where
neighbouring FP32 values lie more than two turns apart.
"""

from __future__ import annotations

from openpto.ops import arith
from openpto.ops.arith import F32, F64, I64, Expr, bitcast, convert, copysign, eq, ne, select

from ._coefficients import (
    ASIN_WIDE,
    ATAN_WIDE,
    COS_WIDE,
    HALF_PI,
    HALF_PI_1,
    HALF_PI_2,
    HALF_PI_3,
    SIN_WIDE,
    TWO_OVER_PI,
)
from .double import MAGIC, in_double, wide_polynomial

LIMIT = 2.0**27


def _quadrant(x: Expr) -> tuple[Expr, Expr, Expr]:
    """``(q, sin(r), cos(r))`` with ``x = n * pi / 2 + r``, |r| <= pi / 4, and q = n as an integer modulo 2^51."""
    limited = select(abs(x) <= LIMIT, x, arith.nan(F64))
    shifted = limited * TWO_OVER_PI + MAGIC
    n = shifted - MAGIC
    # The first two products and differences are exact: n has at most 27 bits, the constants 26 each.
    r = ((limited - n * HALF_PI_1) - n * HALF_PI_2) - n * HALF_PI_3
    u = r * r
    return bitcast(shifted, I64), r * (wide_polynomial(u, SIN_WIDE) * u + 1.0), wide_polynomial(u, COS_WIDE) * u + 1.0


def _bit(q: Expr, mask: int) -> Expr:
    return ne(q & mask, 0)


@in_double
def sin(x: Expr) -> Expr:
    """Sine; the sign of zero stays."""
    q, sine, cosine = _quadrant(x)
    value = select(_bit(q, 1), cosine, sine)
    return select(_bit(q, 2), -value, value)


@in_double
def cos(x: Expr) -> Expr:
    """Cosine."""
    q, sine, cosine = _quadrant(x)
    value = select(_bit(q, 1), sine, cosine)
    return select(_bit(q + 1, 2), -value, value)


@in_double
def tan(x: Expr) -> Expr:
    """Tangent; the sign of zero stays."""
    q, sine, cosine = _quadrant(x)
    odd = _bit(q, 1)
    return select(odd, -cosine, sine) / select(odd, sine, cosine)


def _odd_series(x: Expr, coefficients: tuple[float, ...]) -> Expr:
    """``x + x**3 * polynomial(x**2)`` such that the sign of zero stays."""
    u = x * x
    return x * (wide_polynomial(u, coefficients) * u + 1.0)


def wide_atan_of_ratio(y: Expr, x: Expr) -> Expr:
    """``atan(y / x)`` for FP64 y, x >= 0 not both zero or infinite."""
    steep = y > x
    angle = _odd_series(select(steep, x, y) / select(steep, y, x), ATAN_WIDE)
    return select(steep, HALF_PI - angle, angle)


def atan(x: Expr) -> Expr:
    """Arc tangent; the sign of zero stays."""
    size = convert(abs(x), F64)
    return copysign(convert(wide_atan_of_ratio(size, arith.const(1.0, F64)), F32), x)


def atan2(y: Expr, x: Expr) -> Expr:
    """Angle of the point (x, y) in [-pi, pi], with the signs of zeros and the infinities as IEEE 754 recommends."""
    height, width = convert(abs(y), F64), convert(abs(x), F64)
    both_infinite = eq(height, arith.inf(F64)) & eq(width, arith.inf(F64))
    both_zero = eq(height, 0.0) & eq(width, 0.0)
    # Only the ratio matters; 0 / 1 and 1 / 1 stand for what would be NaN.
    height = select(both_infinite, 1.0, height)
    width = select(both_infinite | both_zero, 1.0, width)
    angle = wide_atan_of_ratio(height, width)
    left = bitcast(x, arith.I32) < 0
    full = select(left & ~arith.is_nan(x), 2.0 * HALF_PI - angle, angle)
    return copysign(convert(full, F32), y)


def _asin_parts(x: Expr) -> tuple[Expr, Expr]:
    """For an FP64 ``t = |x|``: whether t > 1/2, and asin(t) if not, else asin(sqrt((1 - t) / 2))."""
    t = abs(x)
    large = t > 0.5
    return large, _odd_series(select(large, arith.sqrt((1.0 - t) * 0.5), t), ASIN_WIDE)


def asin(x: Expr) -> Expr:
    """Arc sine; NaN outside [-1, 1]; the sign of zero stays."""
    large, part = _asin_parts(convert(x, F64))
    return copysign(convert(select(large, HALF_PI - 2.0 * part, part), F32), x)


@in_double
def acos(x: Expr) -> Expr:
    """Arc cosine in [0, pi]; NaN outside [-1, 1]."""
    large, part = _asin_parts(x)
    negative = x < 0.0
    near = select(negative, HALF_PI + part, HALF_PI - part)
    far = select(negative, 2.0 * (HALF_PI - part), 2.0 * part)
    return select(large, far, near)
