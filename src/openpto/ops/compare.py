"""Comparisons and logical operations; their results are BOOL."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from openpto.diagnostics import fail, portability
from openpto.ir.trace import Var

from . import arith
from . import recording as rec
from .binary import beside, same_rank
from .dtype_sets import BF16, BOOL, F3, FP16, FP32, I2, INT8, INT16, INT32, INTS, UINT8, UINT16, UINT32
from .registry import Array, Builder, Dtypes, Pointwise, Sample, op
from .samples import integral, normal, truth
from .typed_samples import any_values, doubled
from .unary import BF16_ONLY, FLOATS

COMPARED = Dtypes(frozenset({FP16, FP32}), frozenset({INT16}))

_DOC = """{summary}

Shapes: both of one rank (1-4), broadcast; the result is BOOL, its valid extents are the least of the operands that
have the full extent.
Dtypes: FP16, FP32 (INT16 on the 950), both the same. A scalar takes the tensor's dtype. With NaN only ``ne`` holds.
Errors: different dtypes or ranks; shapes that do not broadcast; BF16 and INT32 (cast to FP32 first).
"""


def comparison(name: str, sign: str, summary: str, build: Builder, golden: Callable[..., Any]) -> None:
    """Declare one comparison."""

    def record(input: Var, other: Var | float) -> Var:
        first = rec.tile(name, "input", input)
        if isinstance(other, int) and not isinstance(other, bool):
            portability("PTO659", op=name, value=other)
        operand = beside(name, other, first, strict=False)
        if isinstance(operand, Var):
            same_rank(name, [first, operand])
        return rec.pointwise("gt" if name == "greater" else name, [first, operand], BOOL)

    record.__doc__ = _DOC.format(summary=summary)
    op(
        name,
        "C",
        arithmetic=Pointwise(float=build, int=build),
        dtypes=COMPARED,
        method=name == "greater",
        samples=(
            Sample(f"pypto.{name}(x, y)", {"x": _steps, "y": _steps}, golden),
            Sample(f"x {sign} 0.5", {"x": _steps}, lambda x: golden(x, 0.5)),
            *(
                Sample(f"pypto.{name}(x, y)", {"x": any_values(t), "y": any_values(t)}, golden)
                for t in sorted(COMPARED.union)
            ),
        ),
    )(record)


def _steps(rng: np.random.Generator) -> Any:
    """FP32 values with many ties, some NaN."""
    values = rng.integers(-3, 4, (8, 16)).astype(np.float32) / 2
    values[0, 0] = np.nan
    return values


comparison("eq", "==", "``input == other``, element by element.", arith.eq, np.equal)
comparison("ne", "!=", "``input != other``, element by element.", arith.ne, np.not_equal)
comparison("lt", "<", "``input < other``, element by element.", lambda x, y: x < y, np.less)
comparison("le", "<=", "``input <= other``, element by element.", lambda x, y: x <= y, np.less_equal)
comparison("gt", ">", "``input > other``, element by element.", lambda x, y: x > y, np.greater)
comparison("ge", ">=", "``input >= other``, element by element.", lambda x, y: x >= y, np.greater_equal)
comparison(
    "greater", ">", "``input > other``, element by element; another name of ``gt``.", lambda x, y: x > y, np.greater
)

LOGICAL = Dtypes(F3 | I2 | frozenset({INT8, UINT8, BOOL}))
NEGATED = Dtypes(F3 | I2 | frozenset({INT8, UINT8, UINT16, UINT32, BOOL}))


def _truth(x: arith.Expr) -> arith.Expr:
    return x if x.dtype is BOOL else arith.ne(x, 0)


def _and(x: arith.Expr, y: arith.Expr) -> arith.Expr:
    return _truth(x) & _truth(y)


def _not(x: arith.Expr) -> arith.Expr:
    return ~_truth(x)


@op(
    "logical_and",
    "C",
    arithmetic=Pointwise(float=_and, int=_and, bool=_and),
    dtypes=LOGICAL,
    promoted=frozenset({BF16}),
    samples=(
        Sample("pypto.logical_and(x, y)", {"x": truth(8, 16), "y": truth(8, 16)}, lambda x, y: x & y),
        Sample("pypto.logical_and(x, y)", {"x": truth(8, 16), "y": integral(8, 16, low=-1, high=2)}, np.logical_and),
        *(
            Sample("pypto.logical_and(x, y)", {"x": any_values(t), "y": any_values(INT8)}, np.logical_and)
            for t in sorted(LOGICAL.union - {BOOL})
        ),
    ),
)
def logical_and(input: Var, other: Var) -> Var:
    """``input != 0 and other != 0``, element by element; NaN counts as true.

    Shapes: both of one rank (1-4), broadcast; the result is BOOL.
    Dtypes: FP16, BF16, FP32, INT8, INT16, INT32, UINT8, BOOL; the two may differ.
    Errors: a scalar operand; different ranks; shapes that do not broadcast.
    """
    tiles = [rec.tile("logical_and", "input", input), rec.tile("logical_and", "other", other)]
    same_rank("logical_and", tiles)
    return rec.pointwise("logical_and", tiles, BOOL)


@op(
    "logical_not",
    "C",
    arithmetic=Pointwise(float=_not, int=_not, bool=_not),
    dtypes=NEGATED,
    promoted=BF16_ONLY,
    method=True,
    samples=(
        Sample("pypto.logical_not(x)", {"x": truth(8, 16)}, np.logical_not),
        Sample("pypto.logical_not(x)", {"x": integral(8, 16, low=-1, high=2)}, np.logical_not),
        Sample("pypto.logical_not(x)", {"x": normal(8, 16)}, np.logical_not),
        *(Sample("pypto.logical_not(x)", {"x": any_values(t)}, np.logical_not) for t in sorted(NEGATED.union - {BOOL})),
    ),
)
def logical_not(input: Var) -> Var:
    """``input == 0``, element by element.

    Shapes: any of rank 1-4; the result is BOOL with the operand's shape and valid shape.
    Dtypes: FP16, BF16, FP32, BOOL, INT8, INT16, INT32, UINT8, UINT16, UINT32.
    Errors: a dtype outside this list; a dynamic, NZ or empty operand.
    """
    return rec.pointwise("logical_not", [rec.tile("logical_not", "input", input)], BOOL)


# Predicates

BLOCK = 32
"""Elements of BOOL in one block of on-chip memory."""

_PREDICATE = """{summary}

Shapes: any of rank 1-4; the result is BOOL with the operand's shape and valid shape.
Dtypes: {dtypes}. {special}
Errors: a dtype outside this list; a dynamic, NZ or empty operand.
"""


def predicate(
    name: str,
    summary: str,
    arithmetic: Pointwise,
    dtypes: Dtypes,
    golden: Any,
    special: str,
    *,
    method: bool = False,
    blocks: bool = False,
) -> None:
    """Declare one question about single elements; ``blocks``: the device writes whole blocks of the BOOL result."""

    def record(input: Var) -> Var:
        var = rec.tile(name, "input", input)
        if blocks and rec.ints(var)[-1] % BLOCK:
            why = f"the last axis has {rec.ints(var)[-1]} elements and must have a multiple of {BLOCK}"
            fail("PTO263", op=name, why=why)
        return rec.pointwise(name, [var], BOOL)

    listed = ", ".join(d.short for d in sorted(dtypes.union))
    record.__doc__ = _PREDICATE.format(summary=summary, dtypes=listed, special=special)
    op(
        name,
        "C",
        arithmetic=arithmetic,
        dtypes=dtypes,
        method=method,
        keywords={"a" if method else "self": "input"},
        samples=tuple(
            Sample(f"pypto.{name}(x)", {"x": doubled(any_values(t)) if blocks else any_values(t)}, golden, tile=(8, 32))
            for t in sorted(dtypes.union)
        ),
    )(record)


def _golden_signbit(x: Array) -> Array:
    result: Array = (x < 0) if x.dtype.kind == "i" else np.signbit(x) & ~np.isnan(x)
    return result


predicate(
    "isfinite",
    "Whether the value is neither infinite nor NaN, element by element.",
    Pointwise(float=lambda x: abs(x) < arith.inf(), int=lambda x: arith.eq(x, x)),
    Dtypes(F3 | INTS),
    np.isfinite,
    "Integers are finite. The last axis and its vector tile are multiples of 32.",
    blocks=True,
)
predicate(
    "isnan",
    "Whether the value is NaN, element by element.",
    Pointwise(float=arith.is_nan),
    FLOATS,
    np.isnan,
    "The last axis and its vector tile are multiples of 32.",
    blocks=True,
)
predicate(
    "signbit",
    "Whether the sign is minus, element by element.",
    Pointwise(float=lambda x: (arith.bitcast(x, arith.I32) < 0) & ~arith.is_nan(x), int=lambda x: x < 0),
    Dtypes(F3 | frozenset({INT8, INT16, INT32})),
    _golden_signbit,
    "True for -0, false for every NaN.",
    method=True,
)
