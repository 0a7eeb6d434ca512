"""Roots and reciprocals in FP32: correctly rounded steps, no approximation."""

from __future__ import annotations

from openpto.ops import arith
from openpto.ops.arith import Expr


def sqrt(x: Expr) -> Expr:
    """Square root, correctly rounded; NaN below zero, -0 at -0."""
    return arith.sqrt(x)


def reciprocal(x: Expr) -> Expr:
    """``1 / x``, correctly rounded; an infinity of the same sign at zero."""
    return 1.0 / x


def rsqrt(x: Expr) -> Expr:
    """``1 / sqrt(x)`` as two correctly rounded steps; -inf at -0."""
    return 1.0 / arith.sqrt(x)
