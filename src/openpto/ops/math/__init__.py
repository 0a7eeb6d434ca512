"""FP32 functions written once as scalar expressions, with coefficients fitted by tools/fit.

Each takes and gives FP32 expressions, without branches. Greatest errors over all inputs, in units of the last place of
the exact result: exp 0.90, exp2 0.87, erf 0.91, log 0.94, tanh 0.93; sqrt and reciprocal are correctly rounded, rsqrt is
two correctly rounded steps (1.5), sigmoid the composition of its definition; all others 0.51.
"""

from .error_function import erf, erfc
from .exponential import exp, exp2, expm1, sigmoid
from .hyperbolic import acosh, asinh, atanh, cosh, sinh, tanh
from .logarithm import log, log1p, log2, log10
from .power import cbrt, hypot, pow
from .root import reciprocal, rsqrt, sqrt
from .trigonometric import acos, asin, atan, atan2, cos, sin, tan

__all__ = [
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "cbrt",
    "cos",
    "cosh",
    "erf",
    "erfc",
    "exp",
    "exp2",
    "expm1",
    "hypot",
    "log",
    "log1p",
    "log2",
    "log10",
    "pow",
    "reciprocal",
    "rsqrt",
    "sigmoid",
    "sin",
    "sinh",
    "sqrt",
    "tan",
    "tanh",
]
