"""erf and erfc in FP32."""

from __future__ import annotations

from openpto.ops.arith import I32, Expr, bitcast, copysign, fma, select

from ._coefficients import ERF, ERFC_WIDE, LOG_ERFC
from .double import in_double, wide_exp, wide_polynomial
from .exponential import MAGIC_BITS, expm1_reduced, power_of_two, split_ln2
from .polynomial import horner

SEAM = 0.875  # where both formulas are equally exact


def erf(x: Expr) -> Expr:
    """Error function; the sign of zero stays."""
    t = abs(x)
    near_zero = fma(horner(t * t, ERF), t, t)
    # 1 - exp(log(erfc(t))), where the exponential 2^n + 2^n * expm1(r) is never rounded on its own. t - 1 is exact.
    limited = select(t > 4.0, 4.0, t)
    shifted, r = split_ln2(horner(limited - 1.0, LOG_ERFC))
    scale = power_of_two(bitcast(shifted, I32) - MAGIC_BITS)
    far = fma(-scale, expm1_reduced(r), 1.0 - scale)
    return copysign(select(t < SEAM, near_zero, far), x)


@in_double
def erfc(x: Expr) -> Expr:
    """``1 - erf(x)``, accurate in the far tail too, where underflow is gradual."""
    t = abs(x)
    t = select(t > 10.5, 10.5, t)
    w = (t - 3.0) / (t + 3.0)
    # t * t is exact, since t has 24 bits.
    tail = wide_exp(-(t * t)) * wide_polynomial(w, ERFC_WIDE)
    return select(x < 0.0, 2.0 - tail, tail)
