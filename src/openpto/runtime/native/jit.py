"""LLVM text to machine code, through llvmlite's LLJIT.

``PYPTO_CPU`` chooses the code path for tests: ``native`` (default), ``avx512``, ``avx2`` or ``generic``.
"""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass
from functools import cache
from typing import Any

from openpto._forks import awaited_by_fork
from openpto.runtime.store import key_of, store

from .halves import halves
from .once import once

Entry = Callable[[Any, Any, Any, Any], int]

_AVX2 = "+avx2,+fma,+f16c,+bmi,+bmi2,+lzcnt,+popcnt,+sse4.2,+movbe"
_PATHS = {
    "generic": ("x86-64", ""),
    "avx2": ("haswell", _AVX2),
    "avx512": ("skylake-avx512", f"{_AVX2},+avx512f,+avx512dq,+avx512bw,+avx512vl,+avx512cd"),
}
_PYTHON = ("PyGILState_Ensure", "PyGILState_Release", "PyErr_CheckSignals", "PyErr_Fetch")
"""What compiled code needs of the interpreter to let it run signal handlers. A call of a Python function would not do:
the interpreter runs the handlers at its entry, where their exception is lost."""
_CODE_VERSION = 5
"""Of the code that machine code and this module expect of each other; part of the keys of kept code."""
_OPTIMISE = 2
"""The code generator's level for functions that are not marked ``optnone``."""
_notes = threading.local()

RUNTIME = """
@openpto_nothing = internal constant i64 0
declare ptr @malloc(i64)
declare void @free(ptr)

declare i32 @PyGILState_Ensure()
declare void @PyGILState_Release(i32)
declare i32 @PyErr_CheckSignals()
declare void @PyErr_Fetch(ptr, ptr, ptr)

define internal i64 @openpto_poll(ptr %record) noinline optnone {
entry:
  %lock = call i32 @PyGILState_Ensure()
  %raised = call i32 @PyErr_CheckSignals()
  %stop = icmp ne i32 %raised, 0
  br i1 %stop, label %fetch, label %done
fetch:
  %type = getelementptr i64, ptr %record, i64 1
  %value = getelementptr i64, ptr %record, i64 2
  %trace = getelementptr i64, ptr %record, i64 3
  call void @PyErr_Fetch(ptr %type, ptr %value, ptr %trace)
  br label %done
done:
  call void @PyGILState_Release(i32 %lock)
  %answer = zext i1 %stop to i64
  ret i64 %answer
}

define internal ptr @openpto_reserve(ptr %list, i64 %size) noinline optnone {
entry:
  %total = add i64 %size, 128
  %sane = icmp sge i64 %total, 128
  br i1 %sane, label %ask, label %none
ask:
  %raw = call ptr @malloc(i64 %total)
  %failed = icmp eq ptr %raw, null
  br i1 %failed, label %none, label %got
got:
  %old = load ptr, ptr %list
  store ptr %old, ptr %raw
  store ptr %raw, ptr %list
  %address = ptrtoint ptr %raw to i64
  %past = add i64 %address, 127
  %aligned = and i64 %past, -64
  %memory = inttoptr i64 %aligned to ptr
  ret ptr %memory
none:
  ret ptr null
}

define internal void @openpto_release(ptr %list, ptr %mark) noinline optnone {
entry:
  %first = load ptr, ptr %list
  br label %head
head:
  %node = phi ptr [ %first, %entry ], [ %next, %body ]
  %none = icmp eq ptr %node, %mark
  br i1 %none, label %done, label %body
body:
  %next = load ptr, ptr %node
  call void @free(ptr %node)
  br label %head
done:
  store ptr %mark, ptr %list
  ret void
}
"""


@dataclass(frozen=True, slots=True)
class Target:
    """A code path: LLVM's triple, CPU name and feature string, and the features as a set."""

    triple: str
    cpu: str
    attributes: str
    features: frozenset[str]

    @property
    def is_x86(self) -> bool:
        """Whether the control word is MXCSR."""
        return self.triple.startswith(("x86_64", "i"))

    @property
    def is_near(self) -> bool:
        """Whether an object file is linked into one piece of memory, so that its parts reach each other by short
        distances: the linker for this format does that, the general one promises nothing. Calls and constants are
        less code then, and the fast code generator need not leave every call to the slow one."""
        return self.triple.startswith("x86_64") and "linux" in self.triple


@once
def binding() -> Any:
    """llvmlite's binding layer, initialised."""
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    # Each call of LLVM takes this lock, also one that frees the code of a kernel that nobody has any more: whenever the
    # last reference goes, in any thread, and under no lock of ours.
    awaited_by_fork(llvm.ffi.lib._lock._lock)
    return llvm


def target(path: str | None = None) -> Target:
    """The code path in force (argument, else ``PYPTO_CPU``, else this machine's)."""
    return _target(path or os.environ.get("PYPTO_CPU", "native"))


@cache
def _target(path: str) -> Target:
    llvm = binding()
    triple = llvm.get_process_triple()
    if path in _PATHS and triple.startswith("x86_64"):
        cpu, attributes = _PATHS[path]
    else:
        cpu = llvm.get_host_cpu_name()
        attributes = llvm.get_host_cpu_features().flatten()
    names = frozenset(a[1:] for a in attributes.split(",") if a.startswith("+"))
    return Target(triple, cpu, attributes, names)


@dataclass(slots=True)
class Compiled:
    """Machine code that lives as long as this object."""

    entry: Entry
    address: int
    keep: tuple[Any, ...]
    objects: tuple[tuple[str, str], ...]
    """(exported name, key in the store) of the object files it is made of; the kernel is the last."""


@dataclass(frozen=True, slots=True)
class Machine:
    """LLVM's target machines for code that is compiled well and for code that is compiled fast, and the linker. Fast
    machines of other processors than x86 use another code generator altogether, which is not worth its risk."""

    well: Any
    fast: Any
    jit: Any


class _Shared:
    """The process's compiler. LLVM contexts are not shared between threads, so one lock guards it."""

    def __init__(self) -> None:
        binding()
        self.lock = awaited_by_fork(threading.Lock())
        self.count = 0
        self.machines: dict[Target, Machine] = {}
        self.note = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.POINTER(ctypes.c_int64))(_note)
        self.symbols = {
            "openpto_note": ctypes.cast(self.note, ctypes.c_void_p).value,
        }
        for name in _PYTHON:
            self.symbols[name] = ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value
        self.routines: dict[tuple[Target, str], tuple[Any, str]] = {}

    def machine(self, goal: Target) -> Machine:
        """The compilers of a code path."""
        if goal not in self.machines:
            llvm = binding()
            model = "small" if goal.is_near else "jitdefault"
            well, fast = (
                llvm.Target.from_triple(goal.triple).create_target_machine(
                    cpu=goal.cpu, features=goal.attributes, opt=level, reloc="pic", codemodel=model, jit=True
                )
                for level in (_OPTIMISE, 0)
            )
            linker = llvm.create_lljit_compiler(well, use_jit_link=goal.is_near)
            self.machines[goal] = Machine(well, fast if goal.is_x86 else well, linker)
        return self.machines[goal]


@once
def _shared() -> _Shared:
    return _Shared()


def compile_text(text: str, goal: Target, routines: Mapping[str, str] | None = None) -> Compiled:
    """Machine code of a module that defines ``kernel``; ``routines`` are modules it calls, by the name of the function
    they define, each after those that it calls itself. They are compiled once a process."""
    shared = _shared()
    with shared.lock:
        names = tuple(routines or ())
        for number, (name, source) in enumerate((routines or {}).items()):
            if (goal, name) not in shared.routines:
                key, code = object_code(shared.machine(goal), goal, source)
                _routine(shared, goal, code, key, names[: number + 1])
        key, code = object_code(shared.machine(goal), goal, text)
        return _kernel(shared, goal, code, key, names)


def load(objects: Sequence[tuple[str, str]], goal: Target) -> Compiled | None:
    """The kernel that object files in the store make (:attr:`Compiled.objects`), None if one is not there any more."""
    shared, kept = _shared(), store()
    with shared.lock:
        names = [name for name, _ in objects]
        for number, (name, key) in enumerate(objects):
            if name == "kernel" or (goal, name) in shared.routines:
                continue
            code = kept.get(key)
            if code is None:
                return None
            _routine(shared, goal, code, key, names[: number + 1])
        code = kept.get(objects[-1][1])
        return None if code is None else _kernel(shared, goal, code, objects[-1][1], names[:-1])


def _routine(shared: _Shared, goal: Target, code: bytes, key: str, names: Sequence[str]) -> None:
    """Link the last of ``names``, which may call those before it."""
    symbols = {name: shared.routines[goal, name][0][name] for name in names[:-1]}
    shared.routines[goal, names[-1]] = _link(shared, goal, code, names[-1:], symbols), key


def _kernel(shared: _Shared, goal: Target, code: bytes, key: str, routines: Sequence[str]) -> Compiled:
    found = [shared.routines[goal, name] for name in routines]
    symbols = {**shared.symbols, **{n: tracker[n] for n, (tracker, _) in zip(routines, found, strict=True)}}
    tracker = _link(shared, goal, code, ("kernel",), symbols)
    prototype = ctypes.CFUNCTYPE(ctypes.c_int64, *(ctypes.c_void_p,) * 4)
    objects = (*((n, k) for n, (_, k) in zip(routines, found, strict=True)), ("kernel", key))
    address = tracker["kernel"]
    return Compiled(prototype(address), address, (tracker, shared, *(t for t, _ in found)), objects)


@dataclass(frozen=True, slots=True)
class Linked:
    """A module of several functions, which lives as long as this object: their addresses by name."""

    addresses: Mapping[str, int]
    keep: tuple[Any, ...]


def link_module(text: str, goal: Target, exports: Sequence[str]) -> Linked:
    """Machine code of a module that needs nothing but the C library and the interpreter."""
    shared = _shared()
    with shared.lock:
        _, code = object_code(shared.machine(goal), goal, text)
        tracker = _link(shared, goal, code, exports, shared.symbols)
        return Linked({name: tracker[name] for name in exports}, (tracker, shared))


def _link(shared: _Shared, goal: Target, code: bytes, exports: Sequence[str], symbols: Mapping[str, int | None]) -> Any:
    shared.count += 1
    builder = binding().JITLibraryBuilder().add_current_process()
    for image in _images(code):
        builder.add_object_img(image)
    for name in exports:
        builder.export_symbol(name)
    for name, address in symbols.items():
        builder.import_symbol(name, address)
    return builder.link(shared.machine(goal).jit, f"library{shared.count}")


def object_code(machine: Machine, goal: Target, text: str) -> tuple[str, bytes]:
    """Key and relocatable object files of a module (see :func:`_images`): from disk, else compiled and kept there. They
    have no absolute address."""
    import llvmlite

    llvm = ".".join(map(str, binding().llvm_version_info))
    key = key_of("object", _CODE_VERSION, llvmlite.__version__, llvm, _OPTIMISE, *astuple(goal)[:3], text)
    kept = store()
    code = kept.get(key)
    if code is None:
        parts = zip((machine.fast, machine.well), halves(text), strict=True)
        images = [bytes(made.emit_object(_module(made, goal, part))) for made, part in parts if part]
        code = b"".join(len(image).to_bytes(8, "little") + image for image in images)
        kept.put(key, code)
    return key, code


def _images(code: bytes) -> Iterator[bytes]:
    """The object files of a module, each after its length."""
    at = 0
    while at < len(code):
        end = at + 8 + int.from_bytes(code[at : at + 8], "little")
        yield code[at + 8 : end]
        at = end


def assembly(text: str, goal: Target) -> str:
    """Assembly of a module, for people."""
    shared = _shared()
    with shared.lock:
        machine = shared.machine(goal)
        parts = zip((machine.fast, machine.well), halves(text), strict=True)
        return "\n".join(str(made.emit_assembly(_module(made, goal, part))) for made, part in parts if part)


def _module(machine: Any, goal: Target, text: str) -> Any:
    module = binding().parse_assembly(text)
    module.triple = goal.triple
    module.data_layout = str(machine.target_data)
    return module


def _note(record: Any) -> int:
    handler: Callable[[Any], int] = _notes.stack[-1]
    return handler(record)


def handlers() -> list[Callable[[Any], int]]:
    """Notes of compiled code that this thread runs go to the last of these."""
    stack: list[Callable[[Any], int]] | None = getattr(_notes, "stack", None)
    if stack is None:
        stack = _notes.stack = []
    return stack


def interruption(record: Sequence[int]) -> BaseException:
    """The exception of a signal handler, which compiled code left in the record as (type, value, traceback)."""
    items = [_taken(pointer) for pointer in record[1:4]]
    kind, value = items[0], items[1]
    if isinstance(value, BaseException):
        return value
    if not isinstance(kind, type) or not issubclass(kind, BaseException):
        return KeyboardInterrupt()
    return kind() if value is None else kind(value)


def leave(found: BaseException, record: int) -> None:
    """Put an exception where :func:`interruption` finds it, in the record at an address."""
    held = (type(found), found)
    for item in held:
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(item))
    ctypes.memmove(record, (ctypes.c_int64 * 4)(-1, *map(id, held), 0), 32)


def _taken(pointer: int) -> Any:
    """The object that a reference belongs to; the reference is given back."""
    if not pointer:
        return None
    handle = ctypes.cast(pointer, ctypes.py_object)
    found = handle.value
    ctypes.pythonapi.Py_DecRef(handle)
    return found
