"""Elementary functions of one operand: exponentials, logarithms, trigonometric, hyperbolic and error functions.

They are evaluated in FP32 by the expressions of ``openpto.ops.math`` and rounded once to FP16 or BF16.
"""

from __future__ import annotations

import math as pymath
from collections.abc import Callable

import numpy as np

from openpto.ir.enums import PrecisionType

from . import arith
from . import math as functions
from .dtype_sets import F3, FP16, FP32, I2, INT8, UINT8
from .registry import Array, Builder, Dtypes, Pointwise
from .unary import BF16_ONLY, FLOATS, unary

NO_BF16 = Dtypes(frozenset({FP16, FP32}))
INTRINSIC = PrecisionType.INTRINSIC
FAST, CLOSE = 1.0, 0.51
"""Errors that the samples allow, in units in the last place of FP32."""


def _of_integer(function: Builder) -> Builder:
    return lambda x: function(arith.convert(x, FP32))


def _each(function: Callable[[float], float]) -> Callable[[Array], Array]:
    return np.vectorize(function, otypes=[np.float64])


unary(
    "exp",
    "e to the power x, element by element.",
    Pointwise(float=functions.exp),
    promoted=BF16_ONLY,
    special="Overflow gives inf, ``exp(-inf) == 0``, NaN stays NaN.",
    golden=np.exp,
    ulp=FAST,
    precision=INTRINSIC,
)
unary(
    "exp2",
    "2 to the power x, element by element.",
    Pointwise(float=functions.exp2, int=_of_integer(functions.exp2)),
    dtypes=Dtypes(F3 | I2 | frozenset({INT8, UINT8})),
    from_int=FP32,
    special="Exact for integral x; overflow gives inf, ``exp2(-inf) == 0``, NaN stays NaN.",
    golden=lambda x: np.exp2(x.astype(np.float64)),
    ulp=FAST,
)
unary(
    "expm1",
    "``exp(x) - 1``, element by element, accurate near zero.",
    Pointwise(float=functions.expm1, int=_of_integer(functions.expm1)),
    dtypes=Dtypes(F3 | I2),
    from_int=FP32,
    special="Zeros keep their sign; overflow gives inf, ``expm1(-inf) == -1``, NaN stays NaN.",
    golden=lambda x: np.expm1(x.astype(np.float64)),
    ulp=CLOSE,
)
unary(
    "log",
    "Natural logarithm, element by element.",
    Pointwise(float=functions.log),
    promoted=BF16_ONLY,
    special="``log(0) == -inf``, NaN below zero.",
    golden=np.log,
    draw="positive",
    ulp=FAST,
    precision=INTRINSIC,
)
unary(
    "log2",
    "Logarithm to base 2, element by element.",
    Pointwise(float=functions.log2),
    special="``log2(0) == -inf``, NaN below zero; exact for powers of two.",
    golden=np.log2,
    draw="positive",
    ulp=CLOSE,
    precision=INTRINSIC,
)
unary(
    "log10",
    "Logarithm to base 10, element by element.",
    Pointwise(float=functions.log10),
    special="``log10(0) == -inf``, NaN below zero.",
    golden=np.log10,
    draw="positive",
    ulp=CLOSE,
    precision=INTRINSIC,
)
unary(
    "log1p",
    "``log(1 + x)``, element by element, accurate near zero.",
    Pointwise(float=functions.log1p),
    special="``log1p(-1) == -inf``, NaN below; zeros keep their sign.",
    golden=np.log1p,
    draw="positive",
    ulp=CLOSE,
)
unary(
    "cbrt",
    "Real cube root, element by element.",
    Pointwise(float=functions.cbrt),
    special="Negative operands have negative roots; zeros keep their sign.",
    golden=np.cbrt,
    ulp=CLOSE,
    method=False,
    keywords={"self": "input"},
)

# Trigonometric functions


def _circular(name: str, text: str, build: Builder, golden: Callable[..., Array], keyword: str, dtypes: Dtypes) -> None:
    unary(
        name,
        f"{text} of x in radians, element by element.",
        Pointwise(float=build),
        dtypes=dtypes,
        special="NaN for infinities and beyond 2^27 in magnitude.",
        golden=golden,
        draw="wide",
        huge=False,
        ulp=CLOSE,
        method=name != "tan",
        keywords={keyword: "input"},
    )


def _inverse(name: str, text: str, build: Builder, golden: Callable[..., Array]) -> None:
    unary(
        name,
        f"{text}, element by element.",
        Pointwise(float=build),
        special="NaN outside [-1, 1].",
        golden=golden,
        draw="unit",
        ulp=CLOSE,
        method=False,
        keywords={"self": "input"},
    )


_circular("sin", "Sine", functions.sin, np.sin, "self", NO_BF16)
_circular("cos", "Cosine", functions.cos, np.cos, "self", NO_BF16)
_circular("tan", "Tangent", functions.tan, np.tan, "x", FLOATS)
_inverse("asin", "Arc sine in [-pi/2, pi/2]", functions.asin, np.arcsin)
_inverse("acos", "Arc cosine in [0, pi]", functions.acos, np.arccos)
unary(
    "atan",
    "Arc tangent in [-pi/2, pi/2], element by element.",
    Pointwise(float=functions.atan),
    special="``atan(±inf) == ±pi/2``; zeros keep their sign.",
    golden=np.arctan,
    ulp=CLOSE,
    method=False,
)

# Hyperbolic functions

unary(
    "sinh",
    "Hyperbolic sine, element by element.",
    Pointwise(float=functions.sinh),
    promoted=BF16_ONLY,
    special="Overflow gives infinities; zeros keep their sign.",
    golden=np.sinh,
    ulp=CLOSE,
)
unary(
    "cosh",
    "Hyperbolic cosine, element by element.",
    Pointwise(float=functions.cosh),
    promoted=BF16_ONLY,
    special="Overflow gives inf.",
    golden=np.cosh,
    ulp=CLOSE,
)
unary(
    "tanh",
    "Hyperbolic tangent, element by element.",
    Pointwise(float=functions.tanh),
    special="``tanh(±inf) == ±1``, NaN stays NaN.",
    golden=np.tanh,
    ulp=FAST,
    keywords={"a": "input"},
)
unary(
    "asinh",
    "Inverse hyperbolic sine, element by element.",
    Pointwise(float=functions.asinh),
    special="Zeros keep their sign; ``asinh(±inf) == ±inf``.",
    golden=np.arcsinh,
    ulp=CLOSE,
)
unary(
    "acosh",
    "Inverse hyperbolic cosine, element by element.",
    Pointwise(float=functions.acosh),
    special="NaN below 1.",
    golden=np.arccosh,
    draw="above one",
    ulp=CLOSE,
)
unary(
    "atanh",
    "Inverse hyperbolic tangent, element by element.",
    Pointwise(float=functions.atanh),
    special="``atanh(±1) == ±inf``, NaN outside [-1, 1].",
    golden=np.arctanh,
    draw="unit",
    ulp=CLOSE,
    method=False,
)

# Error functions

unary(
    "erf",
    "Error function, element by element.",
    Pointwise(float=functions.erf),
    special="``erf(±inf) == ±1``, NaN stays NaN.",
    golden=_each(pymath.erf),
    ulp=FAST,
    method=False,
    keywords={"self": "input"},
)
unary(
    "erfc",
    "``1 - erf(x)``, element by element, accurate where it is small.",
    Pointwise(float=functions.erfc),
    special="``erfc(inf) == 0``, ``erfc(-inf) == 2``, NaN stays NaN.",
    golden=_each(pymath.erfc),
    ulp=CLOSE,
)
