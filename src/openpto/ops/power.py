"""``pow``, with its own rules for the type of the result."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from openpto.diagnostics import T, fail
from openpto.ir.dtypes import DataType, is_float, is_int
from openpto.ir.enums import PrecisionType
from openpto.ir.nodes import Imm, TileType
from openpto.ir.trace import Var

from . import arith
from . import math as functions
from . import recording as rec
from .arith import F32, F64, Expr, const, convert, eq, ne, select
from .binary import same_rank
from .dtype_sets import BF16, F3, FP16, FP32, INT8, INT16, INT32, UINT8
from .registry import Array, Dtypes, Pointwise, Sample, op
from .typed_samples import drawn, limits, specials
from .unary import precise

POWERS = Dtypes(F3 | frozenset({INT32, INT8, UINT8, INT16}))
SMALL = frozenset({INT8, UINT8, INT16})
"""Types that are raised to powers of their own type only."""


# Arithmetic


def _expression(operands: tuple[DataType, ...], result: DataType, attrs: Mapping[str, Any]) -> Expr:
    base = arith.var(operands[0])
    if "exponent" in attrs:
        exponent: int | float = attrs["exponent"]
        if is_int(result):
            return _whole_power(base, int(exponent))
        return arith.on_widened(lambda x: _power(convert(x, F32), exponent))(base)
    if is_int(result):
        return _whole_powers(base, arith.var(operands[1], 1))
    widened = arith.on_widened(lambda x, y: functions.pow(convert(x, F32), convert(y, F32)))
    return widened(base, arith.var(operands[1], 1))


def _power(x: Expr, exponent: int | float) -> Expr:
    """FP32 ``x`` to a known power; the common ones are products and roots, each step rounded to FP32."""
    known = {
        0.0: lambda: const(1.0, F32),
        1.0: lambda: x,
        2.0: lambda: x * x,
        3.0: lambda: x * x * x,
        -1.0: lambda: 1.0 / x,
        -2.0: lambda: 1.0 / (x * x),
        0.5: lambda: arith.sqrt(x),
        -0.5: lambda: 1.0 / arith.sqrt(x),
    }
    build = known.get(float(exponent))
    return functions.pow(x, const(float(exponent), F64)) if build is None else build()


def _whole_power(x: Expr, exponent: int) -> Expr:
    """An integer to a known power, wrapped."""
    if exponent < 0:
        return _inverse(x, const(exponent % 2 == 1, arith.BOOL))
    result, square = const(1, x.dtype), x
    while exponent:
        if exponent & 1:
            result = result * square
        square = square * square
        exponent >>= 1
    return result


def _whole_powers(x: Expr, y: Expr) -> Expr:
    """An integer to the power of another one of its type, wrapped: squares for every bit that y can have."""
    signed = y.dtype in arith.SIGNED
    result, square = const(1, x.dtype), x
    for bit in range(arith.width(y.dtype) - signed):
        result = select(ne(y & const(1 << bit, y.dtype), 0), result * square, result)
        square = square * square
    return select(y < 0, _inverse(x, ne(y & 1, 0)), result) if signed else result


def _inverse(x: Expr, odd: Expr) -> Expr:
    """A negative power of an integer, rounded towards zero: only those of 1 and -1 are not 0."""
    if x.dtype not in arith.SIGNED:
        return select(eq(x, 1), x, 0)
    return select(eq(x, 1) | (eq(x, -1) & odd), x, select(eq(x, -1), const(1, x.dtype), 0))


# Types


def _result_of_scalar(base: DataType, exponent: int | float) -> DataType:
    if isinstance(exponent, int) or is_float(base):
        return base
    if base in SMALL:
        fail(
            "PTO268",
            op="pow",
            why=T(
                f"a float exponent beside an integer base of {base.name}", f"底数为整数类型 {base.name}，而指数为浮点数"
            ),
        )
    return FP32


def _result_of_tensors(base: DataType, exponent: DataType) -> DataType:
    """The higher of FP32 > FP16 > BF16 > INT32, and FP32 for FP16 beside BF16 (PTO228)."""
    both = {base, exponent}
    if len(both) == 1:
        return base
    if both & SMALL:
        rec.refuse_two_dtypes("pow", base.name, exponent.name)
    if both == {FP16, BF16}:
        return FP32
    return next(dtype for dtype in (FP32, FP16, BF16) if dtype in both)


# Declaration


def _golden_whole(x: Array, y: Array) -> Array:
    """Exact on Python integers of any size."""
    bits = 8 * x.dtype.itemsize

    def one(a: int, b: int) -> int:
        if b < 0:
            return {1: 1, -1: -1 if b % 2 else 1}.get(a, 0)
        return int(pow(a, b, 2**bits))

    values = [one(int(a), int(b)) % 2**bits for a, b in np.broadcast(x, y)]
    result: Array = np.array(values, np.uint64).astype(x.dtype).reshape(np.broadcast_shapes(x.shape, y.shape))
    return result


def _golden(x: Array, y: Array) -> Array:
    result: Array = np.power(x.astype(np.float64), y.astype(np.float64))
    return result


def _single(exponent: float) -> Any:
    return lambda x: np.power(x.astype(np.float64), exponent)


_EXPONENTS = limits(INT32)
_PAIRS = {"x": drawn(FP32, "positive"), "y": drawn(FP32)}


@op(
    "pow",
    "B",
    arithmetic=Pointwise(general=_expression),
    dtypes=POWERS,
    keywords={"base": "input"},
    samples=(
        Sample("pypto.pow(x, 2)", {"x": drawn(FP32)}, lambda x: x * x, ulp=0.5),
        Sample("x ** 0.3", {"x": drawn(FP32, "positive")}, _single(0.3), ulp=0.51),
        Sample("pypto.pow(x, 3.0)", {"x": specials(FP16)}, _single(3.0), ulp=0.501, result=FP16),
        Sample("pypto.pow(x, -2.5)", {"x": specials(BF16, "positive")}, _single(-2.5), ulp=0.501, result=BF16),
        Sample("pypto.pow(x, 5)", {"x": specials(FP32)}, _single(5), ulp=0.51),
        Sample("pypto.pow(x, 0)", {"x": specials(FP16)}, np.ones_like, result=FP16),
        Sample("pypto.pow(x, 7)", {"x": limits(INT32)}, lambda x: _golden_whole(x, np.array(7))),
        Sample("pypto.pow(x, -3)", {"x": limits(INT8)}, lambda x: _golden_whole(x, np.array(-3))),
        Sample(
            "pypto.pow(x, 1.5)", {"x": lambda rng: rng.integers(0, 999, (8, 16), dtype="i4")}, _single(1.5), ulp=0.51
        ),
        Sample("pypto.pow(x, y)", _PAIRS, _golden, ulp=0.51),
        Sample("pypto.pow(x, y)", {"x": specials(FP32), "y": specials(FP32, "wide")}, _golden, ulp=0.51),
        Sample("pypto.pow(x, y)", {"x": drawn(FP16), "y": drawn(FP16)}, _golden, ulp=0.501, result=FP16),
        Sample("pypto.pow(x, y)", {"x": drawn(FP16, "positive"), "y": drawn(BF16)}, _golden, ulp=0.51),
        Sample(
            "pypto.pow(x, y)",
            {"x": drawn(BF16), "y": lambda rng: rng.integers(-4, 5, (8, 16), dtype="i4")},
            _golden,
            ulp=0.501,
            result=BF16,
        ),
        *(
            Sample("pypto.pow(x, y)", {"x": limits(dtype), "y": limits(dtype)}, _golden_whole)
            for dtype in (INT8, INT16, INT32, UINT8)
        ),
    ),
)
def power(input: Var, other: Var | int | float, precision_type: PrecisionType = PrecisionType.HIGH_PRECISION) -> Var:
    """``input`` to the power ``other``, element by element; also ``x ** y``.

    Shapes: two tensors of one rank (1-4), broadcast; valid extents are the least of those that have the full extent.
    Dtypes: FP16, BF16, FP32, INT8, INT16, INT32, UINT8. An int exponent keeps the base's dtype, a float makes INT32
    FP32. Tensors: INT8, INT16 and UINT8 meet their own dtype only; else the result has the higher of FP32, FP16, BF16,
    INT32, and FP32 for FP16 beside BF16. Computed in FP32 and rounded once; known exponents 2, 3, -1, -2, 0.5 and
    -0.5 are products, quotients and roots, each step rounded. Anything to the power 0 is 1. Integers wrap; their
    negative powers are rounded towards zero.
    Errors: a float exponent beside INT8, INT16 or UINT8; another pair of dtypes; different ranks; no Tensor as base.
    """
    precise("pow", precision_type)
    base = rec.tile("pow", "input", input)
    if isinstance(other, Var):
        exponent = rec.tile("pow", "other", other)
        result = _result_of_tensors(base.type.dtype, exponent.type.dtype)
        same_rank("pow", [base, exponent])
        return rec.pointwise("pow", [base, exponent], result)
    given: object = other
    value = given.value if isinstance(given, Imm) else given
    if not isinstance(value, (int, float)):
        fail(
            "PTO222",
            op="pow",
            why=T(
                f"other must be Tensor, int or float but got {rec.type_name(other)}",
                f"指数的类型有误（other must be Tensor, int or float but got {rec.type_name(other)}）",
            ),
        )
    if isinstance(value, int) and not -(2**31) <= value < 2**31:
        fail("PTO268", op="pow", why=T(f"the exponent {value} does not fit INT32", f"指数 {value} 超出 INT32 的范围"))
    value = int(value) if isinstance(value, bool) else value
    type = TileType(base.type.shape, _result_of_scalar(base.type.dtype, value))
    return rec.emit("pow", [base], type, base.valid, exponent=value)
