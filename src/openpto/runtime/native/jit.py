"""LLVM text to machine code in this process, through llvmlite's LLJIT."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from openpto._forks import awaited_by_fork
from openpto._records import dataclass
from openpto.runtime.store import store

from . import ahead, objects
from .once import once
from .targets import Target, binding, target

Entry = Callable[[Any, Any, Any, Any], int]
Made = tuple[str, str, bytes]
"""Name, key in the store and object code of a kernel or routine."""

_PYTHON = ("PyGILState_Ensure", "PyGILState_Release", "PyErr_CheckSignals", "PyErr_Fetch")
"""What compiled code needs of the interpreter to let it run signal handlers. A call of a Python function would not do:
the interpreter runs the handlers at its entry, where their exception is lost."""


class _Notes(threading.local):
    """Of each thread: who takes the notes of compiled code that it runs, the last of them first. An entry is an object
    with a method ``note``, or a function and its arguments that make it when there is a note."""

    def __init__(self) -> None:
        self.stack: list[Any] = []


_notes = _Notes()

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


@dataclass(slots=True)
class Compiled:
    """Machine code that lives as long as this object."""

    entry: Entry
    address: int
    keep: tuple[Any, ...]
    objects: tuple[tuple[str, str], ...]
    """(exported name, key in the store) of the object files it is made of; the kernel is the last."""


class _Shared:
    """The process's compiler. One thread at a time has it; that one may take others to help (``objects.py``)."""

    def __init__(self) -> None:
        binding()
        self.lock = awaited_by_fork(threading.Lock())
        self.count = 0
        self.linkers: dict[Target, Any] = {}
        self.note = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.POINTER(ctypes.c_int64))(_note)
        self.symbols = {
            "openpto_note": ctypes.cast(self.note, ctypes.c_void_p).value,
        }
        for name in _PYTHON:
            self.symbols[name] = ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value
        self.routines: dict[tuple[Target, str], tuple[Any, str]] = {}

    def linker(self, goal: Target) -> Any:
        """What links the code of a code path."""
        if goal not in self.linkers:
            with objects.borrowed(goal, objects.WELL) as machine:  # a model for those of the linker
                self.linkers[goal] = binding().create_lljit_compiler(machine, use_jit_link=goal.is_near)
        return self.linkers[goal]


@once
def _shared() -> _Shared:
    return _Shared()


@dataclass(frozen=True, slots=True)
class Extra:
    """A module that is linked along with a kernel if its code is there: what it exports, and who takes it then."""

    name: str
    text: str
    exports: tuple[str, ...]
    taken: Callable[[Linked], None]


def compile_text(
    text: str, goal: Target, routines: Mapping[str, str] | None = None, hands: int = 1, extra: Extra | None = None
) -> Compiled:
    """Machine code of a module that defines ``kernel``, compiled by ``hands`` threads; ``routines`` are modules it
    calls, by the name of the function they define, each after those that it calls itself. They are compiled once a
    process."""
    shared = _shared()
    names = tuple(routines or ())
    with shared.lock:
        made = _made(shared, goal, routines or {}, hands, text)
        begun = None if extra is None else ahead.taken(goal, extra.name)
        return _kernel(shared, goal, made, names, None if extra is None or begun is None else (extra, begun[1]))


def begin(goal: Target, routines: Mapping[str, str]) -> None:
    """Compile routines that a kernel is going to call while the caller goes on."""
    shared = _shared()
    ahead.begin(goal, {name: text for name, text in routines.items() if (goal, name) not in shared.routines})


def _made(shared: _Shared, goal: Target, routines: Mapping[str, str], hands: int, kernel: str) -> list[Made]:
    """Object code of routines that the process does not have yet, and of a kernel."""
    new = {name: text for name, text in routines.items() if (goal, name) not in shared.routines}
    own = {name: text for name, text in new.items() if not ahead.is_begun(goal, name)}
    own["kernel"] = kernel
    found = dict(zip(own, objects.object_codes(goal, tuple(own.values()), hands), strict=True))
    for name, text in new.items():
        if name not in found:
            found[name] = ahead.taken(goal, name) or objects.object_codes(goal, [text], hands)[0]
    return [(name, *found[name]) for name in (*new, "kernel")]


def load(files: Sequence[tuple[str, str]], goal: Target, extra: Extra | None = None) -> Compiled | None:
    """The kernel that object files in the store make (:attr:`Compiled.objects`), None if one is not there any more."""
    shared, kept = _shared(), store()
    made: list[Made] = []
    with shared.lock:
        for name, key in files:
            if name == "kernel" or (goal, name) not in shared.routines:
                code = kept.get(key)
                if code is None:
                    return None
                made.append((name, key, code))
        also = None if extra is None else kept.get(objects.key(goal, extra.text))
        names = tuple(name for name, _ in files[:-1])
        return _kernel(shared, goal, made, names, None if extra is None or also is None else (extra, also))


def _kernel(
    shared: _Shared,
    goal: Target,
    made: Sequence[Made],
    routines: Sequence[str],
    extra: tuple[Extra, bytes] | None,
) -> Compiled:
    """The kernel that is the last of what was made; it calls ``routines``, which were made too or were there before.
    All is one library, since linking has its time for every one."""
    names = [name for name, _, _ in made]
    symbols = {n: shared.routines[goal, n][0][n] for n in routines if n not in names}
    images = [image for _, _, code in made for image in objects.images(code)]
    exports = list(names)
    if extra is not None:
        images += objects.images(extra[1])
        exports += extra[0].exports
    tracker = _link(shared, goal, images, exports, {**symbols, **shared.symbols})
    shared.routines.update(((goal, name), (tracker, key)) for name, key, _ in made[:-1])
    if extra is not None:
        extra[0].taken(Linked({name: tracker[name] for name in extra[0].exports}, (tracker, shared)))
    found = [shared.routines[goal, name] for name in routines]
    prototype = ctypes.CFUNCTYPE(ctypes.c_int64, *(ctypes.c_void_p,) * 4)
    files = (*((n, k) for n, (_, k) in zip(routines, found, strict=True)), made[-1][:2])
    address = tracker["kernel"]
    return Compiled(prototype(address), address, (tracker, shared, *(t for t, _ in found)), files)


@dataclass(frozen=True, slots=True)
class Linked:
    """A module of several functions, which lives as long as this object: their addresses by name."""

    addresses: Mapping[str, int]
    keep: tuple[Any, ...]


def link_module(text: str, goal: Target, exports: Sequence[str]) -> Linked:
    """Machine code of a module that needs nothing but the C library and the interpreter."""
    shared = _shared()
    with shared.lock:
        [(_, code)] = objects.object_codes(goal, [text], 1)
        tracker = _link(shared, goal, list(objects.images(code)), exports, shared.symbols)
        return Linked({name: tracker[name] for name in exports}, (tracker, shared))


def _link(
    shared: _Shared, goal: Target, images: Sequence[bytes], exports: Sequence[str], symbols: Mapping[str, int | None]
) -> Any:
    shared.count += 1
    builder = binding().JITLibraryBuilder().add_current_process()
    for image in images:
        builder.add_object_img(image)
    for name in exports:
        builder.export_symbol(name)
    for name, address in symbols.items():
        builder.import_symbol(name, address)
    return builder.link(shared.linker(goal), f"library{shared.count}")


def assembly(text: str, goal: Target) -> str:
    """Assembly of a module, for people."""
    with _shared().lock:
        return objects.assembly(goal, text)


def _note(record: Any) -> int:
    stack = _notes.stack
    taker = stack[-1]
    if type(taker) is tuple:
        taker = stack[-1] = taker[0](*taker[1:])
    answer: int = taker.note(record)
    return answer


def takers() -> list[Any]:
    """Notes of compiled code that this thread runs go to the last of these (:class:`_Notes`)."""
    return _notes.stack


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


__all__ = [
    "RUNTIME",
    "Compiled",
    "Extra",
    "Linked",
    "Target",
    "assembly",
    "begin",
    "binding",
    "compile_text",
    "interruption",
    "leave",
    "link_module",
    "load",
    "takers",
    "target",
]
