"""The counter-based generator Philox4x32-10 and the numbers that are made of its words, as scalar expressions.

Every element is a function of its own position: block ``position // 4`` of the stream is the counter (block, 0, low,
high), where low and high are the halves of the author's 64-bit counter, encrypted under the halves of the key; the
element takes word ``position % 4`` of the four that result.

>>> from openpto.ops import arith
>>> from openpto.ops.arith import F32, I64
>>> uniform(arith.var(I64), 1234, 1, F32).dtype.short
'FP32'
"""

from __future__ import annotations

from openpto.ir.dtypes import DataType
from openpto.ops import arith
from openpto.ops.arith import F32, U16, U32, U64, Expr, bitcast, const, const_bits, convert, eq, select

from .logarithm import log
from .trigonometric import cos, sin

ROUNDS = 10
MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)
KEY_STEPS = (0x9E3779B9, 0xBB67AE85)
LOW = 0xFFFFFFFF
LEAST = 1e-7
"""Below this a uniform number counts as this under the logarithm."""
TURN = 6.283185307179586


def word(position: Expr, key: int, counter: int) -> Expr:
    """The 32 random bits of an element (UINT32) from its position (INT64, not negative)."""
    return _picked(bitcast(position, U64), key, counter)


def _picked(position: Expr, key: int, counter: int) -> Expr:
    words = _block(position >> 2, key, counter)
    which = position & 3
    low = select(eq(which, 0), words[0], words[1])
    return select(which < 2, low, select(eq(which, 2), words[2], words[3]))


def _block(block: Expr, key: int, counter: int) -> tuple[Expr, Expr, Expr, Expr]:
    """The four words of a block."""
    words = (convert(block, U32), const(0, U32), const(counter & LOW, U32), const(counter >> 32, U32))
    keys = (key & LOW, key >> 32)
    for number in range(ROUNDS):
        first, second = (const((k + number * step) & LOW, U32) for k, step in zip(keys, KEY_STEPS, strict=True))
        high0, low0 = _product(words[0], MULTIPLIERS[0])
        high1, low1 = _product(words[2], MULTIPLIERS[1])
        words = (high1 ^ words[1] ^ first, low1, high0 ^ words[3] ^ second, low0)
    return words


def _product(x: Expr, factor: int) -> tuple[Expr, Expr]:
    """Upper and lower word of a product of two words."""
    product = convert(x, U64) * const(factor, U64)
    return convert(product >> 32, U32), convert(product, U32)


def uniform(position: Expr, key: int, counter: int, dtype: DataType) -> Expr:
    """The number in [0, 1): low bits of the word as the mantissa of one in [1, 2), minus one."""
    bits = word(position, key, counter)
    if dtype is F32:
        return _fraction(bits)
    mantissa, one = (10, 0x3C00) if dtype is arith.F16 else (7, 0x3F80)
    short = convert(bits & ((1 << mantissa) - 1), U16) | const_bits(one, U16)
    return convert(convert(bitcast(short, dtype), F32) - 1.0, dtype)


def _fraction(bits: Expr) -> Expr:
    return bitcast((bits & 0x7FFFFF) | const_bits(0x3F800000, U32), F32) - 1.0


def normal(position: Expr, key: int, counter: int, dtype: DataType) -> Expr:
    """Box-Muller on neighbouring uniform numbers, in FP32: sines at even positions, cosines at odd ones."""
    at = bitcast(position, U64)
    words = _block(at >> 2, key, counter)
    upper = ~eq(at & 2, 0)
    first = _fraction(select(upper, words[2], words[0]))
    second = _fraction(select(upper, words[3], words[1]))
    radius = arith.sqrt(log(arith.maximum(first, LEAST)) * -2.0)
    angle = second * TURN
    result = radius * select(eq(at & 1, 0), sin(angle), cos(angle))
    return convert(result, dtype) if dtype is not F32 else result
