"""LLVM text to one object file.

Python code of other threads runs during the two calls that take long. A thread that lets others run gets its turn
again after five milliseconds, if they have so much to do; with llvmlite's own functions it would wait a dozen times,
and for a lock of theirs too, which is not needed here: the module and its context are this thread's alone.
"""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

from .once import once
from .targets import binding

_TEXT, _SIZE = ctypes.POINTER(ctypes.c_char_p), ctypes.c_size_t
_POINTER = ctypes.c_void_p


@once
def _calls() -> tuple[Any, Any]:
    """LLVM's library twice: its long functions, during which other threads run, and its short ones."""
    name = binding().ffi.lib._name
    long, short = ctypes.CDLL(name), ctypes.PyDLL(name)
    types: tuple[tuple[Any, Any, tuple[Any, ...]], ...] = (
        (long.LLVMPY_ParseAssembly, _POINTER, (_POINTER, ctypes.c_char_p, _TEXT)),
        (long.LLVMPY_TargetMachineEmitToMemory, _POINTER, (_POINTER, _POINTER, ctypes.c_int, _TEXT)),
        (short.LLVMPY_ContextCreate, _POINTER, ()),
        (short.LLVMPY_ContextDispose, None, (_POINTER,)),
        (short.LLVMPY_DisposeModule, None, (_POINTER,)),
        (short.LLVMPY_GetBufferStart, _POINTER, (_POINTER,)),
        (short.LLVMPY_GetBufferSize, _SIZE, (_POINTER,)),
        (short.LLVMPY_DisposeMemoryBuffer, None, (_POINTER,)),
        (short.LLVMPY_DisposeString, None, (ctypes.c_char_p,)),
    )
    for function, result, arguments in types:
        function.restype, function.argtypes = result, arguments
    return long, short


@cache
def head(compiler: Any, triple: str) -> str:
    """What a module says of its target; its text follows."""
    return f'target triple = "{triple}"\ntarget datalayout = "{compiler.target_data}"\n'


def object_file(compiler: Any, triple: str, text: str) -> bytes:
    """The relocatable object file of a module (RuntimeError with LLVM's words if it is none); ``compiler`` is a target
    machine that no other thread uses."""
    long, short = _calls()
    context = short.LLVMPY_ContextCreate()
    try:
        said = ctypes.c_char_p()
        content = (head(compiler, triple) + text).encode()
        module = long.LLVMPY_ParseAssembly(context, content, ctypes.byref(said))
        if not module:
            raise RuntimeError(f"LLVM IR parsing error\n{_taken(short, said)}")
        try:
            buffer = long.LLVMPY_TargetMachineEmitToMemory(compiler._ptr, module, 1, ctypes.byref(said))
        finally:
            short.LLVMPY_DisposeModule(module)
        if not buffer:
            raise RuntimeError(_taken(short, said))
        try:
            return ctypes.string_at(short.LLVMPY_GetBufferStart(buffer), short.LLVMPY_GetBufferSize(buffer))
        finally:
            short.LLVMPY_DisposeMemoryBuffer(buffer)
    finally:
        short.LLVMPY_ContextDispose(context)


def _taken(short: Any, said: ctypes.c_char_p) -> str:
    """A message of LLVM, whose memory is given back."""
    if said.value is None:
        return ""
    text = said.value.decode(errors="replace")
    short.LLVMPY_DisposeString(said)
    return text
