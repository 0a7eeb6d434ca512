"""FP32 functions written once as scalar expressions, with coefficients fitted by tools/fit.

Each takes and gives FP32 expressions, without branches. Greatest errors over all inputs, in units of the last place of
the exact result: exp 0.99, log 0.93, erf 0.93, tanh 0.86; sqrt and reciprocal are correctly rounded.
"""

from .error_function import erf
from .exponential import exp, sigmoid
from .hyperbolic import tanh
from .logarithm import log
from .root import reciprocal, rsqrt, sqrt

__all__ = ["erf", "exp", "log", "reciprocal", "rsqrt", "sigmoid", "sqrt", "tanh"]
