"""What a kernel's meaning rests on, as one digest that is the same in every process, and as guards for this process.

Purpose: a process may use machine code that an earlier one made of the same kernel, without tracing it again.
Precondition of a digest: nothing that runs while the kernel is traced can depend on anything but the digested objects.
So names count by content (code, constants, globals, closure variables, defaults, of helpers and methods too), and only
modules and functions that are known to be pure are taken by name; a kernel that reaches anything else (environment,
files, random numbers, torch, modules passed around whole) has no digest and is traced in each process.
Names are those of the byte code, attributes among them, so more may be digested than is read, never less.
"""

from __future__ import annotations

import builtins
import collections
import dis
import enum
import hashlib
import marshal
import sys
import types
from functools import cache, cached_property, partial
from typing import Any

import numpy as np

from openpto._records import dataclass
from openpto._version import __version__
from openpto.frontend.freeze import attributes, is_transparent
from openpto.frontend.guards import FunctionGuard, Guard, guard, place_in
from openpto.ir.expr import Expr

_PLAIN = frozenset({bool, int, float, complex, str, bytes, type(None), type(Ellipsis), range})
_OURS = frozenset({"openpto", "pypto"})
_PURE = frozenset({"abc", "cmath", "collections", "dataclasses", "enum", "functools", "itertools", "math", "numbers",
                   "operator", "types", "typing"})  # fmt: skip
_NUMERIC = frozenset({"numpy", "ml_dtypes"})
_IMPURE_NAMES = frozenset({"random", "load", "loadtxt", "fromfile", "genfromtxt", "memmap", "lib", "ctypeslib"})
"""What has to be followed by name in numpy and is not pure."""
_IMPURE_BUILTINS = frozenset(
    {"__import__", "breakpoint", "compile", "delattr", "dir", "eval", "exec", "getattr", "globals", "hasattr",
     "help", "id", "input", "locals", "memoryview", "open", "print", "setattr", "vars"}
)  # fmt: skip
_REFLECTION = frozenset(
    {"__annotations__", "__builtins__", "__closure__", "__dir__", "__getattribute__", "__globals__", "__subclasses__",
     "cell_contents"}
)  # fmt: skip
"""Attributes that lead to objects whose names the byte code does not show."""
_IMPORTS = frozenset(dis.opmap[name] for name in ("IMPORT_NAME", "STORE_GLOBAL") if name in dis.opmap)


MOST = 1000
"""Objects that a walk looks at. A kernel that reaches more has found its way into some library."""


class NotPortable(Exception):
    """A kernel's meaning rests on something that may differ in another process; the text says on what."""


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """The digest of an object and the names that were followed for it."""

    digest: str
    guards: tuple[Guard | FunctionGuard, ...]


def picture(*values: object) -> Picture:
    """The digest of values (NotPortable if there is none)."""
    walk = _Walk()
    for value in values:
        walk.take(value)
    guards = (  # a walk that is refused needs none
        guard(name, partial(_read, holder, name), (place_in(holder, name),)) for name, holder in walk.names
    )
    return Picture(walk.digest(), tuple(guards))


class _Walk:
    """One walk over everything that values reach."""

    def __init__(self) -> None:
        self.found: list[str] = []
        self.names: list[tuple[str, dict[str, Any] | types.CellType]] = []
        self.seen: dict[int, int] = {}
        self.followed: set[tuple[int, str]] = set()  # names in modules of the author
        self.keep: list[object] = []  # so that no address is used again during the walk

    def digest(self) -> str:
        """The digest of everything that was found."""
        return hashlib.sha256("".join(self.found).encode(errors="surrogatepass")).hexdigest()

    def text(self, *parts: str) -> None:
        self.found += [f"{len(part)}:{part}" for part in parts]

    def data(self, content: bytes) -> None:
        self.text(content.decode("latin-1"))  # a character for every byte

    def take(self, value: Any) -> None:
        """Digest one value."""
        kind = type(value)
        if kind in _PLAIN:
            self.text(kind.__name__, value.hex() if kind is float else repr(value))
            return
        if id(value) in self.seen:
            self.text("seen", str(self.seen[id(value)]))
            return
        if len(self.seen) == MOST:
            raise NotPortable(f"more than {MOST} objects")
        self.seen[id(value)] = len(self.seen)
        self.keep.append(value)
        self.object(value, kind)

    def object(self, value: Any, kind: type) -> None:
        """Digest one object that may be reached in several ways."""
        if isinstance(value, types.CodeType):
            self.data(marshal.dumps(value))
        elif isinstance(value, types.ModuleType):
            self.module(value)
        elif isinstance(value, enum.Enum):
            self.text("enum", str(value.name))
            self.take(value._value_)
            self.take(kind)
        elif isinstance(value, type):
            self.class_(value)
        elif isinstance(value, (types.FunctionType, types.BuiltinFunctionType)) or kind is _UFUNC:
            self.function(value)
        elif kind in _METHODS and value.__objclass__ in _VALUES and value.__name__ not in _REFLECTION:
            self.text(
                "method", value.__objclass__.__name__, value.__name__
            )  # which enumerations of ints and texts copy
        elif kind is _FIELD:
            self.text("field", str(value.__reduce__()[1][0]))
        elif isinstance(value, (np.ndarray, np.generic, np.dtype)):
            self.array(value)
        else:
            self.container(value, kind)

    def module(self, module: types.ModuleType) -> None:
        """A module as a value; one of the author's might be read in ways that the byte code does not name."""
        known = _known(module.__name__)
        _refuse_impure(module.__name__)
        if not known or sys.modules.get(module.__name__) is not module:
            raise NotPortable(f"the module {module.__name__}")
        self.text("module", module.__name__, known)

    def class_(self, kind: type) -> None:
        known = _known(_home(kind) if kind.__flags__ & _HEAP else kind.__module__)
        self.text("type", kind.__module__, kind.__qualname__, known)
        if known:
            return
        self.take(type(kind))
        generated = "__dataclass_params__" in vars(kind)  # a wrapped __repr__ is made by the library
        for base in kind.__bases__:
            self.take(base)
        for name, member in sorted(vars(kind).items()):
            if name not in _FORMAL and not _is_slot(member) and not (generated and hasattr(member, "__wrapped__")):
                self.text(name)
                self.take(_unwrapped(member))

    def function(self, function: Any) -> None:
        name = getattr(function, "__qualname__", None) or function.__name__
        module = _home(function)
        known = _known(module)
        self.text("function", module, name, known)
        if known:
            if module == "builtins" and name in _IMPURE_BUILTINS:
                raise NotPortable(f"the function {name}")
            _refuse_impure(module, name)
            return
        if not isinstance(function, types.FunctionType):
            raise NotPortable(f"the function {module}.{name}")
        self.take(function.__code__)
        self.take(function.__defaults__)
        self.take(function.__kwdefaults__)
        self.take(dict(function.__dict__))
        cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
        names = _names(function.__code__)
        for free, cell in cells.items():
            self.name(free, cell, names)
        for used in names:
            if used in function.__globals__:
                self.name(used, function.__globals__, names)
            elif used in _IMPURE_BUILTINS and hasattr(builtins, used):
                raise NotPortable(f"the function {used}")

    def name(self, name: str, holder: dict[str, Any] | types.CellType, names: tuple[str, ...]) -> None:
        """A name that code loads, from a table of names or a closure. Of a module, what the code's names may mean in
        it."""
        value = _read(holder, name)
        self.text("name", name)
        self.names.append((name, holder))
        if not isinstance(value, types.ModuleType) or _known(value.__name__):
            self.take(value)
            if isinstance(value, types.ModuleType):
                for used in _IMPURE_NAMES.intersection(names):
                    _refuse_impure(value.__name__, used)
            return
        if value.__name__.split(".")[0] in sys.stdlib_module_names:
            raise NotPortable(f"the module {value.__name__}")
        self.text("author's module", value.__name__)
        for used in (*names, "__getattr__"):
            if used in vars(value) and (id(value), used) not in self.followed:
                self.followed.add((id(value), used))
                self.name(used, vars(value), names)

    def array(self, value: Any) -> None:
        if isinstance(value, np.dtype):
            self.text("dtype", str(value))
            return
        if value.dtype.hasobject:
            raise NotPortable("an array of objects")
        self.text("array", type(value).__name__, str(value.dtype), str(value.shape))
        self.data(np.ascontiguousarray(value).tobytes())

    def container(self, value: Any, kind: type) -> None:
        if kind in _HIDING:
            raise NotPortable(f"an object of {kind.__module__}.{kind.__qualname__}")
        if isinstance(value, (list, tuple)):
            self.text("sequence", str(len(value)))
            for item in value:
                self.take(item)
        elif isinstance(value, (dict, types.MappingProxyType)):
            self.text("mapping", str(len(value)))
            for key, item in value.items():
                self.take(key)
                self.take(item)
        elif isinstance(value, (set, frozenset)):
            self.text("set", *sorted(picture(item).digest for item in value))
        elif isinstance(value, Expr):
            self.text("expression", value.op)
            self.take(value.value)
            self.take(value.args)
            return
        elif isinstance(value, slice):
            self.take((value.start, value.stop, value.step))
        elif isinstance(value, partial):
            self.take((value.func, value.args, value.keywords))
        elif isinstance(value, types.MethodType):
            self.take(value.__func__)
            self.take(value.__self__)
        elif isinstance(getattr(value, "__wrapped__", None), types.FunctionType) and _known(_home(kind)):
            self.take(value.__wrapped__)  # a kernel
            self.take(getattr(value, "_options", None))
            return
        elif not is_transparent(kind):
            raise NotPortable(f"an object of {kind.__module__}.{kind.__qualname__}")
        self.take(kind)
        self.attributes(value)

    def attributes(self, value: Any) -> None:
        for name, attribute in sorted(attributes(value).items()):
            self.text(name)
            self.take(attribute)


_UFUNC = np.ufunc
_METHODS = (types.MethodDescriptorType, types.WrapperDescriptorType)
_VALUES = (object, int, float, complex, str, bytes, tuple)
_FIELD = type(collections.namedtuple("_Pair", "first").first)  # type: ignore[attr-defined]
_HIDING = (collections.defaultdict,)  # what a missing key gives is no item
_HEAP = 1 << 9  # Py_TPFLAGS_HEAPTYPE: a class that Python code may have made
_FORMAL = frozenset({"__dict__", "__weakref__", "__module__", "__firstlineno__"})
_SLOTS = (types.MemberDescriptorType, types.GetSetDescriptorType)


def _is_slot(member: object) -> bool:
    return isinstance(member, _SLOTS)


def _unwrapped(member: Any) -> Any:
    """What a member of a class is made of."""
    if isinstance(member, (staticmethod, classmethod)):
        return member.__func__
    if isinstance(member, property):
        return member.fget, member.fset, member.fdel
    if isinstance(member, cached_property):
        return "cached", member.func
    return member


def _home(function: Any) -> str:
    """The module of a function or class that is found there under its name, else an empty text.

    ``__module__`` alone proves nothing: ``functools.wraps`` copies it from another function, code that runs without
    a module name has none, and a function made inside another one may close over anything.
    """
    owner = getattr(function, "__self__", None)
    if isinstance(owner, types.ModuleType):
        module = owner.__name__
    else:
        module = getattr(function, "__module__", None) or ("numpy" if type(function) is _UFUNC else "builtins")
    found: Any = sys.modules.get(module)
    for part in (getattr(function, "__qualname__", None) or function.__name__).split("."):
        found = getattr(found, part, None)
    return module if found is function else ""


def _refuse_impure(*path: str) -> None:
    """Stop for a dotted name of numpy that leads to random numbers or files."""
    parts = ".".join(path).split(".")
    if parts[0] in _NUMERIC and not _IMPURE_NAMES.isdisjoint(parts):
        raise NotPortable(".".join(parts))


def _read(holder: dict[str, Any] | types.CellType, name: str) -> Any:
    """What a name means now, None where it means nothing."""
    if isinstance(holder, dict):
        return holder.get(name)
    try:
        return holder.cell_contents
    except ValueError:
        return None


def _names(code: types.CodeType) -> tuple[str, ...]:
    """Global names and attributes of a code object and those inside it (NotPortable if it imports)."""
    found: dict[str, None] = {}
    waiting = [code]
    while waiting:
        inner = waiting.pop()
        if _IMPORTS.intersection(inner.co_code[::2]):
            raise NotPortable(f"an import, or a global that is set, in {inner.co_name}")
        for hidden in _REFLECTION.intersection(inner.co_names):
            raise NotPortable(f"the attribute {hidden}")
        found.update(dict.fromkeys(inner.co_names))
        waiting += [c for c in inner.co_consts if isinstance(c, types.CodeType)]
    return tuple(sorted(found))


@cache
def _known(module: str | None) -> str:
    """The version of a module that is taken by name, empty for any other."""
    top = (module or "").split(".")[0]
    if top in _OURS:
        return __version__
    if top in _NUMERIC:
        return str(getattr(sys.modules[top], "__version__", "?"))
    return "python" if top in _PURE or module in ("builtins", "_operator", "_functools", "_collections") else ""
