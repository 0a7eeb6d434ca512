"""tanh in FP32."""

from __future__ import annotations

from openpto.ops.arith import I32, Expr, bitcast, copysign, fma, select

from ._coefficients import TANH
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
