"""Casts between element types as scalar expressions: rounding modes and saturation.

* Float to integer: round by the mode (default TRUNC), then keep the low bits, or clamp with saturation ON.
* Float to a narrower float, and integer to float: round by the mode (default RINT). Overflow follows IEEE for the
  direction: RINT and ROUND give infinity, TRUNC the greatest finite value, FLOOR and CEIL either, by sign.
  ODD (FP32 to FP16 only): an inexact result gets an odd last mantissa bit; it never overflows.
* Widening is exact and ignores the mode. Every NaN becomes the canonical quiet NaN.
* Integer to integer: keep the low bits, or clamp with saturation ON.
* Same float type: NONE and RINT give the value itself; ROUND, FLOOR, CEIL, TRUNC round it to an integral value.
* Floats of 8 and 4 bits and INT4: see ``small_floats``; an expression sees their codes.
* BOOL: ``x != 0``; from BOOL 0 or 1.

A mode that a pair does not know counts as the pair's default.
"""

from __future__ import annotations

from functools import cache

from openpto.ir.dtypes import DataType
from openpto.ir.enums import CastMode, SaturationMode, TransMode
from openpto.ops import arith
from openpto.ops.arith import (
    BF16,
    BOOL,
    F16,
    F32,
    F64,
    HALVES,
    I32,
    I64,
    INTEGERS,
    SIGNED,
    U8,
    U16,
    U32,
    U64,
    Expr,
    bitcast,
    ceil,
    const,
    convert,
    eq,
    floor,
    is_nan,
    nan,
    ne,
    rint,
    select,
    trunc,
)

from . import small_floats
from .small_floats import CODES, code_type

DIRECTED = frozenset({CastMode.CAST_ROUND, CastMode.CAST_FLOOR, CastMode.CAST_CEIL, CastMode.CAST_TRUNC})
# Mantissa and exponent layout read as an unsigned integer: neighbours of a magnitude are one apart.
_PATTERN = {F16: U16, BF16: U16, F32: U32}


@cache
def cast_expression(
    source: DataType,
    target: DataType,
    mode: CastMode = CastMode.CAST_NONE,
    saturation: SaturationMode = SaturationMode.OFF,
) -> Expr:
    """The cast as an expression of one operand.

    Raises:
        TypeError: there is no cast between these types.
    """
    return code_cast(arith.var(code_type(source)), source, target, mode, saturation is SaturationMode.ON)


def code_cast(x: Expr, source: DataType, target: DataType, mode: CastMode, saturate: bool) -> Expr:
    """As :func:`cast`, where either type may be one that expressions see as codes."""
    value = small_floats.decoded(x, source) if source in CODES else x
    if target not in CODES:
        return cast(value, target, mode, saturate)
    wide = cast(value, F32)
    if target is not small_floats.INT4:
        return small_floats.encoded(wide, target, mode, saturate)
    whole = convert(_integral(wide, mode, CastMode.CAST_TRUNC), I32, saturate)
    if saturate:
        whole = arith.minimum(arith.maximum(whole, -8), 7)
    return convert(whole & 15, U8)


def cast(x: Expr, target: DataType, mode: CastMode = CastMode.CAST_NONE, saturate: bool = False) -> Expr:
    """``x`` cast to ``target``; see the module for the rules.

    Raises:
        TypeError: there is no cast between these types.
    """
    source = x.dtype
    if target is BOOL:
        return convert(_widened(x), BOOL)
    if source is BOOL:
        return convert(convert(x, F32), target) if target in HALVES else convert(x, target)
    if source in INTEGERS:
        return _from_integer(x, target, mode, saturate)
    if target in INTEGERS:
        return convert(_integral(_widened(x), mode, CastMode.CAST_TRUNC), target, saturate)
    return _between_floats(x, target, mode)


def _widened(x: Expr) -> Expr:
    return convert(x, F32) if x.dtype in HALVES else x


def _canonical(x: Expr) -> Expr:
    return select(is_nan(x), nan(x.dtype), x)


def _integral(x: Expr, mode: CastMode, default: CastMode) -> Expr:
    """``x`` rounded to an integral float of the same type."""
    if mode is CastMode.CAST_RINT:
        return rint(x)
    if mode is CastMode.CAST_FLOOR:
        return floor(x)
    if mode is CastMode.CAST_CEIL:
        return ceil(x)
    if mode is CastMode.CAST_ROUND:
        return round_half_away(x)
    if mode is CastMode.CAST_TRUNC or default is CastMode.CAST_TRUNC:
        return trunc(x)
    return x


def round_half_away(x: Expr) -> Expr:
    """Nearest integral float, ties away from zero."""
    whole = trunc(x)
    outward = select(x < 0.0, whole - 1.0, whole + 1.0)
    # The difference is exact: it is a part of x's own mantissa.
    return select(abs(x - whole) >= 0.5, outward, whole)


def _between_floats(x: Expr, target: DataType, mode: CastMode) -> Expr:
    source = x.dtype
    if source is target:
        if mode not in DIRECTED:
            return x
        rounded = _canonical(_integral(_widened(x), mode, CastMode.CAST_NONE))
        return convert(rounded, target) if source in HALVES else rounded
    if source in HALVES:
        wide = _canonical(convert(x, F32))
        return wide if target is F32 else cast(wide, target, mode)
    if target is F64:
        return convert(_canonical(x), F64)
    if source is F64 and target is not F32:
        raise TypeError(f"no cast from {source.short} to {target.short}")
    odd = mode is CastMode.CAST_ODD and (source, target) == (F32, F16)
    if mode in DIRECTED or odd:
        return _narrowed(_canonical(x), target, mode)
    return convert(_canonical(x), target)


def _narrowed(x: Expr, target: DataType, mode: CastMode) -> Expr:
    """``x`` as a narrower float by a mode other than nearest even."""
    wide, pattern = x.dtype, _PATTERN[target]
    magnitude = abs(x)
    nearest = convert(magnitude, target)
    too_great = convert(nearest, wide) > magnitude
    bits = bitcast(nearest, pattern)
    below = select(too_great, bits - 1, bits)  # magnitude towards zero
    value = convert(bitcast(below, target), wide)
    inexact = ne(value, magnitude) & ~is_nan(x)
    if mode is CastMode.CAST_ROUND:
        above = convert(bitcast(below + 1, target), wide)
        up = too_great | (inexact & eq(magnitude - value, above - magnitude))
    else:
        up = inexact & _outward(x < 0.0, mode)
    result = below | 1 if mode is CastMode.CAST_ODD else below + 1
    return _with_sign(select(up, result, below), x, target)


def _outward(negative: Expr, mode: CastMode) -> Expr:
    """Whether an inexact value moves away from zero (ODD: whether it is touched)."""
    if mode is CastMode.CAST_FLOOR:
        return negative
    if mode is CastMode.CAST_CEIL:
        return ~negative
    return const(mode is CastMode.CAST_ODD, BOOL)


def _with_sign(magnitude_bits: Expr, x: Expr, target: DataType) -> Expr:
    """The pattern as a ``target`` with the sign of ``x``; a NaN stays canonical."""
    unsigned = {F32: U32, F64: U64}[x.dtype]
    sign = bitcast(x, unsigned) >> (arith.width(x.dtype) - 1)
    placed = convert(sign, magnitude_bits.dtype) << (arith.width(target) - 1)
    return bitcast(magnitude_bits | placed, target)


def _from_integer(x: Expr, target: DataType, mode: CastMode, saturate: bool) -> Expr:
    if target in INTEGERS:
        return convert(_clamped(x, target) if saturate else x, target)
    if target in HALVES:
        return _between_floats(_from_integer(x, F32, mode, saturate), target, mode)
    if mode not in DIRECTED or arith.width(x.dtype) <= 16:
        return convert(x, target)
    if target is not F32:
        if arith.width(x.dtype) <= 32:
            return convert(x, target)
        raise TypeError(f"no cast from {x.dtype.short} to {target.short} by {mode}")
    return _integer_to_float32(convert(x, I64 if x.dtype in SIGNED else U64), mode)


def _clamped(x: Expr, target: DataType) -> Expr:
    """``x`` limited to the range of ``target``, in its own type."""
    low, high = arith.int_range(target)
    own_low, own_high = arith.int_range(x.dtype)
    if low > own_low:
        x = arith.maximum(x, low)
    return arith.minimum(x, high) if high < own_high else x


def _integer_to_float32(x: Expr, mode: CastMode) -> Expr:
    """A 64-bit integer as FP32 by a mode other than nearest even, in integer arithmetic."""
    if x.dtype in SIGNED:
        negative = x < 0
        magnitude = bitcast(select(negative, -x, x), U64)
    else:
        negative, magnitude = const(False, BOOL), x
    nearest = convert(magnitude, F32)
    # The nearest value may be 2^64 itself, which has no integer.
    too_great = (nearest >= 2.0**64) | (convert(nearest, U64) > magnitude)
    bits = bitcast(nearest, U32)
    below = select(too_great, bits - 1, bits)
    value = convert(bitcast(below, F32), U64)
    rest = magnitude - value
    if mode is CastMode.CAST_ROUND:
        gap = convert(bitcast(below + 1, F32), U64) - value  # wraps to the right value below 2^64
        up = ne(rest, 0) & (rest + rest >= gap)
    else:
        up = ne(rest, 0) & _outward(negative, mode)
    result = bitcast(select(up, below + 1, below), F32)
    return select(negative, -result, result)


# Short mantissas: what the matrix unit keeps of an FP32 value

TF32_DROPPED = 13  # low mantissa bits: 10 are left


@cache
def tf32_expression(mode: TransMode) -> Expr:
    """An FP32 operand rounded to 10 mantissa bits: RINT ties to even, ROUND ties away; overflow gives infinity."""
    x = arith.var(F32)
    bits = bitcast(x, U32)
    half = const((1 << (TF32_DROPPED - 1)) - 1, U32)
    tie = (bits >> TF32_DROPPED) & 1 if mode is TransMode.CAST_RINT else const(1, U32)
    return select(is_nan(x), nan(), _short(bits + half + tie))


@cache
def kept_of_scale() -> Expr:
    """An FP32 scale cut to 10 mantissa bits."""
    return _short(bitcast(arith.var(F32), U32))


def _short(bits: Expr) -> Expr:
    return bitcast((bits >> TF32_DROPPED) << TF32_DROPPED, F32)
