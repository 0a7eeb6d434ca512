"""Reductions along one axis, over the valid extents."""

from __future__ import annotations

from typing import Any

import numpy as np

from openpto.ir.nodes import TileType
from openpto.ir.trace import Var

from . import recording as rec
from .dtype_sets import BF16, F3, FP16, FP32, I2, INT8, INT32, UINT8
from .registry import Array, Dtypes, Named, Reduce, Sample, op
from .samples import converted, integral, normal, whole

EXTREMES = Dtypes(F3 | I2, frozenset({INT8, UINT8}))
SUMMED = Dtypes(I2 | frozenset({FP32, BF16}))
MULTIPLIED = Dtypes(I2 | frozenset({FP32}))


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
        Sample("pypto.sum(x, 0)", {"x": integral(8, 16, dtype=np.int16)}, lambda x: _exact_sum(x, 0, False)),
        Sample(
            "pypto.sum(x, -1)",
            {"x": converted(whole(8, 64), BF16)},
            lambda x: x.sum(-1),
            ulp=0.5,
            tile=(8, 64),
            result=BF16,
        ),
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
        Sample("pypto.amax(x, 0)", {"x": converted(normal(8, 16), FP16)}, lambda x: np.max(x, 0), result=FP16),
        Sample(
            "pypto.amax(x, 0)",
            {"x": integral(8, 32, low=0, high=256, dtype=np.uint8)},
            lambda x: np.max(x, 0),
            tile=(8, 32),
        ),
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
        Sample("pypto.amin(x, 0)", {"x": converted(normal(8, 16), FP16)}, lambda x: np.min(x, 0), result=FP16),
        Sample(
            "pypto.amin(x, 0)",
            {"x": integral(8, 32, low=0, high=256, dtype=np.uint8)},
            lambda x: np.min(x, 0),
            tile=(8, 32),
        ),
    ),
)
def amin(input: Var, dim: int, keepdim: bool = False) -> Var:
    """Minimum along ``dim``, over the valid extent; of nothing it is inf or the greatest integer. NaN if any is NaN.

    Shapes: rank 1-4; ``keepdim`` leaves extent 1, else the axis is dropped (a rank-1 operand gives shape [1]).
    Dtypes: FP16, BF16, FP32, INT16, INT32 (INT8, UINT8 on the 950); the result has the operand's dtype.
    Errors: an axis out of range; a dtype outside this list.
    """
    return fold("amin", input, dim, keepdim)


@op(
    "prod",
    "R",
    arithmetic=Reduce("prod"),
    dtypes=MULTIPLIED,
    keywords={"self": "input"},
    samples=(
        Sample("pypto.prod(x, -1, True)", {"x": normal(8, 16)}, lambda x: x.prod(-1, keepdims=True), ulp=16),
        Sample("pypto.prod(x, 0)", {"x": integral(8, 16)}, lambda x: x.prod(0, dtype=x.dtype)),
        Sample("pypto.prod(x, 1)", {"x": integral(8, 16, dtype=np.int16)}, lambda x: x.prod(1, dtype=x.dtype)),
    ),
)
def prod(input: Var, dim: int, keepdim: bool = False) -> Var:
    """Product along ``dim``, over the valid extent; the product of nothing is 1.

    Shapes: rank 1-4; ``keepdim`` leaves extent 1, else the axis is dropped (a rank-1 operand gives shape [1]).
    Dtypes: FP32, INT16, INT32; the result has the operand's dtype, integers wrap.
    The order of multiplication is fixed: 16 lanes and a halving tree along the last axis, ascending along the others.
    Errors: an axis out of range; a dtype outside this list.
    """
    return fold("prod", input, dim, keepdim)


# Positions of extremes


def position(name: str, input: object, dim: object, keepdim: object) -> Var:
    """Record the search for an extreme along one axis; the result is INT32 and shaped as that of a reduction."""
    var = rec.tile(name, "input", input)
    at = rec.axis(name, dim, var.type.rank)
    keep = rec.flag(name, "keepdim", keepdim) or var.type.rank == 1
    shape = [1 if i == at else n for i, n in enumerate(rec.ints(var)) if keep or i != at]
    valid = [1 if i == at else n for i, n in enumerate(var.valid) if keep or i != at]
    return rec.emit(name, [var], TileType(tuple(shape), INT32), valid, axis=at, keepdim=keep)


def _first(choose: Any, axis: int, keepdim: bool = False) -> Any:
    """The golden: numpy's search, which takes the first of equal values too."""

    def golden(x: Array) -> Array:
        found: Array = choose(x, axis, keepdims=keepdim).astype(np.int32)
        return found

    return golden


@op(
    "argmax",
    "R",
    arithmetic=Named("argmax"),
    dtypes=Dtypes(F3),
    promoted=frozenset({BF16}),
    method=True,
    samples=(
        Sample("pypto.argmax(x, -1, True)", {"x": normal(8, 16)}, _first(np.argmax, -1, True)),
        Sample("pypto.argmax(x, 0)", {"x": whole(8, 16)}, _first(np.argmax, 0)),
        Sample("pypto.argmax(x)", {"x": converted(whole(8, 32), BF16)}, _first(np.argmax, -1), tile=(8, 32)),
    ),
)
def argmax(input: Var, dim: int = -1, keepdim: bool = False) -> Var:
    """INT32 index of the maximum along ``dim``, over the valid extent; of equal values the first.

    Shapes: rank 1-4; ``keepdim`` leaves extent 1, else the axis is dropped (a rank-1 operand gives shape [1]).
    Dtypes: FP16, BF16, FP32; the result is INT32. A NaN counts as the maximum; -0 and +0 are equal.
    Errors: an axis out of range; a dtype outside this list. While running: an axis without valid elements.
    """
    return position("argmax", input, dim, keepdim)


@op(
    "argmin",
    "R",
    arithmetic=Named("argmin"),
    dtypes=Dtypes(F3),
    promoted=frozenset({BF16}),
    method=True,
    samples=(
        Sample("pypto.argmin(x, -1, True)", {"x": normal(8, 16)}, _first(np.argmin, -1, True)),
        Sample("pypto.argmin(x, 0)", {"x": whole(8, 16)}, _first(np.argmin, 0)),
        Sample("pypto.argmin(x)", {"x": converted(whole(8, 32), FP16)}, _first(np.argmin, -1), tile=(8, 32)),
    ),
)
def argmin(input: Var, dim: int = -1, keepdim: bool = False) -> Var:
    """INT32 index of the minimum along ``dim``, over the valid extent; of equal values the first.

    Shapes: rank 1-4; ``keepdim`` leaves extent 1, else the axis is dropped (a rank-1 operand gives shape [1]).
    Dtypes: FP16, BF16, FP32; the result is INT32. A NaN counts as the minimum; -0 and +0 are equal.
    Errors: an axis out of range; a dtype outside this list. While running: an axis without valid elements.
    """
    return position("argmin", input, dim, keepdim)
