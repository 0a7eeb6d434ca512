"""Elementwise operations of one operand."""

from __future__ import annotations

import math as pymath
from collections.abc import Callable, Mapping

import numpy as np

from openpto.diagnostics import fail
from openpto.ir.dtypes import DataType
from openpto.ir.enums import PrecisionType
from openpto.ir.trace import Var

from . import arith
from . import math as functions
from . import recording as rec
from .dtype_sets import BF16, F3, I2, INT8, INT16, INT32
from .registry import Array, Builder, Dtypes, Pointwise, Sample, op
from .samples import integral, normal, positive

FLOATS = Dtypes(F3)
ARITHMETIC = Dtypes(F3 | I2)
BF16_ONLY = frozenset({BF16})

_COMMON = """
Shapes: any of rank 1-4; the result has the operand's shape, dtype and valid shape.
Dtypes: {dtypes}. {special}
Errors: a dtype outside this list; a dynamic, NZ or empty operand; a rank outside 1-4.
"""


def precise(name: str, precision_type: object) -> None:
    """``precision_type`` chooses an instruction on the 950; the contract's result is the same for both."""
    if not isinstance(precision_type, PrecisionType):
        got = rec.type_name(precision_type)
        fail("PTO222", op=name, why=f"precision_type must be a PrecisionType, got {got}")


def describe(dtypes: Dtypes) -> str:
    """``FP16, FP32; INT8 on the 950 only``."""
    text = ", ".join(d.short for d in sorted(dtypes.everywhere))
    more = ", ".join(d.short for d in sorted(dtypes.only_950))
    return f"{text}; {more} on the 950 only" if more else text


def unary(
    name: str,
    summary: str,
    arithmetic: Pointwise,
    *,
    special: str,
    golden: Callable[..., Array],
    dtypes: Dtypes = FLOATS,
    sample: str = "normal",
    ulp: float = 0.0,
    promoted: frozenset[DataType] = BF16_ONLY,
    precision: PrecisionType | None = None,
    method: bool = True,
    keywords: Mapping[str, str] | None = None,
) -> None:
    """Declare one op; with ``precision`` (its default) it has a parameter ``precision_type``."""

    def plain(input: Var) -> Var:
        return rec.pointwise(name, [rec.tile(name, "input", input)])

    def chosen(input: Var, precision_type: PrecisionType = precision or PrecisionType.INTRINSIC) -> Var:
        precise(name, precision_type)
        return plain(input)

    record = plain if precision is None else chosen
    record.__doc__ = summary + "\n" + _COMMON.format(dtypes=describe(dtypes), special=special)
    samples = [Sample(f"pypto.{name}(x)", {"x": _ARRAYS[sample]}, golden, ulp=ulp)]
    if arithmetic.int is not None and INT32 in dtypes.everywhere:
        samples.append(Sample(f"pypto.{name}(x)", {"x": integral(8, 16)}, golden))
    op(
        name,
        "U",
        arithmetic=arithmetic,
        dtypes=dtypes,
        promoted=promoted,
        keywords=keywords,
        method=method,
        samples=tuple(samples),
    )(record)


_ARRAYS = {"normal": normal(8, 16), "positive": positive(8, 16)}


def _both(build: Builder) -> Pointwise:
    return Pointwise(float=build, int=build)


unary(
    "neg",
    "Negation, element by element.",
    _both(lambda x: -x),
    dtypes=ARITHMETIC,
    special="Integers wrap: ``neg(INT_MIN) == INT_MIN``.",
    golden=lambda x: -x,
    method=False,
    keywords={"a": "input"},
)
unary(
    "abs",
    "Absolute value, element by element.",
    _both(abs),
    dtypes=Dtypes(F3, frozenset({INT8, INT16, INT32})),
    special="Integers wrap: ``abs(INT_MIN) == INT_MIN``.",
    golden=np.abs,
    method=False,
    keywords={"a": "input"},
)
unary(
    "relu",
    "``max(x, 0)``, element by element.",
    Pointwise(float=lambda x: arith.maximum(x, 0.0), int=lambda x: arith.maximum(x, 0)),
    dtypes=ARITHMETIC,
    special="NaN stays NaN, ``relu(-0) == +0``.",
    golden=lambda x: np.where(x > 0, x, 0),
    keywords={"a": "input"},
)
unary(
    "exp",
    "e to the power x, element by element.",
    Pointwise(float=functions.exp),
    special="Overflow gives inf, ``exp(-inf) == 0``, NaN stays NaN.",
    golden=np.exp,
    ulp=2,
    precision=PrecisionType.INTRINSIC,
)
unary(
    "log",
    "Natural logarithm, element by element.",
    Pointwise(float=functions.log),
    special="``log(0) == -inf``, NaN below zero.",
    golden=np.log,
    sample="positive",
    ulp=2,
    precision=PrecisionType.INTRINSIC,
)
unary(
    "sqrt",
    "Square root, element by element, correctly rounded.",
    Pointwise(float=functions.sqrt),
    special="NaN below zero, ``sqrt(-0) == -0``.",
    golden=np.sqrt,
    sample="positive",
    ulp=0.5,
    precision=PrecisionType.INTRINSIC,
)
unary(
    "rsqrt",
    "``1 / sqrt(x)``, element by element: a square root and a division, each correctly rounded.",
    Pointwise(float=functions.rsqrt),
    special="NaN below zero, ``rsqrt(0) == inf``.",
    golden=lambda x: 1.0 / np.sqrt(x),
    sample="positive",
    ulp=1.5,
    precision=PrecisionType.INTRINSIC,
)
unary(
    "reciprocal",
    "``1 / x``, element by element, correctly rounded.",
    Pointwise(float=functions.reciprocal),
    special="``reciprocal(0) == inf``.",
    golden=lambda x: 1.0 / x,
    sample="positive",
    ulp=0.5,
    precision=PrecisionType.HIGH_PRECISION,
    keywords={"a": "input"},
)
unary(
    "tanh",
    "Hyperbolic tangent, element by element.",
    Pointwise(float=functions.tanh),
    special="``tanh(±inf) == ±1``, NaN stays NaN.",
    golden=np.tanh,
    ulp=3,
    promoted=frozenset(),
    keywords={"a": "input"},
)
unary(
    "erf",
    "Error function, element by element.",
    Pointwise(float=functions.erf),
    special="``erf(±inf) == ±1``, NaN stays NaN.",
    golden=np.vectorize(pymath.erf),
    ulp=3,
    promoted=frozenset(),
    method=False,
    keywords={"self": "input"},
)
