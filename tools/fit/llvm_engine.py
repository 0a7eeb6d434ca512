"""Scalar expressions compiled to machine code: an evaluation that shares nothing with the numpy one.

It serves as an independent check of the bits (hardware fused multiply-add, hardware conversions) and makes tests over
all 2^32 inputs affordable. Import it only where llvmlite is available.
"""

from __future__ import annotations

import ctypes
from functools import lru_cache

import llvmlite.binding as llvm
import numpy as np

from openpto.ir.dtypes import bytes_of, numpy_dtype
from openpto.ops import arith
from openpto.ops.arith import BOOL, F32, INTEGERS, REALS, SIGNED, Expr, Op

_HOST = {"BOOL": "i1", "FP32": "float", "DOUBLE": "double", "FP16": "half", "BF16": "bfloat"}
_FLOAT = {Op.ADD: "fadd", Op.SUB: "fsub", Op.MUL: "fmul", Op.DIV: "fdiv"}
_INT = {Op.ADD: "add", Op.SUB: "sub", Op.MUL: "mul", Op.AND: "and", Op.OR: "or", Op.XOR: "xor"}
_CALL = {Op.SQRT: "sqrt", Op.ABS: "fabs", Op.RINT: "rint", Op.FLOOR: "floor", Op.CEIL: "ceil", Op.TRUNC: "trunc"}
_COMPARE = {Op.EQ: "eq", Op.NE: "ne", Op.LT: "lt", Op.LE: "le", Op.GT: "gt", Op.GE: "ge"}
_SHIFT = {Op.SHL: "shl", Op.LSHR: "lshr", Op.ASHR: "ashr"}


def _type(dtype) -> str:
    return _HOST.get(dtype.short) or f"i{8 * bytes_of(dtype)}"


class _Emitter:
    def __init__(self) -> None:
        self.lines: list[str] = []
        self.declared: set[str] = set()
        self.count = 0

    def put(self, text: str) -> str:
        self.count += 1
        self.lines.append(f"  %v{self.count} = {text}")
        return f"%v{self.count}"

    def call(self, name: str, result: str, *typed: str) -> str:
        kinds = ", ".join(t.split()[0] for t in typed)
        self.declared.add(f"declare {result} @{name}({kinds})")
        return self.put(f"call {result} @{name}({', '.join(typed)})")


def _emit(e: _Emitter, node: Expr, a: list[str]) -> str:
    op, kind = node.op, _type(node.dtype)
    operand = node.args[0].dtype
    src = _type(operand)
    real = operand in REALS
    if op in _COMPARE:
        name = _COMPARE[op]
        if real:
            code = "fcmp " + ("u" if name == "ne" else "o") + name
        elif name in ("eq", "ne"):
            code = "icmp " + name
        else:
            code = "icmp " + ("s" if operand in SIGNED else "u") + name
        return e.put(f"{code} {src} {a[0]}, {a[1]}")
    if op is Op.SELECT:
        return e.put(f"select i1 {a[0]}, {kind} {a[1]}, {kind} {a[2]}")
    if op is Op.FMA:
        return e.call("llvm.fma.f32", kind, *(f"float {x}" for x in a))
    if op in (Op.MIN, Op.MAX):
        if real:
            suffix = "f32" if operand is F32 else "f64"
            name = "llvm.minimum" if op is Op.MIN else "llvm.maximum"
            return e.call(f"{name}.{suffix}", kind, f"{kind} {a[0]}", f"{kind} {a[1]}")
        sign = "s" if operand in SIGNED else "u"
        return e.call(f"llvm.{sign}{op.value}.{kind}", kind, f"{kind} {a[0]}", f"{kind} {a[1]}")
    if op in _SHIFT:
        bits = 8 * bytes_of(operand)
        inside = e.put(f"icmp ult {kind} {a[1]}, {bits}")
        amount = e.put(f"select i1 {inside}, {kind} {a[1]}, {kind} {bits - 1}")
        shifted = e.put(f"{_SHIFT[op]} {kind} {a[0]}, {amount}")
        return shifted if op is Op.ASHR else e.put(f"select i1 {inside}, {kind} {shifted}, {kind} 0")
    if op is Op.NOT:
        return e.put(f"xor {kind} {a[0]}, -1")
    if op is Op.NEG:
        return e.put(f"fneg {kind} {a[0]}" if real else f"sub {kind} 0, {a[0]}")
    if op is Op.ABS and not real:
        return a[0] if operand not in SIGNED else e.call(f"llvm.abs.{kind}", kind, f"{kind} {a[0]}", "i1 false")
    if op in _CALL:
        return e.call(f"llvm.{_CALL[op]}.{'f32' if operand is F32 else 'f64'}", kind, f"{kind} {a[0]}")
    if op is Op.BITCAST:
        return e.put(f"bitcast {src} {a[0]} to {kind}")
    if op is Op.CONVERT:
        return _convert(e, node, a[0])
    return e.put(f"{(_FLOAT if real else _INT)[op]} {kind} {a[0]}, {a[1]}")


def _convert(e: _Emitter, node: Expr, x: str) -> str:
    source, target = node.args[0].dtype, node.dtype
    src, dst = _type(source), _type(target)
    if target is BOOL:
        return e.put(f"fcmp une {src} {x}, 0.0" if source in REALS else f"icmp ne {src} {x}, 0")
    if target not in INTEGERS:
        if source in INTEGERS or source is BOOL:
            return e.put(f"{'sitofp' if source in SIGNED else 'uitofp'} {src} {x} to {dst}")
        return e.put(f"{'fpext' if bytes_of(source) < bytes_of(target) else 'fptrunc'} {src} {x} to {dst}")
    if source in INTEGERS or source is BOOL:
        bits = 1 if source is BOOL else 8 * bytes_of(source)
        if bits == 8 * bytes_of(target):
            return x
        code = "trunc" if bits > 8 * bytes_of(target) else "sext" if source in SIGNED else "zext"
        return e.put(f"{code} {src} {x} to {dst}")
    code = "fptosi" if target in SIGNED else "fptoui"
    clamped = e.call(f"llvm.{code}.sat.{dst}.{'f32' if source is F32 else 'f64'}", dst, f"{src} {x}")
    if node.attr:
        return clamped
    # Low bits: the exact remainder modulo 2^64 of the truncated value, as an unsigned number.
    wide = x if src == "double" else e.put(f"fpext float {x} to double")
    whole = e.call("llvm.trunc.f64", "double", f"double {wide}")
    scaled = e.put(f"fmul double {whole}, {2.0**-64!r}")
    turns = e.call("llvm.floor.f64", "double", f"double {scaled}")
    removed = e.put(f"fmul double {turns}, {2.0**64!r}")
    rest = e.put(f"fsub double {whole}, {removed}")
    # A tiny negative value would round up to 2^64, which cannot be: |whole| >= 1, exact below 2^53 in magnitude.
    magnitude = e.call("llvm.fabs.f64", "double", f"double {whole}")
    small = e.put(f"fcmp olt double {magnitude}, {2.0**62!r}")
    direct = e.call("llvm.fptosi.sat.i64.f64", "i64", f"double {whole}")
    modulo = e.call("llvm.fptoui.sat.i64.f64", "i64", f"double {rest}")
    low = e.put(f"select i1 {small}, i64 {direct}, i64 {modulo}")
    if dst != "i64":
        low = e.put(f"trunc i64 {low} to {dst}")
    finite = e.put(f"fcmp olt double {magnitude}, 0x7FF0000000000000")
    return e.put(f"select i1 {finite}, {dst} {low}, {dst} {clamped}")


def _literal(node: Expr) -> str:
    if node.dtype is F32:
        as_double = np.array([node.attr], np.uint32).view(np.float32).astype(np.float64)
        return f"0x{int(as_double.view(np.uint64)[0]):016X}"
    if node.dtype in REALS:
        return f"0x{node.attr:016X}"
    return str(int(node.attr))


@lru_cache(maxsize=256)
def compiled(root: Expr, dtypes: tuple):
    """A machine-code loop ``f(n, out, in0, in1, ...)`` and the engine that owns it."""
    e = _Emitter()
    values: dict[Expr, str] = {}
    for node in arith.postorder(root):
        if node.op is Op.CONST:
            values[node] = _literal(node)
        elif node.op is Op.VAR:
            memory = "i8" if node.dtype is BOOL else _type(node.dtype)
            pointer = e.put(f"getelementptr {memory}, ptr %in{node.attr}, i64 %i")
            value = e.put(f"load {memory}, ptr {pointer}, align 1")
            values[node] = e.put(f"icmp ne i8 {value}, 0") if node.dtype is BOOL else value
        else:
            values[node] = _emit(e, node, [values[x] for x in node.args])
    result, kind = values[root], _type(root.dtype)
    if root.dtype is BOOL:
        result, kind = e.put(f"zext i1 {result} to i8"), "i8"
    place = e.put(f"getelementptr {kind}, ptr %out, i64 %i")
    params = "".join(f", ptr noalias %in{k}" for k in range(len(dtypes)))
    body = "\n".join(e.lines)
    text = f"""
define void @f(i64 %n, ptr noalias %out{params}) {{
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
{body}
  store {kind} {result}, ptr {place}, align 1
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}}
""" + "\n".join(sorted(e.declared))
    for start in ("initialize_native_target", "initialize_native_asmprinter"):
        getattr(llvm, start)()
    machine = llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=llvm.get_host_cpu_features().flatten(), opt=3, jit=True
    )
    module = llvm.parse_assembly(text)
    module.verify()
    options = llvm.create_pipeline_tuning_options(speed_level=3)
    options.loop_vectorization = True
    builder = llvm.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)
    engine = llvm.create_mcjit_compiler(module, machine)
    engine.finalize_object()
    signature = ctypes.CFUNCTYPE(None, ctypes.c_int64, *[ctypes.c_void_p] * (1 + len(dtypes)))
    return signature(engine.get_function_address("f")), engine


def run(root: Expr, inputs, out=None):
    """``root`` over equal-length one-dimensional arrays, one per operand."""
    dtypes = tuple(a.dtype for a in inputs)
    function, _ = compiled(root, dtypes)
    arrays = [np.ascontiguousarray(a) for a in inputs]
    if out is None:
        out = np.empty(arrays[0].shape, numpy_dtype(root.dtype))
    function(out.size, out.ctypes.data, *(a.ctypes.data for a in arrays))
    return out
