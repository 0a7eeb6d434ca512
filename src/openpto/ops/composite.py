"""Operations that are recorded as others."""

from __future__ import annotations

import numpy as np

from openpto.ir.trace import Var

from . import recording as rec
from .dtype_sets import BF16, F3, FP16, FP32
from .reduce import fold
from .registry import Array, Composite, Dtypes, Sample, op
from .samples import converted, normal
from .statistics import to_type

FLOATS = Dtypes(F3)


def _softmax(x: Array) -> Array:
    weights: Array = np.exp(x.astype(np.float64) - x.max(-1, keepdims=True))
    result: Array = weights / weights.sum(-1, keepdims=True)
    return result


@op(
    "softmax",
    "P",
    arithmetic=Composite(("amax", "sub", "exp", "sum", "div")),
    dtypes=FLOATS,
    method=True,
    samples=(
        Sample("pypto.softmax(x, -1)", {"x": normal(8, 16)}, _softmax, ulp=8),
        Sample("pypto.softmax(x, -1)", {"x": converted(normal(8, 16), BF16)}, _softmax, ulp=0.51, result=BF16),
    ),
)
def softmax(input: Var, dim: int) -> Var:
    """``exp(x - max) / sum`` along an axis, over its valid extent.

    Shapes: rank 1-4; the result has the operand's shape and valid shape. Dtypes: FP32, FP16, BF16; computed in FP32
    and rounded once to the operand's dtype.
    Errors: an axis out of range; a dtype outside this list.
    """
    source = rec.tile("softmax", "input", input)
    var = to_type(source, FP32)
    shifted = rec.pointwise("sub", [var, fold("amax", var, dim, True)])
    weights = rec.pointwise("exp", [shifted])
    return to_type(rec.pointwise("div", [weights, fold("sum", weights, dim, True)]), source.type.dtype)


@op(
    "sigmoid",
    "P",
    arithmetic=Composite(("mul", "exp", "add", "div")),
    dtypes=FLOATS,
    method=True,
    samples=(
        Sample("pypto.sigmoid(x)", {"x": normal(8, 16)}, lambda x: 1 / (1 + np.exp(-x.astype("f8"))), ulp=4),
        Sample(
            "pypto.sigmoid(x)",
            {"x": converted(normal(8, 16), FP16)},
            lambda x: 1 / (1 + np.exp(-x)),
            ulp=0.51,
            result=FP16,
        ),
    ),
)
def sigmoid(input: Var) -> Var:
    """``1 / (1 + exp(-x))``, element by element.

    Shapes: rank 1-4; the result has the operand's shape and valid shape. Dtypes: FP32, FP16, BF16; computed in FP32
    and rounded once to the operand's dtype.
    Errors: a dtype outside this list.
    """
    source = rec.tile("sigmoid", "input", input)
    var = to_type(source, FP32)
    one = rec.rounded(1.0, FP32)
    grown = rec.pointwise("exp", [rec.pointwise("mul", [var, rec.rounded(-1.0, FP32)])])
    return to_type(rec.pointwise("div", [one, rec.pointwise("add", [grown, one])]), source.type.dtype)
