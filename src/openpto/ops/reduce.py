"""Reductions along one axis, over the valid extents."""

from __future__ import annotations

from typing import Any

import numpy as np

from openpto.ir.nodes import TileType
from openpto.ir.trace import Var

from . import recording as rec
from .dtype_sets import BF16, F3, FP32, I2, INT8, UINT8
from .registry import Dtypes, Reduce, Sample, op
from .samples import integral, normal

EXTREMES = Dtypes(F3 | I2, frozenset({INT8, UINT8}))
SUMMED = Dtypes(I2 | frozenset({FP32, BF16}))


def fold(name: str, x: object, dim: object, keepdim: object) -> Var:
    """Record a reduction of one axis. The result of a rank-1 operand has shape [1] in either case."""
    var = rec.tile(name, "input", x)
    at = rec.axis(name, dim, var.type.rank)
    keep = rec.flag(name, "keepdim", keepdim) or var.type.rank == 1
    shape = [1 if i == at else n for i, n in enumerate(rec.ints(var)) if keep or i != at]
    valid = [1 if i == at else n for i, n in enumerate(var.valid) if keep or i != at]
    return rec.emit(name, [var], TileType(tuple(shape), var.type.dtype), valid, axes=(at,), keepdim=keep)


def _exact_sum(x: Any, axis: int, keepdim: bool) -> Any:
    return np.sum(x, axis, dtype=np.float64 if x.dtype.kind == "f" else x.dtype, keepdims=keepdim)


@op(
    "sum",
    "R",
    arithmetic=Reduce("sum"),
    dtypes=SUMMED,
    promoted=frozenset({BF16}),
    method=True,
    samples=(
        Sample("pypto.sum(x, -1, True)", {"x": normal(8, 64)}, lambda x: _exact_sum(x, -1, True), ulp=64, tile=(8, 64)),
        Sample("pypto.sum(x, 0)", {"x": integral(8, 16)}, lambda x: _exact_sum(x, 0, False)),
    ),
)
def sum(input: Var, dim: int, keepdim: bool = False) -> Var:
    """Sum along ``dim``, over the valid extent; the sum of nothing is +0.

    Shapes: rank 1-4; ``keepdim`` leaves extent 1, else the axis is dropped (a rank-1 operand gives shape [1]).
    Dtypes: FP32, BF16, INT16, INT32; the result has the operand's dtype, integers wrap.
    The order of addition is fixed: 16 lanes and a halving tree along the last axis, ascending along the others.
    Errors: an axis out of range; a dtype outside this list.
    """
    return fold("sum", input, dim, keepdim)


@op(
    "amax",
    "R",
    arithmetic=Reduce("amax"),
    dtypes=EXTREMES,
    promoted=frozenset({BF16}),
    method=True,
    samples=(
        Sample("pypto.amax(x, -1, True)", {"x": normal(8, 16)}, lambda x: np.max(x, -1, keepdims=True)),
        Sample("pypto.amax(x, 0)", {"x": integral(8, 16)}, lambda x: np.max(x, 0)),
    ),
)
def amax(input: Var, dim: int, keepdim: bool = False) -> Var:
    """Maximum along ``dim``, over the valid extent; of nothing it is -inf or the least integer. NaN if any is NaN.

    Shapes: rank 1-4; ``keepdim`` leaves extent 1, else the axis is dropped (a rank-1 operand gives shape [1]).
    Dtypes: FP16, BF16, FP32, INT16, INT32 (INT8, UINT8 on the 950); the result has the operand's dtype.
    Errors: an axis out of range; a dtype outside this list.
    """
    return fold("amax", input, dim, keepdim)


@op(
    "amin",
    "R",
    arithmetic=Reduce("amin"),
    dtypes=EXTREMES,
    promoted=frozenset({BF16}),
    method=True,
    samples=(
        Sample("pypto.amin(x, -1, True)", {"x": normal(8, 16)}, lambda x: np.min(x, -1, keepdims=True)),
        Sample("pypto.amin(x, 0)", {"x": integral(8, 16)}, lambda x: np.min(x, 0)),
    ),
)
def amin(input: Var, dim: int, keepdim: bool = False) -> Var:
    """Minimum along ``dim``, over the valid extent; of nothing it is inf or the greatest integer. NaN if any is NaN.

    Shapes: rank 1-4; ``keepdim`` leaves extent 1, else the axis is dropped (a rank-1 operand gives shape [1]).
    Dtypes: FP16, BF16, FP32, INT16, INT32 (INT8, UINT8 on the 950); the result has the operand's dtype.
    Errors: an axis out of range; a dtype outside this list.
    """
    return fold("amin", input, dim, keepdim)
