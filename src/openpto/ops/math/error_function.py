"""erf in FP32."""

from __future__ import annotations

from openpto.ops.arith import I32, Expr, bitcast, copysign, fma, select

from ._coefficients import ERF, LOG_ERFC
from .exponential import MAGIC_BITS, expm1_reduced, power_of_two, split_ln2
from .polynomial import horner


def erf(x: Expr) -> Expr:
    """Error function; the sign of zero stays."""
    t = abs(x)
    near_zero = fma(horner(t * t, ERF), t, t)
    # 1 - exp(log(erfc(t))), where the exponential 2^n + 2^n * expm1(r) is never rounded on its own.
    limited = select(t > 4.0, 4.0, t)
    shifted, r = split_ln2(horner(limited, LOG_ERFC))
    scale = power_of_two(bitcast(shifted, I32) - MAGIC_BITS)
    far = fma(-scale, expm1_reduced(r), 1.0 - scale)
    return copysign(select(t < 1.0, near_zero, far), x)
