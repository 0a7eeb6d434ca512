"""Elementwise operations of one operand."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from openpto.diagnostics import T, fail
from openpto.ir.dtypes import DataType, is_float
from openpto.ir.enums import PrecisionType
from openpto.ir.nodes import Imm
from openpto.ir.trace import Var

from . import arith
from . import math as functions
from . import recording as rec
from .dtype_sets import BF16, F3, FP16, FP32, HALVES, I2, INT8, INT16, INT32
from .registry import Array, Builder, Dtypes, Pointwise, Sample, op
from .typed_samples import any_values, drawn, specials

FLOATS = Dtypes(F3)
ARITHMETIC = Dtypes(F3 | I2)
SIGNED_950 = Dtypes(F3, frozenset({INT8, INT16, INT32}))
BF16_ONLY = frozenset({BF16})

_COMMON = """
Shapes: any of rank 1-4; the result has the operand's shape and valid shape.
Dtypes: {dtypes}; the result has the same{exception}. {special}
Errors: a dtype outside this list; a dynamic, NZ or empty operand; a rank outside 1-4.
"""


def precise(name: str, precision_type: object) -> None:
    """``precision_type`` chooses an instruction on the 950; the contract's result is the same for both."""
    if not isinstance(precision_type, PrecisionType):
        got = rec.type_name(precision_type)
        fail(
            "PTO222",
            op=name,
            why=T(
                f"precision_type must be a PrecisionType, got {got}",
                f"precision_type 必须为 PrecisionType，实际为 {got}",
            ),
        )


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
    draw: str = "normal",
    huge: bool = True,
    ulp: float = 0.0,
    promoted: frozenset[DataType] = frozenset(),
    precision: PrecisionType | None = None,
    from_int: DataType | None = None,
    method: bool = True,
    keywords: Mapping[str, str] | None = None,
) -> None:
    """Declare one op.

    With ``precision`` (its default) it has a parameter ``precision_type``. ``from_int`` is the result type of integers.
    Samples draw from ``draw``, and try the greatest finite values if ``huge``; ``ulp`` is the error in FP32.
    """

    def plain(input: Var) -> Var:
        var = rec.tile(name, "input", input)
        return rec.pointwise(name, [var], None if is_float(var.type.dtype) else from_int)

    def chosen(input: Var, precision_type: PrecisionType = precision or PrecisionType.INTRINSIC) -> Var:
        precise(name, precision_type)
        return plain(input)

    record = plain if precision is None else chosen
    exception = "" if from_int is None else f", {from_int.short} for integers"
    record.__doc__ = summary + "\n" + _COMMON.format(dtypes=describe(dtypes), special=special, exception=exception)
    op(
        name,
        "U",
        arithmetic=arithmetic,
        dtypes=dtypes,
        promoted=promoted,
        keywords=keywords,
        method=method,
        samples=unary_samples(f"pypto.{name}(x)", dtypes, golden, draw=draw, huge=huge, ulp=ulp, from_int=from_int),
    )(record)


def unary_samples(
    call: str,
    dtypes: Dtypes,
    golden: Callable[..., Array],
    *,
    draw: str = "normal",
    huge: bool = True,
    ulp: float = 0.0,
    from_int: DataType | None = None,
) -> tuple[Sample, ...]:
    """One sample in FP32 that reads well, then one with all special values per type."""
    samples = [Sample(call, {"x": drawn(FP32, draw)}, golden, ulp=ulp)]
    for dtype in sorted(dtypes.union):
        if is_float(dtype):
            array = specials(dtype, draw, huge=huge)
            samples.append(Sample(call, {"x": array}, golden, ulp=result_ulp(dtype, ulp), result=dtype))
        else:
            samples.append(Sample(call, {"x": any_values(dtype)}, golden, ulp=ulp, result=from_int or dtype))
    return tuple(samples)


def result_ulp(dtype: DataType, ulp: float) -> float:
    """The error that rounding to ``dtype`` leaves of an FP32 result with the error ``ulp``."""
    return 0.501 if dtype in HALVES and ulp else ulp


def _both(build: Builder) -> Pointwise:
    return Pointwise(float=build, int=build)


unary(
    "neg",
    "Negation, element by element.",
    _both(lambda x: -x),
    dtypes=ARITHMETIC,
    promoted=BF16_ONLY,
    special="Integers wrap: ``neg(INT_MIN) == INT_MIN``.",
    golden=lambda x: -x,
    method=False,
    keywords={"a": "input"},
)
unary(
    "abs",
    "Absolute value, element by element.",
    _both(abs),
    dtypes=SIGNED_950,
    promoted=BF16_ONLY,
    special="Integers wrap: ``abs(INT_MIN) == INT_MIN``.",
    golden=np.abs,
    method=False,
    keywords={"a": "input"},
)
unary(
    "sign",
    "-1, 0 or 1, element by element.",
    Pointwise(
        float=lambda x: arith.select(x > 0.0, 1.0, arith.select(x < 0.0, -1.0, x)),
        int=lambda x: arith.select(x > 0, 1, arith.select(x < 0, -1, x)),
    ),
    dtypes=Dtypes(F3 | frozenset({INT8, INT16, INT32})),
    promoted=BF16_ONLY,
    special="NaN stays NaN, zeros keep their sign.",
    golden=np.sign,
    keywords={"a": "input"},
)
unary(
    "relu",
    "``max(x, 0)``, element by element.",
    Pointwise(float=lambda x: arith.maximum(x, 0.0), int=lambda x: arith.maximum(x, 0)),
    dtypes=ARITHMETIC,
    promoted=BF16_ONLY,
    special="NaN stays NaN, ``relu(-0) == +0``.",
    golden=lambda x: np.maximum(x, 0),
    keywords={"a": "input"},
)
unary(
    "sqrt",
    "Square root, element by element, correctly rounded.",
    Pointwise(float=functions.sqrt),
    promoted=BF16_ONLY,
    special="NaN below zero, ``sqrt(-0) == -0``.",
    golden=np.sqrt,
    draw="positive",
    ulp=0.5,
    precision=PrecisionType.INTRINSIC,
)
unary(
    "rsqrt",
    "``1 / sqrt(x)``, element by element: a square root and a division, each correctly rounded.",
    Pointwise(float=functions.rsqrt),
    promoted=BF16_ONLY,
    special="NaN below zero, ``rsqrt(0) == inf``.",
    golden=lambda x: 1.0 / np.sqrt(x),
    draw="positive",
    ulp=1.5,
    precision=PrecisionType.INTRINSIC,
)
unary(
    "reciprocal",
    "``1 / x``, element by element, correctly rounded.",
    Pointwise(float=functions.reciprocal),
    promoted=BF16_ONLY,
    special="``reciprocal(0) == inf``.",
    golden=lambda x: 1.0 / x,
    draw="positive",
    ulp=0.5,
    precision=PrecisionType.HIGH_PRECISION,
    keywords={"a": "input"},
)


# Rounding to integral values


def _unchanged(x: arith.Expr) -> arith.Expr:
    return x


for _name, _summary, _build, _golden in (
    ("ceil", "The least integral value that is not below x", arith.ceil, np.ceil),
    ("floor", "The greatest integral value that is not above x", arith.floor, np.floor),
    ("trunc", "The integral value next to x towards zero", arith.trunc, np.trunc),
):
    unary(
        _name,
        f"{_summary}, element by element.",
        Pointwise(float=_build, int=_unchanged),
        dtypes=ARITHMETIC,
        special="The sign of zero, infinities and NaN stay; integers are returned as they are.",
        golden=_golden,
        draw="wide",
    )


def _round(operands: tuple[DataType, ...], result: DataType, attrs: Mapping[str, Any]) -> arith.Expr:
    """The expression of ``round`` for a number of decimals."""
    decimals: int = attrs["decimals"]
    build = _round_float if is_float(operands[0]) else _round_int
    return arith.on_widened(lambda x: build(x, decimals))(arith.var(operands[0]))


MOST_DECIMALS = 38  # 10**38 is the last power that FP32 holds


def _round_float(x: arith.Expr, decimals: int) -> arith.Expr:
    if decimals > MOST_DECIMALS:
        return x
    if decimals < -MOST_DECIMALS:
        return arith.select(abs(x) < arith.inf(), x * 0.0, x)
    power = 10.0 ** abs(decimals)
    if decimals < 0:
        return arith.rint(x / power) * power
    scaled = x * power
    # From 2^23 on every value is integral; a product of that size may have overflowed.
    return arith.select(abs(scaled) < 2.0**23, arith.rint(scaled) / power, x)


def _round_int(x: arith.Expr, decimals: int) -> arith.Expr:
    if decimals >= 0:
        return x
    power = 10.0 ** min(-decimals, 20)
    # FP64 keeps every tie of a 32-bit value apart from its neighbours.
    whole = arith.rint(arith.convert(x, arith.F64) / power) * power
    return arith.convert(whole, x.dtype)


def _golden_round(digits: int) -> Callable[[Array], Array]:
    power = np.float32(10.0**digits)

    def golden(x: Array) -> Array:
        single = x.astype(np.float32)
        scaled = single * power
        rounded = np.rint(scaled).astype(np.float64) / np.float64(power)
        result: Array = np.where(np.abs(scaled) < 2.0**23, rounded, x)
        return result

    return golden


@op(
    "round",
    "U",
    arithmetic=Pointwise(general=_round),
    dtypes=ARITHMETIC,
    method=True,
    samples=(
        *unary_samples("pypto.round(x)", ARITHMETIC, np.rint, draw="wide"),
        Sample("pypto.round(x, 1)", {"x": drawn(FP32)}, _golden_round(1), ulp=0.5),
        Sample("pypto.round(x, decimals=2)", {"x": specials(FP16)}, _golden_round(2), ulp=0.501, result=FP16),
        Sample("pypto.round(x, -2)", {"x": any_values(INT16)}, lambda x: (np.rint(x / 100) * 100).astype("i2")),
    ),
)
def round_(input: Var, decimals: int = 0) -> Var:
    """Round half to even at ``decimals`` digits after the point, or before it if negative, element by element.

    Shapes: any of rank 1-4; the result has the operand's shape and valid shape.
    Dtypes: FP16, BF16, FP32, INT16, INT32; the result has the same. In FP32: ``rint(x * 10**decimals) / 10**decimals``,
    each step rounded; values without such digits stay as they are. Integers change for negative ``decimals`` only and
    wrap.
    Errors: a dtype outside this list; ``decimals`` that is no int; a dynamic, NZ or empty operand.
    """
    var = rec.tile("round", "input", input)
    digits = rec.integer("round", "decimals", decimals)
    return rec.emit("round", [var], var.type, var.valid, decimals=digits)


def _leaky(slope: float) -> Callable[[Array], Array]:
    return lambda x: np.where(x >= 0, x, x * np.float32(slope))


@op(
    "lrelu",
    "U",
    arithmetic=Pointwise(float=lambda x, slope: arith.select(x >= 0.0, x, x * slope)),
    dtypes=FLOATS,
    promoted=BF16_ONLY,
    keywords={"other": "input"},
    samples=(
        Sample("pypto.lrelu(x)", {"x": drawn(FP32)}, _leaky(0.01), ulp=0.5),
        Sample("pypto.lrelu(x, 0.25)", {"x": specials(FP16)}, _leaky(0.25), ulp=0.5, result=FP16),
        Sample(
            "pypto.lrelu(x, pypto.Element(pypto.DT_FP32, 0.3))",
            {"x": specials(BF16)},
            _leaky(0.3),
            ulp=0.501,
            result=BF16,
        ),
    ),
)
def lrelu(input: Var, negative_slope: float = 0.01) -> Var:
    """``x if x >= 0 else negative_slope * x``, element by element.

    Shapes: any of rank 1-4; the result has the operand's shape and valid shape.
    Dtypes: FP16, BF16, FP32; the result has the same. The slope, a float or an Element, is rounded to FP32.
    Errors: a slope that is negative, NaN or infinite; a dtype outside this list; a dynamic, NZ or empty operand.
    """
    var = rec.tile("lrelu", "input", input)
    given: object = negative_slope
    slope = given.value if isinstance(given, Imm) else given
    if not isinstance(slope, (int, float)):
        fail("PTO225", op="lrelu", got=rec.type_name(slope), hint=T("use a float", "请使用 float"))
    for wrong, what in (
        (slope != slope, "must not be NaN."),
        (slope in (float("inf"), float("-inf")), "must not be inf."),
        (slope < 0, "must be non-negative"),
    ):
        if wrong:
            fail(
                "PTO268",
                op="lrelu",
                why=T(f"lrelu(): negative_slope {what}", f"斜率有误（lrelu(): negative_slope {what}）"),
            )
    return rec.pointwise("lrelu", [var, rec.rounded(slope, FP32)])
