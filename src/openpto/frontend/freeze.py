"""Hashable pictures of Python objects by type and value, for specialisation keys and guards.

0.0 and -0.0 differ, every NaN equals itself, 1 and 1.0 and True differ, arrays count by content. Objects of classes
written in Python count by their attributes; what cannot be looked into counts by identity. Functions and classes are
equal to themselves alone, and the author's as long as their code, defaults, attributes and members are as they were.
"""

from __future__ import annotations

import array
import collections
import contextvars
import enum
import functools
import hashlib
import operator
import struct
import sys
import threading
import types
import weakref
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from openpto._records import dataclass

from .sites import is_user_file

CONSTANTS = (str, bytes, int, float, complex, bool, type(None))
"""Classes whose objects never change."""

_ATOMS = (str, bytes, int, type(None), type(Ellipsis), range, slice)


MOST = 2000
"""Objects that the picture of a guard looks at."""


class Seen(dict[int, tuple[int, object]]):
    """Objects of one picture by address: their numbers, and themselves, so that no address is used again meanwhile.
    There may be at most ``most`` of them."""

    most = MOST


class Identity:
    """An object that equals only itself; keeps it alive, so that its address is not used again."""

    __slots__ = ("value",)

    def __init__(self, value: object) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Identity) and other.value is self.value

    def __hash__(self) -> int:
        return id(self.value)


class _TooMuch(Exception):
    """The value reaches more objects than a picture looks at."""


def freeze(value: object, most: int = MOST) -> Any:
    """The picture of ``value``: two values with equal pictures give the same trace. What reaches more than ``most``
    objects, such as a handle of some library, counts by identity."""
    seen = Seen()
    seen.most = most
    try:
        return _freeze(value, seen)
    except (_TooMuch, RecursionError):
        return Identity(value)


def _freeze(value: Any, seen: Seen) -> Any:
    kind = type(value)
    if kind is float:
        return kind, _bits(value)
    if kind is complex:
        return kind, _bits(value.real), _bits(value.imag)
    if kind is slice:
        return kind, _freeze((value.start, value.stop, value.step), seen)
    if kind in _ATOMS or kind is bool:
        return kind, value
    if kind is types.FunctionType:
        return _function(value, seen)
    if isinstance(value, (types.ModuleType, types.BuiltinFunctionType)):
        return Identity(value)
    if isinstance(value, enum.Enum) and type(value._value_) in CONSTANTS:
        return Identity(value)
    if isinstance(value, type) and not is_authors(value):
        return Identity(value)
    if id(value) in seen:
        return "seen", seen[id(value)][0]
    if len(seen) >= seen.most:
        raise _TooMuch
    seen[id(value)] = len(seen), value
    content = _content(value, seen)
    return Identity(value) if content is None else (kind, content)


def _bits(value: float) -> bytes:
    return b"nan" if value != value else struct.pack("<d", value)


def _content(value: Any, seen: Seen) -> Any:
    """What the value consists of, or None where that cannot be told."""
    kind = type(value)
    if kind is tuple or kind is list:
        return (tuple([_freeze(item, seen) for item in value]),)
    if kind is dict:
        return (tuple([(_freeze(k, seen), _freeze(v, seen)) for k, v in value.items()]),)
    if getattr(kind, "_pictured_by_identity", False) or _is_torch_tensor(value):
        return None
    if isinstance(value, enum.Enum):
        return Identity(value), _freeze(value._value_, seen)
    if is_transparent(kind):
        return *_class(kind, seen), *_pictures(attributes(value), seen)
    if isinstance(value, type):
        return Identity(value), *_class(value, seen)
    if kind is np.ndarray:
        return _array(value)
    if isinstance(value, np.generic):
        return str(value.dtype), value.tobytes()
    parts: list[Any] = []
    if isinstance(value, np.ndarray):
        parts.append(_array(value))
    elif isinstance(value, (list, tuple, collections.deque)):
        parts.append(tuple(_freeze(item, seen) for item in value))
    elif isinstance(value, Mapping) and isinstance(value, (dict, types.MappingProxyType)):
        parts.append(tuple((_freeze(k, seen), _freeze(v, seen)) for k, v in value.items()))
        if isinstance(value, collections.defaultdict):
            parts.append(_freeze(value.default_factory, seen))
    elif isinstance(value, (set, frozenset)):
        parts.append(frozenset(_freeze(item, seen) for item in value))
    elif isinstance(value, functools.partial):
        parts.append(_freeze((value.func, value.args, value.keywords), seen))
    elif isinstance(value, types.MethodType):
        return _freeze((value.__func__, value.__self__), seen)
    elif isinstance(value, (bytearray, array.array)):
        parts.append((getattr(value, "typecode", ""), bytes(value)))
    elif isinstance(value, _GETTERS):
        parts.append(_freeze(value.__reduce__(), seen))
    elif isinstance(value, contextvars.ContextVar):
        parts.append((Identity(value), _freeze(value.get(None), seen)))
    elif not isinstance(value, (types.SimpleNamespace, threading.local)):
        return None
    return *parts, *_class(kind, seen), *_pictures(attributes(value), seen)


def _pictures(found: Mapping[str, Any], seen: Seen) -> list[Any]:
    return [(name, _freeze(found[name], seen)) for name in sorted(found)]


def _array(value: Any) -> Any:
    return Identity(value) if value.dtype.hasobject else (str(value.dtype), value.shape, _digest(value))


def _function(value: types.FunctionType, seen: Seen) -> Any:
    """A function and what makes it up; what it loads from outside has guards of its own. Functions compare by identity,
    so that they stand for themselves."""
    code = value.__code__
    if not is_user_file(code.co_filename):
        return Identity(value)
    if value.__defaults__ is None and value.__kwdefaults__ is None and not value.__dict__:
        return value, code
    if id(value) in seen:
        return "seen", seen[id(value)][0]
    seen[id(value)] = len(seen), value
    return value, code, _freeze((value.__defaults__, value.__kwdefaults__, value.__dict__), seen)


def _class(kind: type, seen: Seen) -> tuple[Any, ...]:
    """The members of the author's classes among a class, its bases and its own class."""
    known = _classes.get(id(kind))
    if known is not None and known.holds(kind):
        return known.picture
    bases = [base for base in with_bases(kind) if is_authors(base)]
    members = [(name, _unwrapped(member)) for base in bases for name, member in _members(base)]
    if all(_is_simple(member) for _, member in members) and not any(issubclass(base, type) for base in bases):
        return _remembered(kind, bases, members)
    return tuple((name, _freeze(member, seen)) for name, member in members)


def _members(base: type) -> Iterator[tuple[str, Any]]:
    hidden = _SUNDER if issubclass(base, enum.Enum) else ()
    for name, member in vars(base).items():
        if name not in hidden and (not name.startswith("__") or type(member) is types.FunctionType):
            yield name, member


# -- classes whose members cannot change in themselves ----------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class _Known:
    """The picture of a class, good as long as the same objects are its members and its functions have their code."""

    kind: weakref.ref[type]
    bases: tuple[type, ...]
    spaces: tuple[tuple[Mapping[str, Any], tuple[Any, ...]], ...]
    codes: tuple[tuple[types.FunctionType, types.CodeType], ...]
    picture: tuple[Any, ...]
    transparent: bool

    def holds(self, kind: type) -> bool:
        if self.kind() is not kind or kind.__mro__ is not self.bases:
            return False
        for space, members in self.spaces:
            if len(space) != len(members) or not all(map(operator.is_, space.values(), members)):
                return False
        return all(function.__code__ is code for function, code in self.codes)


MAX_CLASSES = 256
_classes: dict[int, _Known] = {}


def _remembered(kind: type, bases: list[type], members: list[tuple[str, Any]]) -> tuple[Any, ...]:
    picture = tuple((name, _freeze(member, Seen())) for name, member in members)
    spaces = tuple((vars(base), tuple(vars(base).values())) for base in bases)
    functions = [f for _, member in members for f in (member if type(member) is tuple else (member,))]
    codes = tuple((f, f.__code__) for f in functions if type(f) is types.FunctionType)
    while len(_classes) >= MAX_CLASSES:
        try:
            del _classes[next(iter(_classes))]
        except (KeyError, StopIteration, RuntimeError):  # another thread was faster
            break
    transparent = all(map(_in_python, kind.__mro__[:-1]))
    _classes[id(kind)] = _Known(weakref.ref(kind), kind.__mro__, spaces, codes, picture, transparent)
    return picture


def _is_simple(member: Any) -> bool:
    if type(member) is tuple:
        return all(map(_is_simple, member))
    if type(member) is types.FunctionType:
        file = member.__code__.co_filename
        made = file == "<string>" or not is_user_file(file)  # by dataclasses
        constant = all(type(value) in CONSTANTS for value in member.__defaults__ or ())
        return made or (constant and member.__kwdefaults__ is None and not member.__dict__)
    return type(member) in CONSTANTS or (isinstance(member, enum.Enum) and type(member._value_) in CONSTANTS)


_GETTERS = (operator.itemgetter, operator.attrgetter, operator.methodcaller)
_SUNDER = frozenset({"_member_map_", "_member_names_", "_value2member_map_", "_hashable_values_", "_unhashable_values_",
                     "_unhashable_values_map_"})  # fmt: skip
"""Tables of an enumeration, which grow as combinations of flags are asked for; the members are in it by name too."""
_OF_C = (types.WrapperDescriptorType, types.MethodDescriptorType, types.BuiltinFunctionType)


def _unwrapped(member: Any) -> Any:
    """What a member of a class is made of."""
    if isinstance(member, (staticmethod, classmethod)):
        return member.__func__
    if isinstance(member, property):
        return member.fget, member.fset, member.fdel
    if isinstance(member, functools.cached_property):
        return member.func
    return None if isinstance(member, (types.MemberDescriptorType, types.GetSetDescriptorType)) else member


def with_bases(kind: type) -> tuple[type, ...]:
    """A class, its bases, and the classes that make it."""
    meta: type = type(kind)
    return *kind.__mro__, *meta.__mro__


def is_authors(kind: type) -> bool:
    """Whether a class is written in Python, in the author's code."""
    if not _in_python(kind):
        return False
    file = getattr(sys.modules.get(kind.__module__), "__file__", None)
    return file is None or is_user_file(file)


def _in_python(kind: type) -> bool:
    """Whether Python code made a class; what a class of C gives its objects is not seen among their attributes."""
    if not kind.__flags__ & (1 << 9):  # Py_TPFLAGS_HEAPTYPE
        return False
    for member in vars(kind).values():
        if isinstance(member, _OF_C):
            owner = member.__self__ if isinstance(member, types.BuiltinFunctionType) else member.__objclass__
            if owner is kind:
                return False
    return True


def _is_torch_tensor(value: object) -> bool:
    torch = sys.modules.get("torch")  # never imported for the question
    return torch is not None and isinstance(value, torch.Tensor)


def is_transparent(kind: type) -> bool:
    """Whether the state of instances is all in attributes: every base but object is written in Python."""
    known = _classes.get(id(kind))
    if known is not None and known.kind() is kind and known.bases is kind.__mro__:
        return known.transparent
    bases = kind.__mro__[:-1]
    return bool(bases) and all(map(_in_python, bases))


def attributes(value: Any) -> dict[str, Any]:
    """Attributes of an object, those in slots too, under the names that the class gives them."""
    found: dict[str, Any] = dict(getattr(value, "__dict__", {}))
    for base in type(value).__mro__:
        space = vars(base)
        for name, member in space.items() if "__slots__" in space else ():
            if isinstance(member, types.MemberDescriptorType) and hasattr(value, name):
                found[name] = getattr(value, name)
    return found


def _digest(array: Any) -> bytes:
    return hashlib.sha256(np.ascontiguousarray(array).tobytes()).digest()
