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
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from .sites import is_user_file

CONSTANTS = (str, bytes, int, float, complex, bool, type(None))
"""Classes whose objects never change."""

_ATOMS = (str, bytes, int, type(None), type(Ellipsis), range, slice)


class Identity:
    """An object that equals only itself; keeps it alive, so that its address is not used again."""

    __slots__ = ("value",)

    def __init__(self, value: object) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Identity) and other.value is self.value

    def __hash__(self) -> int:
        return id(self.value)


def freeze(value: object) -> Any:
    """The picture of ``value``: two values with equal pictures give the same trace."""
    return _freeze(value, {})


def _freeze(value: Any, seen: dict[int, int]) -> Any:
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
        return "seen", seen[id(value)]
    seen[id(value)] = len(seen)
    content = _content(value, seen)
    return Identity(value) if content is None else (kind, content)


def _bits(value: float) -> bytes:
    return b"nan" if value != value else struct.pack("<d", value)


def _content(value: Any, seen: dict[int, int]) -> Any:
    """What the value consists of, or None where that cannot be told."""
    if isinstance(value, type):
        return Identity(value), *_class(value, seen)
    if isinstance(value, enum.Enum):
        return Identity(value), _freeze(value._value_, seen)
    if type(value) is np.ndarray:
        return _array(value)
    if isinstance(value, np.generic):
        return str(value.dtype), value.tobytes()
    if getattr(type(value), "_pictured_by_identity", False) or _is_torch_tensor(value):
        return None
    parts: list[Any] = []
    if isinstance(value, np.ndarray):
        parts.append(_array(value))
    elif isinstance(value, (list, tuple, collections.deque)):
        parts.append(tuple(_freeze(item, seen) for item in value))
    elif isinstance(value, Mapping) and isinstance(value, (dict, types.MappingProxyType)):
        parts.append(tuple((_freeze(k, seen), _freeze(v, seen)) for k, v in value.items()))
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
    elif not isinstance(value, (types.SimpleNamespace, threading.local)) and not is_transparent(type(value)):
        return None
    parts += _class(type(value), seen)
    for name, attribute in sorted(attributes(value).items()):
        parts.append((name, _freeze(attribute, seen)))
    return tuple(parts)


def _array(value: Any) -> Any:
    return Identity(value) if value.dtype.hasobject else (str(value.dtype), value.shape, _digest(value))


def _function(value: types.FunctionType, seen: dict[int, int]) -> Any:
    """A function and what makes it up; what it loads from outside has guards of its own. Functions compare by identity,
    so that they stand for themselves."""
    code = value.__code__
    if not is_user_file(code.co_filename):
        return Identity(value)
    if value.__defaults__ is None and value.__kwdefaults__ is None and not value.__dict__:
        return value, code
    if id(value) in seen:
        return "seen", seen[id(value)]
    seen[id(value)] = len(seen)
    return value, code, _freeze((value.__defaults__, value.__kwdefaults__, value.__dict__), seen)


def _class(kind: type, seen: dict[int, int]) -> Iterator[Any]:
    """The members of the author's classes among a class, its bases and its own class."""
    for base in with_bases(kind):
        if is_authors(base):
            hidden = _SUNDER if issubclass(base, enum.Enum) else ()
            for name, member in vars(base).items():
                if name not in hidden and (not name.startswith("__") or type(member) is types.FunctionType):
                    yield name, _freeze(_unwrapped(member), seen)


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
    bases = kind.__mro__[:-1]
    return bool(bases) and all(map(_in_python, bases))


def attributes(value: Any) -> dict[str, Any]:
    """Attributes of an object, those in slots too, under the names that the class gives them."""
    found: dict[str, Any] = dict(getattr(value, "__dict__", {}))
    for base in type(value).__mro__:
        for name, member in vars(base).items():
            if isinstance(member, types.MemberDescriptorType) and hasattr(value, name):
                found[name] = getattr(value, name)
    return found


def _digest(array: Any) -> bytes:
    return hashlib.sha256(np.ascontiguousarray(array).tobytes()).digest()
