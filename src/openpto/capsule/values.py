"""Python text for values: constants that kernels use, and arguments that are no tensors."""

from __future__ import annotations

import base64
import dataclasses
import enum
import functools
import math
import sys
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from openpto.language.symbolic import SymbolicScalar

SMALL = 64
"""Elements of an array that are written out as numbers."""


class NotSelfContained(Exception):
    """Something that has no text outside of its program; the message says what."""


class Texts:
    """Expressions for values.

    Args:
        name_of: the name of a function, class or module in the file that is being written; it defines or imports it.
    """

    def __init__(self, name_of: Callable[[Any], str]) -> None:
        self._name_of = name_of
        self._inside: list[int] = []

    def of(self, value: Any) -> str:
        """An expression that gives an equal value (NotSelfContained if there is none)."""
        if id(value) in self._inside:
            raise NotSelfContained("an object that contains itself")
        self._inside.append(id(value))
        try:
            return self._of(value)
        finally:
            self._inside.pop()

    def _of(self, value: Any) -> str:
        kind = type(value)
        if value is None or kind in (bool, int, str, bytes):
            return repr(value)
        if kind is float:
            return repr(value) if math.isfinite(value) else f"float({str(value)!r})"
        if value is Ellipsis:
            return "..."
        public = public_name(value)
        if public:
            return public
        if isinstance(value, enum.Enum):
            return f"{self._name_of(kind)}.{value.name}"
        if kind in (list, tuple, set, frozenset, dict, slice, range, types.MappingProxyType):
            return self._container(value, kind)
        if isinstance(value, (np.ndarray, np.generic, np.dtype)):
            return self._numpy(value)
        if isinstance(value, SymbolicScalar):
            return self._symbol(value)
        if isinstance(value, functools.partial):
            return f"{self._name_of(functools)}.partial({self._arguments(value)})"
        if isinstance(value, types.ModuleType) or is_definition(value):
            return self._name_of(value)
        return self._object(value, kind)

    def _container(self, value: Any, kind: type) -> str:
        if kind is slice:
            return f"slice({self.of(value.start)}, {self.of(value.stop)}, {self.of(value.step)})"
        if kind is range:
            return repr(value)
        if kind in (dict, types.MappingProxyType):
            return "{" + ", ".join(f"{self.of(k)}: {self.of(v)}" for k, v in value.items()) + "}"
        items = [self.of(item) for item in (sorted(value, key=repr) if kind in (set, frozenset) else value)]
        if kind is tuple:
            return f"({items[0]},)" if len(items) == 1 else f"({', '.join(items)})"
        if kind is list:
            return f"[{', '.join(items)}]"
        return f"{kind.__name__}([{', '.join(items)}])"

    def _numpy(self, value: Any) -> str:
        numpy = self._name_of(np)
        if isinstance(value, np.dtype):
            return f"{numpy}.dtype({self._element(value)})"
        if value.dtype.hasobject:
            raise NotSelfContained("an array of objects")
        if isinstance(value, np.generic) and value.dtype.kind in "iufb":
            return f"{numpy}.{value.dtype.type.__name__}({self.of(value.item())})"
        array = np.ascontiguousarray(value)
        if array.dtype.kind in "iufb" and array.size <= SMALL and np.isfinite(array).all():
            return f"{numpy}.array({array.tolist()!r}, {self._element(array.dtype)}).reshape({value.shape!r})"
        data = base64.b64encode(array.tobytes()).decode()
        decoded = f'__import__("base64").b64decode({data!r})'
        return f"{numpy}.frombuffer({decoded}, {self._element(array.dtype)}).reshape({value.shape!r}).copy()"

    def _element(self, dtype: np.dtype[Any]) -> str:
        if dtype.type.__module__.split(".")[0] == "ml_dtypes":
            return self._name_of(dtype.type)
        return repr(dtype.str)

    def _symbol(self, value: SymbolicScalar) -> str:
        expression = value.expr
        known = expression.concrete()
        if known is not None:
            return repr(known)
        if expression.op == "named":
            return f"pypto.frontend.dynamic({str(value)!r})"
        raise NotSelfContained(f"the symbolic value {value}")

    def _arguments(self, value: functools.partial[Any]) -> str:
        parts = [self.of(value.func), *map(self.of, value.args)]
        return ", ".join([*parts, *(f"{name}={self.of(item)}" for name, item in value.keywords.items())])

    def _object(self, value: Any, kind: type) -> str:
        name = self._name_of(kind)
        if dataclasses.is_dataclass(value):
            fields = [field for field in dataclasses.fields(value) if field.init]
            return f"{name}({', '.join(f'{field.name}={self.of(getattr(value, field.name))}' for field in fields)})"
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return f"{name}({', '.join(f'{field}={self.of(getattr(value, field))}' for field in value._fields)})"
        if kind is types.SimpleNamespace:
            return f"{name}({', '.join(f'{key}={self.of(item)}' for key, item in vars(value).items())})"
        raise NotSelfContained(f"an object of {kind.__module__}.{kind.__qualname__}")


def is_definition(value: Any) -> bool:
    """Whether a value is named rather than written out: a class, a function, or what a decorator made of one."""
    plain = (type, types.FunctionType, types.BuiltinFunctionType, np.ufunc)
    return isinstance(value, plain) or isinstance(getattr(value, "__wrapped__", None), types.FunctionType)


def public_name(value: Any) -> str:
    """How `pypto` calls a value that is one of its own names or enumerations, empty for any other."""
    if isinstance(value, enum.Enum):
        kind = type(value)
        top = public_name(kind)
        if kind.__name__ == "DataType" and top:
            return f"pypto.{value.name}"
        if kind.__name__ == "StatusType" and kind.__module__.startswith("openpto"):
            return f"pypto.{value.name}"
        return f"{top}.{value.name}" if top else ""
    for module in ("pypto", "pypto.frontend", "pypto.experimental", "pypto.distributed"):
        found = sys.modules.get(module)
        name = getattr(value, "__name__", None)
        if found is not None and isinstance(name, str):
            for candidate in (name, name.rstrip("_")):
                if candidate and getattr(found, candidate, None) is value and value is not None:
                    return f"{module}.{candidate}"
    return ""
