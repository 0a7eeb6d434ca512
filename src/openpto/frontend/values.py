"""What a name or a container slot can hold while a kernel is traced, and values taken apart leaf by leaf.

A *leaf* is a tensor, an integer (Python's or symbolic) or any other object. Tuples, lists, dicts, dataclasses and
plain objects of the user's classes are trees of leaves.
"""

from __future__ import annotations

import copy
import dataclasses
import enum
import sys
from collections import deque
from collections.abc import Callable, Container, Iterator, Mapping
from types import SimpleNamespace
from typing import Any, Final, NoReturn

import numpy as np

from openpto.diagnostics import Span, fail, file_origin
from openpto.diagnostics.source import display_path
from openpto.ir import expr as ex
from openpto.ir.expr import Expr
from openpto.language.symbolic import SymbolicScalar

Path = tuple[Any, ...]


class _Missing:
    """The value of a name that is not bound."""

    def __repr__(self) -> str:
        return "<unbound>"


MISSING: Final = _Missing()


class Poison:
    """Stands where no value can stand; every use of it is a coded error.

    ``fields`` go into the rule's text. ``loop`` is set for a name that is unbound in the first iteration only: using
    it makes that loop trace its first iteration apart.
    """

    __slots__ = ("code", "fields", "loop", "name")

    def __init__(self, code: str, name: str, loop: Any = None, **fields: Any) -> None:
        object.__setattr__(self, "code", code)
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "loop", loop)
        object.__setattr__(self, "fields", fields)

    def refuse(self, site: Any = None) -> NoReturn:
        """Raise the coded error."""
        fail(self.code, site=site, name=self.name, **self.fields)

    _refuse_no_value = refuse  # what the language asks of values that are no operands

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__") and name.endswith("__"):  # questions of Python's own machinery
            raise AttributeError(name)
        self.refuse()

    def __repr__(self) -> str:
        return f"<no value for {self.name}>"


def _refusing(self: Poison, *args: object, **kwargs: object) -> NoReturn:
    self.refuse()


_REFUSED = (
    "bool len iter next call index int float getitem setitem delitem contains add radd sub rsub mul rmul truediv "
    "rtruediv floordiv rfloordiv mod rmod pow matmul neg pos invert lt le gt ge eq ne enter exit setattr"
)
for _name in _REFUSED.split():
    setattr(Poison, f"__{_name}__", _refusing)
Poison.__hash__ = object.__hash__  # type: ignore[method-assign]


def unset(name: str, loop: Any = None) -> Poison:
    """The value of a name that nothing has bound (PTO120)."""
    return Poison("PTO120", name, loop)


def is_unset(value: object) -> bool:
    """Whether a name is not bound at all."""
    return value is MISSING or (isinstance(value, Poison) and value.code == "PTO120")


def place(span: Span | None) -> str:
    """``file:line`` for texts, as the header of a message writes it."""
    return f"{display_path(span.file)}:{span.line}" if span is not None else "an unknown line"


# -- leaves -----------------------------------------------------------------------------------------------------------


def is_tensor(value: object) -> bool:
    """Whether ``value`` is the language's Tensor."""
    return getattr(type(value), "_is_pypto_tensor", False) is True


def is_scalar(value: object) -> bool:
    """Whether ``value`` is an integer that can become a run-time int64 (bools too)."""
    return isinstance(value, (int, SymbolicScalar, np.integer, np.bool_)) and not isinstance(value, enum.Enum)


def is_float(value: object) -> bool:
    """Whether ``value`` is a float of Python or numpy."""
    return isinstance(value, (float, np.floating))


def is_symbolic(value: object) -> bool:
    """Whether ``value`` is an integer known only at run time."""
    return isinstance(value, SymbolicScalar) and not value.is_concrete()


def scalar_expr(value: Any) -> Expr:
    """The expression of an integer."""
    return value.expr if isinstance(value, SymbolicScalar) else ex.const(int(value))


MAX_SHOWN = 24
"""Characters of a number or text that is named by its value."""


def kind_of(value: object) -> str:
    """How texts call a value."""
    if value is MISSING or isinstance(value, Poison):
        return "no value"
    if is_tensor(value):
        return "a tensor"
    if value is None:
        return "None"
    if isinstance(value, (Picture, frozenset)):
        return "an array" if isinstance(value, Picture) else "a set"
    if type(value) in (bool, int, float, str) and len(repr(value)) <= MAX_SHOWN:
        return f"the {type(value).__name__} {value!r}"
    if is_scalar(value):
        return "an integer"
    return f"a {type(value).__name__}"


_PLAIN = (int, float, complex, str, bytes, bool, type(None), slice, range, frozenset, np.generic)


class Picture:
    """The contents of a numpy array at one point; pictures are equal only if they are one object."""

    __slots__ = ("data",)

    def __init__(self, array: np.ndarray[Any, Any]) -> None:
        self.data = array.copy()


def same(a: object, b: object) -> bool:
    """Whether two leaves are one and the same for the author: one tensor object, equal numbers or constants."""
    if a is b:
        return True
    if is_tensor(a) or is_tensor(b):
        return is_tensor(a) and is_tensor(b) and getattr(a, "var", a) is getattr(b, "var", b)
    if is_scalar(a) and is_scalar(b):
        return _scalar_key(a) == _scalar_key(b)
    if type(a) is not type(b):
        return False
    if isinstance(a, (float, np.floating)) and isinstance(b, (float, np.floating)):
        return bool(a == b or (a != a and b != b)) and bool(np.signbit(a) == np.signbit(b))
    if isinstance(a, _PLAIN):
        return bool(a == b)
    return False


def _scalar_key(value: Any) -> object:
    node = scalar_expr(value)
    known = node.concrete()
    return node if known is None else known


# -- trees ------------------------------------------------------------------------------------------------------------


def is_box(value: object) -> bool:
    """Whether ``value`` is a container that code can change in place: list, dict, set, dataclass, user's object."""
    return isinstance(value, (list, dict, deque, set, SimpleNamespace)) or is_user_object(value)


_user_types: dict[type, bool] = {}


def is_user_object(value: object) -> bool:
    """Whether ``value`` is an instance of an ordinary class that the user wrote."""
    cls = type(value)
    known = _user_types.get(cls)
    if known is None:
        known = _user_types.setdefault(cls, _is_user_type(cls))
    return known


def _is_user_type(cls: type) -> bool:
    if issubclass(cls, (type, enum.Enum, BaseException, Poison, tuple)) or getattr(cls, "_is_pypto_tensor", False):
        return False
    if "__dict__" not in dir(cls) and not dataclasses.is_dataclass(cls):
        return False
    module = sys.modules.get(cls.__module__)
    file = getattr(module, "__file__", None)
    if file is None:
        return cls.__module__ == "__main__" or module is None
    return file_origin(file) == "user"


def contents(box: Any) -> dict[Any, Any]:
    """The slots of a container: key to value."""
    if isinstance(box, (list, deque)):
        return dict(enumerate(box))
    if isinstance(box, dict):
        return dict(box)
    if isinstance(box, set):
        return {"members": frozenset(box)}
    if hasattr(box, "__dict__"):
        return dict(vars(box))
    return {f.name: getattr(box, f.name) for f in dataclasses.fields(box) if hasattr(box, f.name)}


def refill(box: Any, slots: Mapping[Any, Any]) -> None:
    """Give a container exactly these slots."""
    if isinstance(box, list):
        box[:] = slots.values()
    elif isinstance(box, deque):
        box.clear()
        box.extend(slots.values())
    elif isinstance(box, (dict, set)):
        box.clear()
        box.update(slots["members"] if isinstance(box, set) else slots)
    elif hasattr(box, "__dict__"):
        vars(box).clear()
        vars(box).update(slots)
    else:
        for name, value in slots.items():
            object.__setattr__(box, name, value)


def parts(value: object) -> dict[Any, Any] | None:
    """The children of a tree node, or None for a leaf."""
    if isinstance(value, tuple):
        return dict(enumerate(value))
    return contents(value) if is_box(value) else None


def leaves(value: object, path: Path = (), seen: frozenset[int] = frozenset()) -> Iterator[tuple[Path, Any]]:
    """All leaves with their paths."""
    children = parts(value)
    if children is None or id(value) in seen:
        yield path, value
        return
    for key, child in children.items():
        yield from leaves(child, (*path, key), seen | {id(value)})


class Mismatch(Exception):
    """Two trees do not have one structure."""

    def __init__(self, path: Path, a: object, b: object) -> None:
        super().__init__(path)
        self.path, self.a, self.b = path, a, b


Memory = Mapping[int, Mapping[Any, Any]]
"""Slots of containers, by id, as they were at an earlier point."""


def pair(
    a: object, b: object, memory: Memory, copies: Container[int] = (), path: Path = ()
) -> Iterator[tuple[Path, Any, Any]]:
    """Corresponding leaves of two trees that differ. ``memory`` tells what containers held when ``a`` was seen.

    Nodes that are one object are skipped, unless their ids are in ``copies``.

    Raises:
        Mismatch: the structures differ.
    """
    if a is b and id(a) not in copies:
        return
    ours = memory[id(a)] if id(a) in memory else parts(a)
    theirs = parts(b)
    if ours is None and theirs is None:
        yield path, a, b
        return
    if ours is None or theirs is None or type(a) is not type(b) or list(ours) != list(theirs) or len(path) > 50:
        raise Mismatch(path, a, b)
    for key, child in ours.items():
        yield from pair(child, theirs[key], memory, copies, (*path, key))


def rebuild(value: Any, replaced: Mapping[Path, Any], path: Path = ()) -> Any:
    """``value`` with some leaves replaced; containers on the way are copied, the original is left alone."""
    if path in replaced:
        return replaced[path]
    if not any(p[: len(path)] == path for p in replaced):
        return value
    children = parts(value)
    assert children is not None
    new = {key: rebuild(child, replaced, (*path, key)) for key, child in children.items()}
    if isinstance(value, tuple):
        make: Callable[..., Any] | None = getattr(type(value), "_make", None)
        return make(new.values()) if make is not None else tuple(new.values())
    other = copy.copy(value)
    refill(other, new)
    return other


def path_text(name: str, path: Path) -> str:
    """How an author would write a slot: ``state[0]``, ``box.h``."""
    text = name
    for key in path:
        text += f".{key}" if isinstance(key, str) and key.isidentifier() else f"[{key!r}]"
    return text
