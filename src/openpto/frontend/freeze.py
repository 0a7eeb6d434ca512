"""Hashable pictures of Python objects by type and value, for specialisation keys and guards.

0.0 and -0.0 differ, every NaN equals itself, 1 and 1.0 and True differ, arrays count by content. Objects of classes
written in Python count by their attributes; what cannot be looked into counts by identity.
"""

from __future__ import annotations

import enum
import functools
import hashlib
import struct
import sys
import types
from collections.abc import Mapping
from typing import Any

import numpy as np

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
    if isinstance(value, (enum.Enum, type, types.ModuleType, types.BuiltinFunctionType, types.FunctionType)):
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
    if isinstance(value, np.ndarray):
        return None if value.dtype.hasobject else (str(value.dtype), value.shape, _digest(value))
    if isinstance(value, np.generic):
        return str(value.dtype), value.tobytes()
    if getattr(type(value), "_pictured_by_identity", False) or _is_torch_tensor(value):
        return None
    parts: list[Any] = []
    if isinstance(value, (list, tuple)):
        parts.append(tuple(_freeze(item, seen) for item in value))
    elif isinstance(value, Mapping) and isinstance(value, (dict, types.MappingProxyType)):
        parts.append(tuple((_freeze(k, seen), _freeze(v, seen)) for k, v in value.items()))
    elif isinstance(value, (set, frozenset)):
        parts.append(frozenset(_freeze(item, seen) for item in value))
    elif isinstance(value, functools.partial):
        parts.append(_freeze((value.func, value.args, value.keywords), seen))
    elif isinstance(value, types.MethodType):
        return _freeze((value.__func__, value.__self__), seen)
    elif not _transparent(type(value)):
        return None
    for name, attribute in sorted(_attributes(value).items()):
        parts.append((name, _freeze(attribute, seen)))
    return tuple(parts)


def _is_torch_tensor(value: object) -> bool:
    torch = sys.modules.get("torch")  # never imported for the question
    return torch is not None and isinstance(value, torch.Tensor)


def _transparent(kind: type) -> bool:
    """Whether the state of instances is all in attributes: every base but object is written in Python."""
    bases = kind.__mro__[:-1]
    return bool(bases) and all(base.__flags__ & (1 << 9) for base in bases)  # Py_TPFLAGS_HEAPTYPE


def _attributes(value: Any) -> dict[str, Any]:
    found: dict[str, Any] = dict(getattr(value, "__dict__", {}))
    for base in type(value).__mro__:
        slots = base.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if name not in ("__dict__", "__weakref__") and hasattr(value, name):
                found[name] = getattr(value, name)
    return found


def _digest(array: Any) -> bytes:
    return hashlib.sha256(np.ascontiguousarray(array).tobytes()).digest()
