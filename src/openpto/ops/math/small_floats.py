"""Float types of 8 and 4 bits as scalar expressions: from their codes (UINT8) to FP32, and back.

========  =================================================================================================
FP8E4M3   sign, 4 exponent bits (bias 7), 3 mantissa bits; no infinity, 0x7F and 0xFF are NaN, greatest 448
FP8E5M2   sign, 5 exponent bits (bias 15), 2 mantissa bits; infinities and NaN as in IEEE, greatest 57344
FP8E8M0   the exponent alone: 2^(code - 127), 255 is NaN
FP4_E2M1  sign, 2 exponent bits (bias 1), 1 mantissa bit: 0, 0.5, 1, 1.5, 2, 3, 4, 6
FP4_E1M2  sign, 1 exponent bit (bias 1), 2 mantissa bits: quarters from 0 to 1.75
HF8       HiFloat8: sign, a prefix of 2 to 4 bits that tells the width of the exponent, exponent, mantissa
INT4      the four low bits, two's complement
========  =================================================================================================

HF8 after the sign bit: 11 EEEE M, 10 EEE MM, 01 EE MMM, 001 E MMM, 0001 MMM, 0000 DDD. The first bit of the exponent is
its sign, the leading one of its magnitude is left out, so that the five forms have magnitudes 8-15, 4-7, 2-3, 1 and 0.
0000 DDD is 2^(D - 23), and zero for D = 0. 0x80 is NaN, 0x6F and 0xEF are the infinities; there is no negative zero.

Every value is exact in FP32. To a type: rounding by the mode; out of range, E5M2 and HF8 give infinity and E4M3 NaN,
and each the greatest finite value with saturation ON, or where the mode rounds towards zero; 4-bit floats always take
the greatest value, and zero for NaN.
"""

from __future__ import annotations

from openpto._records import dataclass
from openpto.ir.dtypes import DataType
from openpto.ir.enums import CastMode
from openpto.ops import arith
from openpto.ops.arith import F32, I32, U8, U32, Expr, bitcast, const, const_bits, convert, eq, is_nan, lshr, ne, select

E4M3, E5M2, E8M0, HF8 = DataType.DT_FP8E4M3, DataType.DT_FP8E5M2, DataType.DT_FP8E8M0, DataType.DT_HF8
E2M1, E1M2, INT4 = DataType.DT_FP4_E2M1, DataType.DT_FP4_E1M2, DataType.DT_INT4
PAIRS = {DataType.DT_FP4_E2M1X2: E2M1, DataType.DT_FP4_E1M2X2: E1M2}
"""Types of which an element is two values, the first in the low bits -> the type of one."""
CODES = frozenset({E4M3, E5M2, E8M0, HF8, E2M1, E1M2, INT4, *PAIRS})
"""Types that scalar expressions see as UINT8 codes."""
INFINITY = 0x7F800000
ONE = 1 << 23


def code_type(dtype: DataType) -> DataType:
    """The type of a value of ``dtype`` in scalar expressions."""
    return U8 if dtype in CODES else dtype


@dataclass(frozen=True, slots=True)
class Layout:
    """An IEEE-like type: ``greatest`` is its largest finite code without the sign; ``over`` stands for what is too
    large and ``nan`` for NaN, None where the type has neither."""

    exponent: int
    mantissa: int
    bias: int
    greatest: int
    over: int | None = None
    nan: int | None = None

    @property
    def sign(self) -> int:
        """The position of the sign bit."""
        return self.exponent + self.mantissa


LAYOUTS = {
    E4M3: Layout(4, 3, 7, 0x7E, 0x7F, 0x7F),
    E5M2: Layout(5, 2, 15, 0x7B, 0x7C, 0x7E),
    E2M1: Layout(2, 1, 1, 7),
    E1M2: Layout(1, 2, 1, 7),
}


# From codes


def decoded(code: Expr, dtype: DataType) -> Expr:
    """The FP32 value of a code."""
    if dtype is HF8:
        return _from_hifloat(convert(code, U32))
    if dtype is E8M0:
        return _power(convert(code, U32))
    if dtype is INT4:
        return convert((bitcast(code << 4, arith.I8)) >> 4, F32)
    return _from_layout(convert(code, U32), LAYOUTS[dtype])


def _from_layout(code: Expr, form: Layout) -> Expr:
    size = code & ((1 << form.sign) - 1)
    # The fields become those of an FP32 of another bias; the product is exact, also for denormals.
    value = bitcast(size << (23 - form.mantissa), F32) * 2.0 ** (127 - form.bias)
    if form.over is not None and form.over != form.nan:
        value = select(eq(size, form.over), arith.inf(), value)
    value = bitcast(bitcast(value, U32) | ((code >> form.sign) & 1) << 31, F32)
    if form.nan is None:
        return value
    return select(size > form.greatest if form.over == form.nan else size > (form.over or 0), arith.nan(), value)


def _power(code: Expr) -> Expr:
    """2^(code - 127); code 0 is a denormal of FP32."""
    power = select(eq(code, 0), const(1 << 22, U32), code << 23)
    return select(eq(code, 255), arith.nan(), bitcast(power, F32))


# Least code, width of the exponent field (with its sign), width of the mantissa; the last form is denormal.
_FORMS = ((0x60, 4, 1), (0x40, 3, 2), (0x20, 2, 3), (0x10, 1, 3), (0x08, 0, 3))


def _from_hifloat(code: Expr) -> Expr:
    size = code & 0x7F
    bits = (size + (127 - 23)) << 23  # denormal: D is the exponent + 23
    for least, width, mantissa in reversed(_FORMS):
        bits = select(size >= least, _hifloat_bits(size, width, mantissa), bits)
    value = bitcast(bits | (code >> 7) << 31, F32)
    infinite = bitcast(const_bits(INFINITY, U32) | (code >> 7) << 31, F32)
    value = select(eq(size, 0x6F), infinite, value)
    value = select(eq(size, 0), const(0.0, F32), value)
    return select(eq(code, 0x80), arith.nan(), value)


def _hifloat_bits(size: Expr, width: int, mantissa: int) -> Expr:
    """The FP32 bits of a code with these fields."""
    fraction = (size & ((1 << mantissa) - 1)) << (23 - mantissa)
    if width == 0:
        return fraction | const(127 << 23, U32)
    field = (size >> mantissa) & ((1 << width) - 1)
    top = 1 << (width - 1)
    magnitude = (field & (top - 1)) | const(top, U32)
    exponent = select(eq(field & top, 0), magnitude + 127, 127 - magnitude)
    return fraction | exponent << 23


# To codes


def encoded(x: Expr, dtype: DataType, mode: CastMode = CastMode.CAST_RINT, saturate: bool = False) -> Expr:
    """The code (UINT8) of an FP32 value; HF8 rounds ties away from zero whatever the mode."""
    if dtype is HF8:
        return _to_hifloat(x, saturate)
    if dtype is INT4:
        raise TypeError("INT4 is made from integers")
    return _to_layout(x, LAYOUTS[dtype], mode, saturate)


def _to_layout(x: Expr, form: Layout, mode: CastMode, saturate: bool) -> Expr:
    bits = bitcast(x, U32)
    size = bits & 0x7FFFFFFF
    exponent = arith.maximum(size >> 23, 1)
    significand = select(size < ONE, size, (size & (ONE - 1)) | ONE)
    least = 128 - form.bias  # biased FP32 exponent of the smallest normal value
    small = exponent < least
    missing = select(small, least - exponent, const(0, U32))
    shift = arith.minimum(missing + (23 - form.mantissa), 26)  # by 25 and more nothing is left but a rest
    rounded = _shifted(significand, shift, mode, ne(bits >> 31, 0))
    code = rounded + select(small, const(0, U32), (exponent - least) << form.mantissa)
    inward = _inward(mode, ne(bits >> 31, 0)) & ~eq(size, INFINITY)
    over = const(form.greatest if saturate or form.over is None else form.over, U32)
    greatest = const(form.greatest, U32)
    code = select(code > form.greatest, select(inward, greatest, over), code)
    code = code | (bits >> 31) << form.sign
    return convert(select(is_nan(x), const(form.nan or 0, U32), code), U8)


def _shifted(significand: Expr, shift: Expr, mode: CastMode, negative: Expr) -> Expr:
    """``significand`` divided by 2^shift (at least 1), rounded by the mode."""
    one = const(1, U32)
    below = lshr(significand, shift)
    rest = significand & ((one << shift) - 1)
    half = one << (shift - 1)
    if mode is CastMode.CAST_TRUNC:
        return below
    if mode is CastMode.CAST_ROUND:
        up = rest >= half
    elif mode in (CastMode.CAST_FLOOR, CastMode.CAST_CEIL):
        up = ne(rest, 0) & (negative if mode is CastMode.CAST_FLOOR else ~negative)
    else:
        up = (rest > half) | (eq(rest, half) & ne(below & 1, 0))
    return below + convert(up, U32)


def _inward(mode: CastMode, negative: Expr) -> Expr:
    """Whether the mode rounds towards zero."""
    if mode is CastMode.CAST_FLOOR:
        return ~negative
    if mode is CastMode.CAST_CEIL:
        return negative
    return const(mode is CastMode.CAST_TRUNC, arith.BOOL)


def _to_hifloat(x: Expr, saturate: bool) -> Expr:
    bits = bitcast(x, U32)
    size = bits & 0x7FFFFFFF
    exponent = bitcast(size >> 23, I32) - 127
    magnitude = abs(exponent)
    mantissa = select(magnitude >= 8, const(1, U32), select(magnitude >= 4, const(2, U32), const(3, U32)))
    mantissa = select(exponent < -15, const(0, U32), mantissa)
    shift = 23 - mantissa
    # Half a unit is added to all fields at once: a carry out of the mantissa raises the exponent.
    kept = lshr(size + lshr(const(1 << 22, U32), mantissa), shift)
    exponent = bitcast(lshr(kept, mantissa), I32) - 127
    fraction = kept & ((const(1, U32) << mantissa) - 1)
    code = _hifloat_code(exponent, fraction)
    code = select(exponent < -15, bitcast(arith.maximum(exponent + 23, 1), U32), code)
    code = select(size < (127 - 23) << 23, const(0, U32), code)
    over = (exponent > 15) | (eq(exponent, 15) & ne(fraction, 0))
    code = select(over, const(0x6E if saturate else 0x6F, U32), code)
    code = code | select(eq(code, 0), const(0, U32), (bits >> 31) << 7)
    return convert(select(is_nan(x), const(0x80, U32), code), U8)


def _hifloat_code(exponent: Expr, fraction: Expr) -> Expr:
    """The code of a normal value. A carry may have left the form whose mantissa was kept; then the fraction is 0."""
    magnitude = bitcast(abs(exponent), U32)
    code = fraction | const(0x08, U32)
    for least, width, mantissa in reversed(_FORMS[:-1]):
        top = 1 << (width - 1)
        negative = select(exponent < 0, const(top, U32), const(0, U32))
        fields = const(least, U32) | (negative | (magnitude - top)) << mantissa | fraction
        code = select(magnitude >= top, fields, code)
    return code
