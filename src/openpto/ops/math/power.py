"""Powers, cube root and hypotenuse in FP32."""

from __future__ import annotations

from openpto.ops import arith
from openpto.ops.arith import F32, F64, Expr, bitcast, convert, copysign, eq, floor, inf, ne, select

from ._coefficients import WIDE_LOG2_E
from .double import split_logarithm, wide_exp2


def _wide_log2(size: Expr) -> Expr:
    """log2 of an FP64 value >= 0 or NaN."""
    exponent, rest = split_logarithm(size)
    value = select(size < inf(F64), rest * WIDE_LOG2_E + exponent, size)
    return select(eq(size, 0.0), -inf(F64), value)


def pow(x: Expr, y: Expr) -> Expr:
    """``x**y`` with the special values of IEEE 754: 1 if y is 0 or x is 1, NaN for x < 0 and a fractional y.

    ``x`` is FP32, ``y`` FP32 or FP64.
    """
    base, exponent = convert(x, F64), convert(y, F64)
    product = _wide_log2(abs(base)) * exponent
    limited = select(product > 200.0, 200.0, product)
    size = wide_exp2(select(limited < -200.0, -200.0, limited))

    integral = eq(floor(y), y)
    odd = integral & ne(floor(y * 0.5), y * 0.5)
    negative = bitcast(x, arith.I32) < 0
    signed = select(negative & odd, -size, size)
    fractional = (x < 0.0) & ~integral & ne(x, -inf())
    signed = select(fractional, arith.nan(F64), signed)
    # |x| = 1 with an infinite y would be 0 * inf above.
    signed = select(eq(x, -1.0) & eq(abs(y), inf(y.dtype)), 1.0, signed)
    one = eq(y, 0.0) | eq(x, 1.0)
    unknown = (arith.is_nan(x) | arith.is_nan(y)) & ~one
    return convert(select(one, 1.0, select(unknown, arith.nan(F64), signed)), F32)


def cbrt(x: Expr) -> Expr:
    """Real cube root; the sign of zero stays."""
    size = convert(abs(x), F64)
    root = wide_exp2(_wide_log2(select(eq(size, 0.0), 1.0, size)) * (1.0 / 3.0))
    edge = eq(size, 0.0) | eq(size, inf(F64))
    return copysign(convert(select(edge, size, root), F32), x)


def hypot(x: Expr, y: Expr) -> Expr:
    """``sqrt(x**2 + y**2)`` without overflow in between; infinite if an operand is, even beside NaN."""
    a, b = convert(x, F64), convert(y, F64)
    length = convert(arith.sqrt(a * a + b * b), F32)
    return select(eq(abs(x), inf()) | eq(abs(y), inf()), inf(), length)
