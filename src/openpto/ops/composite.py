"""Operations that are recorded as others."""

from __future__ import annotations

import numpy as np

from openpto.ir.trace import Var

from . import recording as rec
from .dtype_sets import F3
from .reduce import fold
from .registry import Array, Composite, Dtypes, Sample, op
from .samples import normal

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
    samples=(Sample("pypto.softmax(x, -1)", {"x": normal(8, 16)}, _softmax, ulp=8),),
)
def softmax(input: Var, dim: int) -> Var:
    """``exp(x - max) / sum`` along an axis, over its valid extent.

    Shapes: rank 1-4; the result has the operand's shape and valid shape. Dtypes: FP32, FP16, BF16.
    Errors: an axis out of range; a dtype outside this list.
    """
    var = rec.tile("softmax", "input", input)
    shifted = rec.pointwise("sub", [var, fold("amax", var, dim, True)])
    weights = rec.pointwise("exp", [shifted])
    return rec.pointwise("div", [weights, fold("sum", weights, dim, True)])


@op(
    "sigmoid",
    "P",
    arithmetic=Composite(("mul", "exp", "add", "div")),
    dtypes=FLOATS,
    method=True,
    samples=(Sample("pypto.sigmoid(x)", {"x": normal(8, 16)}, lambda x: 1 / (1 + np.exp(-x.astype("f8"))), ulp=4),),
)
def sigmoid(input: Var) -> Var:
    """``1 / (1 + exp(-x))``, element by element.

    Shapes: rank 1-4; the result has the operand's shape and valid shape. Dtypes: FP32, FP16, BF16.
    Errors: a dtype outside this list.
    """
    var = rec.tile("sigmoid", "input", input)
    dtype = var.type.dtype
    grown = rec.pointwise("exp", [rec.pointwise("mul", [var, rec.rounded(-1.0, dtype)])])
    return rec.pointwise("div", [rec.rounded(1.0, dtype), rec.pointwise("add", [grown, rec.rounded(1.0, dtype)])])
