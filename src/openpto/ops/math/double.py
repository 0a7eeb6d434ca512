"""Cores in FP64 arithmetic for the FP32 functions that are rarely hot.

Widened operands make the hard parts plain: an error of about 2^-33 before the one rounding to FP32 leaves every
function within 0.51 units of the last place, without compensation terms. Only multiplications and additions are
used, never a fused FP64 step.
"""

from __future__ import annotations

from collections.abc import Callable

from openpto.ops import arith
from openpto.ops.arith import F32, F64, I64, Expr, bitcast, convert

from ._coefficients import EXPM1_WIDE, LOG_WIDE, WIDE_LN2, WIDE_LN2_HIGH, WIDE_LN2_LOW, WIDE_LOG2_E

# Adding 1.5 * 2^52 rounds to an integer and leaves that integer in the low bits, 52 of which a shift can drop.
MAGIC = 1.5 * 2.0**52
LOG_PIVOT_BITS = 0x3FE8000000000000  # 3/4


def in_double(core: Callable[[Expr], Expr]) -> Callable[[Expr], Expr]:
    """An FP32 function from one on FP64 values."""

    def function(x: Expr) -> Expr:
        return convert(core(convert(x, F64)), F32)

    function.__name__, function.__doc__ = core.__name__, core.__doc__
    return function


def wide_polynomial(x: Expr, coefficients: tuple[float, ...]) -> Expr:
    """The polynomial with these coefficients, lowest power first."""
    *rest, last = coefficients
    result = arith.const(last, F64)
    for c in reversed(rest):
        result = result * x + c
    return result


def _power_and_rest(shifted: Expr, r: Expr) -> tuple[Expr, Expr]:
    """``(2**n, exp(r) - 1)`` for |r| <= ln2 / 2; ``shifted`` is ``n + MAGIC``, |n| < 1000."""
    rest = r * (wide_polynomial(r, EXPM1_WIDE) * r + 1.0)
    return bitcast((bitcast(shifted, I64) + 1023) << 52, F64), rest


def _reduced(x: Expr) -> tuple[Expr, Expr]:
    """``(2**n, exp(r) - 1)`` with ``x = n * ln2 + r``, for |x| < 700."""
    shifted = x * WIDE_LOG2_E + MAGIC
    n = shifted - MAGIC
    return _power_and_rest(shifted, (x - n * WIDE_LN2_HIGH) - n * WIDE_LN2_LOW)


def wide_exp(x: Expr) -> Expr:
    """``exp(x)`` for |x| < 700."""
    scale, rest = _reduced(x)
    return scale * (rest + 1.0)


def wide_expm1(x: Expr) -> Expr:
    """``exp(x) - 1``, accurate near zero, for |x| < 700; +0 at -0."""
    scale, rest = _reduced(x)
    return scale * rest + (scale - 1.0)


def wide_exp2(x: Expr) -> Expr:
    """``2**x`` for |x| < 1000."""
    shifted = x + MAGIC
    scale, rest = _power_and_rest(shifted, (x - (shifted - MAGIC)) * WIDE_LN2)
    return scale * (rest + 1.0)


def _log_of_mantissa(f: Expr) -> Expr:
    """``log(1 + f)`` for f in [-1/4, 1/2], accurate near zero."""
    s = f / (f + 2.0)
    u = s * s
    return s * (wide_polynomial(u, LOG_WIDE) * u + 2.0)


def split_logarithm(x: Expr) -> tuple[Expr, Expr]:
    """``(e, log(x / 2**e))`` with x / 2**e in [3/4, 3/2), for positive normal x."""
    bits = bitcast(x, I64)
    steps = (bits - LOG_PIVOT_BITS) >> 52
    mantissa = bitcast(bits - (steps << 52), F64)
    return convert(steps, F64), _log_of_mantissa(mantissa - 1.0)


def wide_log1p(x: Expr) -> Expr:
    """``log(1 + x)`` for -1 < x < 2**1000, accurate near zero."""
    steps = (bitcast(x + 1.0, I64) - LOG_PIVOT_BITS) >> 52
    inverse = bitcast((1023 - steps) << 52, F64)
    # (1 + x) / 2**e - 1 without losing the low bits of a small x.
    f = x * inverse + (inverse - 1.0)
    return convert(steps, F64) * WIDE_LN2 + _log_of_mantissa(f)
