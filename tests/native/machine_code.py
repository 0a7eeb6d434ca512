"""Runs a loop program without a kernel around it."""

import ctypes
import types

import numpy as np

from openpto.ir.dtypes import numpy_dtype
from openpto.ops import arith
from openpto.runtime.native import engine, gemm, jit
from openpto.runtime.native import loopir as L

PATHS = ("native", "avx512", "avx2", "generic")


def runs(path):
    """Whether this machine can execute a code path."""
    have = jit.target("native").features
    needs = {"avx512": {"avx512f", "avx512bw", "avx512vl", "avx512dq"}, "avx2": {"avx2", "fma", "f16c"}}
    return needs.get(path, set()) <= have


def call(body, arrays, sizes=(), scratch=0, path="native", routines=()):
    """(what the program returned, its record)."""
    names = tuple(f"param{k}" for k in range(len(arrays)))
    program = L.Program(
        "kernel", names, tuple(f"size{k}" for k in range(len(sizes))), scratch, tuple(body), tuple(routines)
    )
    goal = jit.target(path)
    lowered = engine.Lowered(program, None, (), ())
    code = jit.compile_text(engine.llvm_text(lowered, goal), goal, gemm.modules(routines, goal))
    pointers = (ctypes.c_void_p * max(1, len(arrays)))(*(a.ctypes.data for a in arrays))
    values = (ctypes.c_int64 * max(1, len(sizes)))(*sizes)
    arena = np.zeros(scratch + 64, np.uint8)
    record = (ctypes.c_int64 * (L.RECORD + 8))()
    jit.takers().append(types.SimpleNamespace(note=lambda _: 0))
    try:
        failed = code.entry(pointers, values, arena.ctypes.data, record)
    finally:
        jit.takers().pop()
    return failed, list(record)


def compute(jobs, path="native"):
    """Results of many expressions over one-dimensional arrays; ``jobs`` are (expression, inputs) and go into one
    program."""
    body, arrays = [], []
    outs = []
    for number, (expr, inputs) in enumerate(jobs):
        first = len(arrays)
        out = np.zeros(len(inputs[0]), numpy_dtype(expr.dtype))
        arrays += [*inputs, out]
        outs.append(out)
        variables = {int(n.attr or 0): n.dtype for n in arith.postorder(expr) if n.op is arith.Op.VAR}
        loads = [L.Load(f"x{k}", L.Ptr(f"param{first + k}", 0, kind), 1) for k, kind in variables.items()]
        used = tuple(f"x{k}" if k in variables else loads[0].name for k in range(len(inputs)))
        store = L.Store(L.Ptr(f"param{first + len(inputs)}", 0, expr.dtype), 1, "y")
        body += [
            L.Comment(f"job {number}"),
            L.Vector(len(out), (*loads, L.Compute("y", expr, used), store)),
        ]
    failed, _ = call(body, arrays, path=path)
    assert failed == 0
    return outs
