"""Scalar expressions as LLVM vector code: sixteen lanes of one element type.

Every primitive of ``ops/arith.py`` has one exact meaning; the code here keeps it on every instruction set. FP16 and
BF16 lanes are held as 16-bit integers. A bfloat16 is rounded with integer arithmetic, because the hardware instruction
flushes denormals and the library call does not exist in a just-in-time process.
"""

from __future__ import annotations

from openpto.ir.dtypes import DataType
from openpto.ops import arith
from openpto.ops.arith import BOOL, F32, F64, REALS, SIGNED, Op

from .conversions import convert
from .idioms import steps
from .instructions import Code, element, literal, splat, vector
from .loopir import LANES

_FLOAT = {Op.ADD: "fadd", Op.SUB: "fsub", Op.MUL: "fmul", Op.DIV: "fdiv"}
_INT = {Op.ADD: "add", Op.SUB: "sub", Op.MUL: "mul", Op.AND: "and", Op.OR: "or", Op.XOR: "xor"}
_ROUND = {Op.SQRT: "sqrt", Op.ABS: "fabs", Op.RINT: "rint", Op.FLOOR: "floor", Op.CEIL: "ceil", Op.TRUNC: "trunc"}
_SHIFT = {Op.SHL: "shl", Op.LSHR: "lshr", Op.ASHR: "ashr"}


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
