"""Scalar expressions as LLVM vector code: sixteen lanes of one element type.

Every primitive of ``ops/arith.py`` has one exact meaning; the code here keeps it on every instruction set. FP16 and
BF16 lanes are held as 16-bit integers. A bfloat16 is rounded with integer arithmetic, because the hardware instruction
flushes denormals and the library call does not exist in a just-in-time process.
"""

from __future__ import annotations

from openpto._records import dataclass, field
from openpto.ir.dtypes import DataType, bytes_of
from openpto.ops import arith
from openpto.ops.arith import BF16, BOOL, F16, F32, F64, HALVES, I64, INTEGERS, REALS, SIGNED, Op

from .idioms import steps
from .loopir import LANES

_FLOAT = {Op.ADD: "fadd", Op.SUB: "fsub", Op.MUL: "fmul", Op.DIV: "fdiv"}
_INT = {Op.ADD: "add", Op.SUB: "sub", Op.MUL: "mul", Op.AND: "and", Op.OR: "or", Op.XOR: "xor"}
_ROUND = {Op.SQRT: "sqrt", Op.ABS: "fabs", Op.RINT: "rint", Op.FLOOR: "floor", Op.CEIL: "ceil", Op.TRUNC: "trunc"}
_SHIFT = {Op.SHL: "shl", Op.LSHR: "lshr", Op.ASHR: "ashr"}


def element(dtype: DataType) -> str:
    """LLVM type of one lane."""
    if dtype is BOOL:
        return "i1"
    if dtype is F32:
        return "float"
    return "double" if dtype is F64 else f"i{8 * bytes_of(dtype)}"


def memory(dtype: DataType) -> str:
    """LLVM type of one element in memory."""
    return "i8" if dtype is BOOL else element(dtype)


def vector(dtype: DataType) -> str:
    """LLVM type of sixteen lanes."""
    return f"<{LANES} x {element(dtype)}>"


def literal(node: arith.Expr) -> str:
    """LLVM text of a CONST node (one lane)."""
    pattern = int(node.attr or 0)
    if node.dtype is F32:
        return _double_hex(float(arith.const_value(node)), pattern)
    if node.dtype is F64:
        return f"0x{pattern:016X}"
    return ("true" if pattern else "false") if node.dtype is BOOL else str(pattern)


def _double_hex(value: float, pattern: int) -> str:
    import struct

    if value != value:  # the payload of an FP32 NaN sits in the upper bits of the double's
        sign, mantissa = pattern >> 31, pattern & 0x7FFFFF
        return f"0x{(sign << 63) | (0x7FF << 52) | (mantissa << 29):016X}"
    return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"


def splat(type_: str, value: str) -> str:
    """A constant vector with the same lane everywhere."""
    return f"splat ({type_} {value})"


@dataclass
class Code:
    """Lines of one function and the declarations they need; names of registers begin with ``prefix``."""

    lines: list[str] = field(default_factory=list)
    declared: dict[str, None] = field(default_factory=dict)
    count: int = 0
    prefix: str = "v"

    def name(self) -> str:
        """A fresh register."""
        self.count += 1
        return f"%{self.prefix}{self.count}"

    def put(self, text: str) -> str:
        """One instruction with a result."""
        self.count += 1
        register = f"%{self.prefix}{self.count}"
        self.lines.append(f"  {register} = {text}")
        return register

    def do(self, text: str) -> None:
        """One instruction without a result."""
        self.lines.append(f"  {text}")

    def call(self, function: str, result: str, *typed: tuple[str, str]) -> str:
        """A call of an intrinsic or routine with (type, value) arguments."""
        self.declare(function, result, [t for t, _ in typed])
        return self.put(f"call {result} @{function}({', '.join(f'{t} {v}' for t, v in typed)})")

    def call_void(self, function: str, *typed: tuple[str, str]) -> None:
        """The same without a result."""
        self.declare(function, "void", [t for t, _ in typed])
        self.do(f"call void @{function}({', '.join(f'{t} {v}' for t, v in typed)})")

    def declare(self, function: str, result: str, types: list[str]) -> None:
        """Note that ``function`` is needed."""
        self.declared[f"declare {result} @{function}({', '.join(types)})"] = None


def compute(code: Code, root: arith.Expr, args: list[str], features: frozenset[str]) -> str:
    """Emit ``root`` over vector registers ``args``; returns the result register (or a constant)."""
    return side_by_side(code, root, [args], features)[0]


def side_by_side(code: Code, root: arith.Expr, groups: list[list[str]], features: frozenset[str]) -> list[str]:
    """Emit ``root`` over each of several lists of registers, step by step for all of them; returns the results."""
    values: list[dict[arith.Expr, str]] = [{} for _ in groups]
    for node, operands in steps(root, "avx512f" in features):
        if node.op is Op.CONST:
            constant = splat(element(node.dtype), literal(node))
            for known in values:
                known[node] = constant
            continue
        for known, args in zip(values, groups, strict=True):
            if node.op is Op.VAR:
                known[node] = args[int(node.attr or 0)]
            elif operands is node.args:
                known[node] = _node(code, node, [known[a] for a in operands], features)
            else:
                known[node] = _power_of_two_times(code, *(known[a] for a in operands))
    return [known[root] for known in values]


def _power_of_two_times(code: Code, x: str, n: str) -> str:
    """``x * 2**n`` with one rounding, n an integral FP32."""
    kind, all_lanes = vector(F32), (("i16", "-1"), ("i32", "4"))
    return code.call("llvm.x86.avx512.mask.scalef.ps.512", kind, (kind, x), (kind, n), (kind, x), *all_lanes)


def _node(code: Code, node: arith.Expr, a: list[str], features: frozenset[str]) -> str:
    op, kind = node.op, vector(node.dtype)
    operand = node.args[0].dtype
    src, real = vector(operand), operand in REALS
    suffix = f"v{LANES}{'f32' if operand is F32 else 'f64' if operand is F64 else element(operand)}"
    if op in arith.COMPARISONS:
        return code.put(f"{_predicate(op, operand)} {src} {a[0]}, {a[1]}")
    if op is Op.SELECT:
        return code.put(f"select {vector(BOOL)} {a[0]}, {kind} {a[1]}, {kind} {a[2]}")
    if op is Op.FMA:
        return code.call(f"llvm.fma.{suffix}", kind, *((kind, x) for x in a))
    if op in (Op.MIN, Op.MAX):
        name = f"{op.value}imum" if real else f"{'s' if operand in SIGNED else 'u'}{op.value}"
        return code.call(f"llvm.{name}.{suffix}", kind, (kind, a[0]), (kind, a[1]))
    if op in _SHIFT:
        return _shift(code, op, kind, node.args[1], a)
    if op is Op.NOT:
        return code.put(f"xor {kind} {a[0]}, {splat(element(node.dtype), 'true' if operand is BOOL else '-1')}")
    if op is Op.NEG:
        return code.put(f"fneg {kind} {a[0]}" if real else f"sub {kind} zeroinitializer, {a[0]}")
    if op is Op.ABS and not real:
        if operand not in SIGNED:
            return a[0]
        return code.call(f"llvm.abs.{suffix}", kind, (kind, a[0]), ("i1", "false"))
    if op in _ROUND:
        return code.call(f"llvm.{_ROUND[op]}.{suffix}", kind, (kind, a[0]))
    if op is Op.BITCAST:
        return a[0] if src == kind else code.put(f"bitcast {src} {a[0]} to {kind}")
    if op is Op.CONVERT:
        return convert(code, a[0], operand, node.dtype, bool(node.attr), features)
    if op is Op.SUB and not real and node.args[1].op is Op.CONST:  # LLVM joins sums of constants, not differences
        less = splat(element(node.dtype), str(-int(node.args[1].attr or 0) % 2 ** arith.width(node.dtype)))
        return code.put(f"add {kind} {a[0]}, {less}")
    return code.put(f"{(_FLOAT if real else _INT)[op]} {kind} {a[0]}, {a[1]}")


def _predicate(op: Op, operand: DataType) -> str:
    name = op.value
    if operand in REALS:
        return f"fcmp {'u' if op is Op.NE else 'o'}{name}"
    if op in (Op.EQ, Op.NE):
        return f"icmp {name}"
    return f"icmp {'s' if operand in SIGNED else 'u'}{name}"


def _shift(code: Code, op: Op, kind: str, by: arith.Expr, a: list[str]) -> str:
    """An amount outside [0, bits) gives 0, or all sign bits for ASHR."""
    lane, bits = element(by.dtype), arith.width(by.dtype)
    if by.op is Op.CONST and int(by.attr or 0) < bits:
        return code.put(f"{_SHIFT[op]} {kind} {a[0]}, {a[1]}")
    inside = code.put(f"icmp ult {kind} {a[1]}, {splat(lane, str(bits))}")
    amount = code.put(f"select {vector(BOOL)} {inside}, {kind} {a[1]}, {kind} {splat(lane, str(bits - 1))}")
    moved = code.put(f"{_SHIFT[op]} {kind} {a[0]}, {amount}")
    if op is Op.ASHR:
        return moved
    return code.put(f"select {vector(BOOL)} {inside}, {kind} {moved}, {kind} zeroinitializer")


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
    kind = "fptosi" if target in SIGNED else "fptoui"
    suffix = f"v{LANES}{element(target)}.v{LANES}{'f32' if source is F32 else 'f64'}"
    clamped = code.call(f"llvm.{kind}.sat.{suffix}", dst, (src, x))
    return clamped if clamp else _low_bits(code, x, source, target, clamped)


def _low_bits(code: Code, x: str, source: DataType, target: DataType, clamped: str) -> str:
    """The exact truncated value modulo 2^64, then the target's low bits; infinities and NaN as ``clamped``."""
    wide, long, truth = vector(F64), vector(I64), vector(BOOL)
    if source is F32:
        x = code.put(f"fpext {vector(F32)} {x} to {wide}")
    whole = code.call(f"llvm.trunc.v{LANES}f64", wide, (wide, x))
    turns = code.put(f"fmul {wide} {whole}, {splat('double', f'0x{(1023 - 64) << 52:016X}')}")
    turns = code.call(f"llvm.floor.v{LANES}f64", wide, (wide, turns))
    removed = code.put(f"fmul {wide} {turns}, {splat('double', f'0x{(1023 + 64) << 52:016X}')}")
    rest = code.put(f"fsub {wide} {whole}, {removed}")
    size = code.call(f"llvm.fabs.v{LANES}f64", wide, (wide, whole))
    small = code.put(f"fcmp olt {wide} {size}, {splat('double', f'0x{(1023 + 62) << 52:016X}')}")
    direct = code.call(f"llvm.fptosi.sat.v{LANES}i64.v{LANES}f64", long, (wide, whole))
    modulo = code.call(f"llvm.fptoui.sat.v{LANES}i64.v{LANES}f64", long, (wide, rest))
    low = code.put(f"select {truth} {small}, {long} {direct}, {long} {modulo}")
    if arith.width(target) < 64:
        low = code.put(f"trunc {long} {low} to {vector(target)}")
    finite = code.put(f"fcmp olt {wide} {size}, {splat('double', '0x7FF0000000000000')}")
    return code.put(f"select {truth} {finite}, {vector(target)} {low}, {vector(target)} {clamped}")


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
