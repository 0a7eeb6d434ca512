"""Evaluation of polynomials in FP32."""

from __future__ import annotations

from openpto.ops.arith import F32, Expr, const, fma


def horner(x: Expr, coefficients: tuple[float, ...]) -> Expr:
    """The polynomial with these coefficients, lowest power first, by fused multiply-adds."""
    *rest, last = coefficients
    result = const(last, F32)
    for c in reversed(rest):
        result = fma(result, x, c)
    return result
