"""Scans: running sums and products along an axis."""

from __future__ import annotations

import numpy as np

from openpto.ir.nodes import TileType
from openpto.ir.trace import Var

from . import recording as rec
from .dtype_sets import BF16, F3, FP16, I2, INT64
from .registry import Dtypes, Named, Sample, op
from .samples import converted, integral, normal, positive, whole


def scan(name: str, input: object, dim: object) -> Var:
    """Record a scan of one axis; integers are widened to INT64."""
    var = rec.tile(name, "input", input)
    at = rec.axis(name, dim, var.type.rank)
    dtype = INT64 if var.type.dtype in I2 else var.type.dtype
    return rec.emit(name, [var], TileType(var.type.shape, dtype), var.valid, axis=at)


@op(
    "cumsum",
    "R",
    arithmetic=Named("cumsum"),
    dtypes=Dtypes(F3 | I2),
    method=True,
    samples=(
        Sample("pypto.cumsum(x, -1)", {"x": normal(8, 16)}, lambda x: x.cumsum(-1), ulp=512),
        Sample("pypto.cumsum(x, 0)", {"x": whole(8, 16)}, lambda x: x.cumsum(0)),
        Sample("pypto.cumsum(x, 1)", {"x": integral(8, 16)}, lambda x: x.cumsum(1, dtype=np.int64)),
        Sample("pypto.cumsum(x, 1)", {"x": integral(8, 16, dtype=np.int16)}, lambda x: x.cumsum(1, dtype=np.int64)),
        Sample(
            "pypto.cumsum(x, 1)",
            {"x": converted(whole(8, 64), BF16)},
            lambda x: x.cumsum(1),
            ulp=0.5,
            tile=(8, 64),
            result=BF16,
        ),
    ),
)
def cumsum(input: Var, dim: int) -> Var:
    """Running sum along ``dim``, over the valid extent: element k is the sum of the elements 0 to k.

    Shapes: rank 1-4; the result has the operand's shape and valid shape.
    Dtypes: FP16, BF16, FP32 keep theirs; INT16 and INT32 give INT64. FP16 and BF16 are added up in FP32, and every
    element of the result is rounded once. The order of addition is ascending.
    Errors: an axis out of range; a dtype outside this list.
    """
    return scan("cumsum", input, dim)


@op(
    "cumprod",
    "R",
    arithmetic=Named("cumprod"),
    dtypes=Dtypes(F3),
    method=True,
    samples=(
        Sample("pypto.cumprod(x, 0)", {"x": positive(8, 16)}, lambda x: x.cumprod(0), ulp=8),
        Sample(
            "pypto.cumprod(x, 1)",
            {"x": converted(lambda rng: rng.choice([-2.0, 0.5, 1.0, 3.0], (8, 16)), FP16)},
            lambda x: x.cumprod(1),
            ulp=0.5,
            result=FP16,
        ),
    ),
)
def cumprod(input: Var, dim: int) -> Var:
    """Running product along ``dim``, over the valid extent: element k is the product of the elements 0 to k.

    Shapes: rank 1-4; the result has the operand's shape and valid shape.
    Dtypes: FP16, BF16, FP32; the result has the operand's. FP16 and BF16 are multiplied in FP32, and every element of
    the result is rounded once. The order of multiplication is ascending.
    Errors: an axis out of range; a dtype outside this list.
    """
    return scan("cumprod", input, dim)
