"""Conversions of sixteen lanes between element types, exact on every instruction set."""

from __future__ import annotations

import math

from openpto.ir.dtypes import DataType
from openpto.ops import arith
from openpto.ops.arith import BF16, BOOL, F16, F32, F64, HALVES, I32, I64, INTEGERS, REALS, SIGNED

from .instructions import Code, double_hex, element, splat, vector
from .loopir import LANES


def convert(code: Code, x: str, source: DataType, target: DataType, clamp: bool, features: frozenset[str]) -> str:
    """A CONVERT node: see the doc string of ``ops/arith.py`` for the meaning of every pair."""
    src, dst = vector(source), vector(target)
    if source in HALVES:
        return _widen_half(code, x, source, features)
    if target in HALVES:
        return _narrow_half(code, x, target, features)
    if target is BOOL:
        return code.put(f"{'fcmp une' if source in REALS else 'icmp ne'} {src} {x}, zeroinitializer")
    if target in REALS:
        if source in REALS:
            return code.put(f"{'fpext' if source is F32 else 'fptrunc'} {src} {x} to {dst}")
        return code.put(f"{'sitofp' if source in SIGNED else 'uitofp'} {src} {x} to {dst}")
    if source in INTEGERS or source is BOOL:
        have, want = arith.width(source), arith.width(target)
        if have == want:
            return x
        return code.put(f"{'trunc' if have > want else 'sext' if source in SIGNED else 'zext'} {src} {x} to {dst}")
    return _to_integer(code, x, source, target, clamp)


def _to_integer(code: Code, x: str, source: DataType, target: DataType, clamp: bool) -> str:
    """The truncated value: its low bits, or with ``clamp`` the nearest in the type. A NaN gives 0; an infinity the
    type's extreme.

    The significand is shifted as an integer, which wraps by itself; the conversions of LLVM that saturate are done
    lane by lane on x86.
    """
    have, want = (I32 if source is F32 else I64), (I64 if source is F64 or arith.width(target) == 64 else I32)
    bits, lane, word, truth = arith.width(want), element(want), vector(want), vector(BOOL)
    digits = 23 if source is F32 else 52
    raw = code.put(f"bitcast {vector(source)} {x} to {vector(have)}")
    negative = code.put(f"ashr {vector(have)} {raw}, {splat(element(have), str(arith.width(have) - 1))}")
    if have is not want:
        raw, negative = (code.put(f"sext {vector(have)} {v} to {word}") for v in (raw, negative))
    exponent = code.put(f"lshr {word} {raw}, {splat(lane, str(digits))}")
    exponent = code.put(f"and {word} {exponent}, {splat(lane, '255' if source is F32 else '2047')}")
    significand = code.put(f"and {word} {raw}, {splat(lane, str(2**digits - 1))}")
    significand = code.put(f"or {word} {significand}, {splat(lane, str(2**digits))}")
    unit = splat(lane, str(digits + (127 if source is F32 else 1023)))  # exponent of a significand that is the value
    parts = []
    for shift, first, second in (("shl", exponent, unit), ("lshr", unit, exponent)):
        amount = code.put(f"sub {word} {first}, {second}")
        inside = code.put(f"icmp ult {word} {amount}, {splat(lane, str(bits))}")
        moved = code.put(f"{shift} {word} {significand}, {amount}")
        parts.append(code.put(f"select {truth} {inside}, {word} {moved}, {word} zeroinitializer"))
    size = code.put(f"or {word} {parts[0]}, {parts[1]}")
    value = code.put(f"xor {word} {size}, {negative}")
    value = code.put(f"sub {word} {value}, {negative}")
    if bits > arith.width(target):
        value = code.put(f"trunc {word} {value} to {vector(target)}")
    least, most = arith.int_range(target)
    low, high = (float(least), float(most + 1)) if clamp else (-math.inf, math.inf)
    for test, bound, extreme in (("olt" if clamp else "oeq", low, least), ("oge", high, most)):
        limit = splat("float" if source is F32 else "double", double_hex(bound))
        beyond = code.put(f"fcmp {test} {vector(source)} {x}, {limit}")
        ends = splat(element(target), str(extreme))
        value = code.put(f"select {truth} {beyond}, {vector(target)} {ends}, {vector(target)} {value}")
    return value


def _widen_half(code: Code, x: str, source: DataType, features: frozenset[str]) -> str:
    single, word = vector(F32), f"<{LANES} x i32>"
    if source is F16 and "f16c" in features:
        half = code.put(f"bitcast <{LANES} x i16> {x} to <{LANES} x half>")
        return code.put(f"fpext <{LANES} x half> {half} to {single}")
    bits = code.put(f"zext <{LANES} x i16> {x} to {word}")
    if source is BF16:
        moved = code.put(f"shl {word} {bits}, {splat('i32', '16')}")
        return code.put(f"bitcast {word} {moved} to {single}")
    sign = code.put(f"and {word} {bits}, {splat('i32', '32768')}")
    sign = code.put(f"shl {word} {sign}, {splat('i32', '16')}")
    body = code.put(f"and {word} {bits}, {splat('i32', '32767')}")
    body = code.put(f"shl {word} {body}, {splat('i32', '13')}")
    scaled = code.put(f"bitcast {word} {body} to {single}")
    # 2^112 moves the exponent from bias 15 to bias 127 and normalises half denormals exactly.
    scaled = code.put(f"fmul {single} {scaled}, {splat('float', f'0x{(1023 + 112) << 52:016X}')}")
    plain = code.put(f"bitcast {single} {scaled} to {word}")
    special = code.put(f"or {word} {body}, {splat('i32', str(0x7F800000))}")
    is_special = code.put(f"icmp uge {word} {body}, {splat('i32', str(0x0F800000))}")
    joined = code.put(f"select {vector(BOOL)} {is_special}, {word} {special}, {word} {plain}")
    joined = code.put(f"or {word} {joined}, {sign}")
    return code.put(f"bitcast {word} {joined} to {single}")


def _narrow_half(code: Code, x: str, target: DataType, features: frozenset[str]) -> str:
    single, word, short = vector(F32), f"<{LANES} x i32>", f"<{LANES} x i16>"
    if target is F16 and "f16c" in features:
        half = code.put(f"fptrunc {single} {x} to <{LANES} x half>")
        return code.put(f"bitcast <{LANES} x half> {half} to {short}")
    bits = code.put(f"bitcast {single} {x} to {word}")
    nan = code.put(f"fcmp uno {single} {x}, {x}")
    if target is BF16:
        odd = code.put(f"lshr {word} {bits}, {splat('i32', '16')}")
        odd = code.put(f"and {word} {odd}, {splat('i32', '1')}")
        bias = code.put(f"add {word} {odd}, {splat('i32', str(0x7FFF))}")
        rounded = code.put(f"add {word} {bits}, {bias}")
        rounded = code.put(f"lshr {word} {rounded}, {splat('i32', '16')}")
        quiet = 0x7FC0
    else:
        rounded = _half_bits(code, bits)
        quiet = 0x7E00
    chosen = code.put(f"select {vector(BOOL)} {nan}, {word} {splat('i32', str(quiet))}, {word} {rounded}")
    return code.put(f"trunc {word} {chosen} to {short}")


def _half_bits(code: Code, bits: str) -> str:
    """Bits of the FP16 nearest to the FP32 with these bits (not a NaN), ties to even, in 32-bit lanes."""
    word, single = f"<{LANES} x i32>", vector(F32)
    sign = code.put(f"lshr {word} {bits}, {splat('i32', '16')}")
    sign = code.put(f"and {word} {sign}, {splat('i32', '32768')}")
    body = code.put(f"and {word} {bits}, {splat('i32', str(0x7FFFFFFF))}")
    # Denormal results: adding 0.5 lines the last half-precision bit up with the last single-precision bit.
    as_float = code.put(f"bitcast {word} {body} to {single}")
    raised = code.put(f"fadd {single} {as_float}, {splat('float', f'0x{1022 << 52:016X}')}")
    small = code.put(f"bitcast {single} {raised} to {word}")
    small = code.put(f"sub {word} {small}, {splat('i32', str(0x3F000000))}")
    odd = code.put(f"lshr {word} {body}, {splat('i32', '13')}")
    odd = code.put(f"and {word} {odd}, {splat('i32', '1')}")
    normal = code.put(f"add {word} {body}, {splat('i32', str((-(112 << 23) + 0xFFF) & 0xFFFFFFFF))}")
    normal = code.put(f"add {word} {normal}, {odd}")
    normal = code.put(f"lshr {word} {normal}, {splat('i32', '13')}")
    is_small = code.put(f"icmp ult {word} {body}, {splat('i32', str(0x38800000))}")
    result = code.put(f"select {vector(BOOL)} {is_small}, {word} {small}, {word} {normal}")
    huge = code.put(f"icmp uge {word} {body}, {splat('i32', str(0x477FF000))}")
    result = code.put(f"select {vector(BOOL)} {huge}, {word} {splat('i32', str(0x7C00))}, {word} {result}")
    return code.put(f"or {word} {result}, {sign}")
