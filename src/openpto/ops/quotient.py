"""Divisions that leave whole numbers, and what remains: floor_div, ceil_div, fmod, remainder, gcd. All are exact."""

from __future__ import annotations

import math as pymath

import numpy as np

from openpto.diagnostics import T, fail
from openpto.ir.dtypes import DataType, is_int
from openpto.ir.enums import PrecisionType
from openpto.ir.nodes import Imm
from openpto.ir.trace import Var

from . import arith
from . import recording as rec
from .arith import F32, F64, Expr, convert, eq, ne, select
from .binary import beside, binary, binary_samples
from .dtype_sets import F3, HALVES, INT8, INT16, INT32, UINT8
from .registry import Array, Builder, Dtypes, Pointwise, Sample, op
from .typed_samples import any_values
from .unary import ARITHMETIC, BF16_ONLY, FLOATS, precise

INT_QUOTIENT = Dtypes(F3 | frozenset({INT32, INT8, UINT8}))
CEIL_QUOTIENT = Dtypes(frozenset({INT32}))
DIVISORS = Dtypes(frozenset({INT8, INT16, INT32, UINT8}))


def _whole_quotient(x: Expr, y: Expr, rounding: Builder) -> Expr:
    """``rounding(x / y)`` of integers, wrapped; the limits of the type where y is 0.

    FP64 holds the quotient of 32-bit integers so exactly that it never rounds to the next integer.
    """
    low, high = arith.int_range(x.dtype)
    quotient = convert(rounding(convert(x, F64) / convert(y, F64)), x.dtype)
    return select(eq(y, 0), select(x >= 0, arith.const(high, x.dtype), low), quotient)


def _golden_quotient(x: Array, y: Array, *, up: bool) -> Array:
    a, b = x.astype(np.int64), y.astype(np.int64)
    info = np.iinfo(x.dtype)
    safe = np.where(b == 0, 1, b)
    exact = -(-a // safe) if up else a // safe
    result: Array = np.where(b == 0, np.where(a >= 0, info.max, info.min), exact).astype(x.dtype)
    return result


def _golden_floor_div(x: Array, y: Array) -> Array:
    if x.dtype.kind != "f":
        return _golden_quotient(x, y, up=False)
    result: Array = np.floor(x.astype(np.float32) / y.astype(np.float32)).astype(np.float64)
    return result


@op(
    "floor_div",
    "B",
    arithmetic=Pointwise(float=lambda x, y: arith.floor(x / y), int=lambda x, y: _whole_quotient(x, y, arith.floor)),
    dtypes=INT_QUOTIENT,
    promoted=BF16_ONLY,
    samples=(
        *binary_samples("pypto.floor_div(x, y)", INT_QUOTIENT, _golden_floor_div, ulp=0.5),
        Sample("pypto.floor_div(x, 4)", {"x": any_values(INT32)}, lambda x: x // 4),
    ),
)
def floor_div(input: Var, other: Var | int | float) -> Var:
    """The quotient rounded down, element by element; the operator ``//`` is ``floor(div(x, y))`` instead.

    Shapes: broadcast like numpy, rank 1-4; valid extents are the least of the operands that have the full extent.
    Dtypes: FP16, BF16, FP32, INT8, INT32, UINT8, both the same; the result has the same. Floats: the FP32 quotient,
    then rounded down. Integers are exact; a divisor 0 gives the greatest value of the type (the least for x < 0).
    Errors: a float scalar beside an integer tensor; different dtypes; shapes that do not broadcast.
    """
    return binary("floor_div", input, other)


@op(
    "ceil_div",
    "B",
    arithmetic=Pointwise(int=lambda x, y: _whole_quotient(x, y, arith.ceil)),
    dtypes=CEIL_QUOTIENT,
    keywords={"self": "input"},
    samples=(
        *binary_samples("pypto.ceil_div(x, y)", CEIL_QUOTIENT, lambda x, y: _golden_quotient(x, y, up=True)),
        Sample("pypto.ceil_div(x, 7)", {"x": any_values(INT32)}, lambda x: (-(-x.astype("i8") // 7)).astype("i4")),
    ),
)
def ceil_div(input: Var, other: Var | int) -> Var:
    """The quotient rounded up, element by element.

    Shapes: broadcast like numpy, rank 1-4; valid extents are the least of the operands that have the full extent.
    Dtypes: INT32, both; exact. A divisor 0 gives the greatest value of the type (the least for x < 0).
    Errors: a float scalar; different dtypes; shapes that do not broadcast.
    """
    refuse_zero("ceil_div", other)
    return binary("ceil_div", input, other)


def refuse_zero(name: str, divisor: object) -> None:
    """An integer divisor that is known to be 0 (PTO268): what chips give there differs."""
    value = divisor.value if isinstance(divisor, Imm) else divisor
    if isinstance(value, int) and value == 0:
        fail(
            "PTO268",
            op=name,
            why=T(
                f"{name}() of integers by the number 0, for which chips give different results",
                f"{name}() 中整数除以数值 0，不同芯片的结果不同",
            ),
        )


# Remainders

# Each step leaves a remainder below its divisor, so the quotient of the next one has at most STEP_BITS bits: it and its
# product with the divisor are exact in FP64. The steps span the exponents of FP32.
STEP_BITS = 28
STEPS = 10


def _fmod(x: Expr, y: Expr) -> Expr:
    """FP32 ``x - y * trunc(x / y)``, exact, with the sign of x."""
    rest, divisor = convert(x, F64), convert(y, F64)
    for step in reversed(range(STEPS)):
        scaled = divisor * 2.0 ** (STEP_BITS * step)
        rest = rest - arith.trunc(rest / scaled) * scaled
    exact = convert(rest, F32)
    unlimited = eq(abs(y), arith.inf()) & (abs(x) < arith.inf())
    return arith.copysign(select(unlimited, x, exact), x)


def _remainder(x: Expr, y: Expr) -> Expr:
    """FP32 ``x - y * floor(x / y)`` with the sign of y."""
    rest = _fmod(x, y)
    other_side = ne(rest, 0.0) & ne(arith.bitcast(rest, arith.I32) < 0, arith.bitcast(y, arith.I32) < 0)
    placed = select(other_side, rest + y, rest)
    return select(eq(placed, 0.0), arith.copysign(placed, y), placed)


def _int_remainder(x: Expr, y: Expr) -> Expr:
    a, b = convert(x, F64), convert(y, F64)
    return select(eq(y, 0), 0, convert(a - arith.floor(a / b) * b, x.dtype))


@op(
    "fmod",
    "B",
    arithmetic=Pointwise(float=_fmod),
    dtypes=FLOATS,
    promoted=HALVES,
    method=True,
    samples=(
        *binary_samples("pypto.fmod(x, y)", FLOATS, np.fmod),
        Sample("pypto.fmod(x, 0.75)", {"x": any_values(DataType.DT_FP32)}, lambda x: np.fmod(x, 0.75)),
    ),
)
def fmod(input: Var, other: Var | float, precision_type: PrecisionType = PrecisionType.HIGH_PRECISION) -> Var:
    """The remainder of the division rounded towards zero, element by element, exact; it has the sign of ``input``.

    Shapes: broadcast like numpy, rank 1-4; valid extents are the least of the operands that have the full extent.
    Dtypes: FP16, BF16, FP32, both the same. NaN for a divisor 0 and an infinite x; x for an infinite divisor.
    Errors: a scalar that is NaN or infinite; different dtypes; shapes that do not broadcast.
    """
    precise("fmod", precision_type)
    value = other.value if isinstance(other, Imm) else other
    if isinstance(value, float) and not pymath.isfinite(value):
        fail(
            "PTO268",
            op="fmod",
            why=T(
                f"fmod(): other must not be {'NaN.' if value != value else 'inf.'}",
                f"除数有误（fmod(): other must not be {'NaN.' if value != value else 'inf.'}）",
            ),
        )
    return binary("fmod", input, other)


@op(
    "remainder",
    "B",
    arithmetic=Pointwise(float=_remainder, int=_int_remainder),
    dtypes=ARITHMETIC,
    promoted=HALVES,
    method=True,
    samples=(
        *binary_samples("pypto.remainder(x, y)", ARITHMETIC, np.mod, ulp=0.5),
        Sample("x % 3", {"x": any_values(INT32)}, lambda x: x % 3),
        Sample("pypto.remainder(7, x)", {"x": any_values(INT16)}, lambda x: np.mod(np.int16(7), x)),
    ),
)
def remainder(
    input: Var | int | float,
    other: Var | int | float,
    precision_type: PrecisionType = PrecisionType.HIGH_PRECISION,
) -> Var:
    """The remainder of the division rounded down, element by element; it has the sign of ``other``. Also ``x % y``.

    Shapes: broadcast like numpy, rank 1-4; valid extents are the least of the operands that have the full extent.
    Dtypes: FP16, BF16, FP32, INT16, INT32, both the same. Integers are exact, a divisor 0 gives 0; floats: as ``fmod``,
    plus one rounded addition where the signs differ. Either operand may be a scalar, which takes the tensor's dtype.
    Errors: two scalars; the scalar 0 as the divisor of integers; a float scalar beside an integer tensor; different
    dtypes; shapes that do not broadcast.
    """
    precise("remainder", precision_type)
    if isinstance(input, Var):
        if is_int(input.type.dtype):
            refuse_zero("remainder", other)
        return binary("remainder", input, other)
    if not isinstance(other, Var):
        fail(
            "PTO222",
            op="remainder",
            why=T(
                "Unsupported operand types for remainder: one has to be a Tensor",
                "至少有一个操作数必须为 Tensor（Unsupported operand types for remainder）",
            ),
        )
    divisor = rec.tile("remainder", "other", other)
    return rec.pointwise("remainder", [beside("remainder", input, divisor, strict=True), divisor])


# Greatest common divisor


def _gcd(x: Expr, y: Expr) -> Expr:
    """Euclid's algorithm with the remainder next to zero: it shrinks by 1 + sqrt(2) in every step."""
    steps = pymath.ceil(arith.width(x.dtype) * pymath.log(2.0) / pymath.log(1.0 + pymath.sqrt(2.0))) + 1
    a, b = abs(convert(x, F64)), abs(convert(y, F64))
    for _ in range(steps):
        done = eq(b, 0.0)
        divisor = select(done, 1.0, b)
        a, b = select(done, a, b), abs(a - arith.rint(a / divisor) * divisor)
    return convert(a, x.dtype)


def _golden_gcd(x: Array, y: Array) -> Array:
    result: Array = np.gcd(x.astype(np.int64), y.astype(np.int64)).astype(x.dtype)
    return result


@op(
    "gcd",
    "B",
    arithmetic=Pointwise(int=_gcd),
    dtypes=DIVISORS,
    method=True,
    samples=(
        *binary_samples("pypto.gcd(x, y)", DIVISORS, _golden_gcd, tile=(8, 32)),
        Sample("pypto.gcd(x, 12)", {"x": any_values(INT32)}, lambda x: _golden_gcd(x, np.array(12))),
    ),
)
def gcd(input: Var, other: Var | int) -> Var:
    """The greatest common divisor, element by element; not negative, and 0 only for two zeros.

    Shapes: broadcast like numpy, rank 1-4; valid extents are the least of the operands that have the full extent.
    Dtypes: INT8, INT16, INT32, UINT8, both the same. What does not fit wraps: ``gcd(INT_MIN, 0) == INT_MIN``.
    Errors: a float scalar; different dtypes; shapes that do not broadcast.
    """
    return binary("gcd", input, other)
