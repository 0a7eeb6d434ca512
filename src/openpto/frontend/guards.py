"""What a trace relied on outside of its arguments: globals and closure variables of kernel and helpers.

A guard is a picture of a value by content; if the picture changed, the next call traces again. Functions are noted
when the trace calls them. What Python calls by itself, properties and methods such as ``__getattr__``, is not traced,
so what such methods load is noted with the objects that have them.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Hashable, Iterable, Iterator
from functools import partial
from types import CellType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

from openpto._records import dataclass

from .build import Rewritten
from .freeze import CONSTANTS, Identity, attributes, freeze, is_authors, with_bases
from .sites import is_user_file

_ABSENT = object()
_CHANGING = object()


@dataclass(frozen=True, slots=True, eq=False)
class Guard:
    """One name that was loaded; ``read`` gives its present value. ``constant`` is the value that the trace saw if it
    cannot change in itself."""

    name: str
    read: Callable[[], Any]
    picture: Hashable
    constant: Any = _CHANGING

    def holds(self) -> bool:
        """Whether the value is still what the trace saw."""
        value = self.read()
        return value is self.constant or bool(freeze(value) == self.picture)


@dataclass(frozen=True, slots=True, eq=False)
class FunctionGuard:
    """A function that was loaded, without attributes and with constants as defaults."""

    name: str
    read: Callable[[], Any]
    function: FunctionType
    code: CodeType
    defaults: tuple[Any, ...] | None

    def holds(self) -> bool:
        """Whether the name still is the function that the trace saw, and that as it was."""
        value = self.read()
        return (
            value is self.function
            and value.__code__ is self.code
            and value.__defaults__ is self.defaults
            and value.__kwdefaults__ is None
            and not value.__dict__
        )


def _is_plain(function: FunctionType) -> bool:
    constants = all(type(value) in CONSTANTS for value in function.__defaults__ or ())
    return constants and function.__kwdefaults__ is None and not function.__dict__


def _implicit(kind: type) -> Iterator[FunctionType]:
    """Functions of the author's classes that Python calls by itself."""
    for base in with_bases(kind):
        if is_authors(base):
            for name, member in vars(base).items():
                called = getattr(member, "fget", getattr(member, "func", member))
                if type(called) is FunctionType and (called is not member or name.startswith("__")):
                    yield called


def _parts(value: Any) -> Iterable[Any]:
    """What an object consists of that the author may have written."""
    if isinstance(value, (list, tuple, set, frozenset)):
        return value
    if isinstance(value, dict):
        return value.values()
    if isinstance(value, partial):
        return value.func, *value.args, *value.keywords.values()
    if isinstance(value, MethodType):
        return value.__func__, value.__self__
    return attributes(value).values() if is_authors(type(value)) else ()


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


class Guards:
    """Guards of one trace, collected function by function before each first runs."""

    def __init__(self) -> None:
        self.all: list[Guard | FunctionGuard] = []
        self._seen: set[tuple[int, tuple[str, ...]]] = set()
        self._walked: dict[int, Any] = {}  # objects by their address, kept so that it is not used again
        self._traced: set[int] = set()
        self._loaded: list[FunctionType] = []

    def note(self, function: FunctionType, code: Rewritten) -> None:
        """Take pictures of what ``function``, which is traced, loads from outside."""
        self._traced.add(id(function))
        cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
        for path in code.loaded:
            if path[0] in cells:
                owner, base = id(cells[path[0]]), _cell_reader(cells[path[0]])
            else:  # what is not there is a builtin until the author defines its name
                owner, base = id(function.__globals__), _global_reader(function.__globals__, path[0])
            followed = _followed(base(), path[1:])
            self._add(owner, (path[0], *followed), _reader(base, followed))

    def _add(self, owner: int, path: tuple[str, ...], read: Callable[[], Any]) -> None:
        if (owner, path) in self._seen:
            return
        self._seen.add((owner, path))
        value = read()
        if type(value) is FunctionType and _is_plain(value):
            self.all.append(FunctionGuard(".".join(path), read, value, value.__code__, value.__defaults__))
            self.inside(value)
            return
        picture = freeze(value)
        constant = value if isinstance(picture, Identity) or type(value) in CONSTANTS else _CHANGING
        self.all.append(Guard(".".join(path), read, picture, constant))
        self.inside(value)

    def inside(self, value: Any) -> None:
        """Note what the methods load that Python calls by itself, of an object and of all that it consists of."""
        waiting = [value]
        while waiting:
            item = waiting.pop()
            if type(item) in CONSTANTS or id(item) in self._walked:
                continue
            self._walked[id(item)] = item
            if type(item) is FunctionType:
                self._loaded.append(item)
                continue
            for function in _implicit(item if isinstance(item, type) else type(item)):
                self.note_untraced(function)
            waiting.extend(_parts(item))

    def finished(self) -> list[Guard | FunctionGuard]:
        """All guards, once the trace is done: functions that it has loaded and not traced may have been called by
        others, such as the key of a sort."""
        while self._loaded:
            function = self._loaded.pop()
            if id(function) not in self._traced and is_user_file(function.__code__.co_filename):
                self.note_untraced(function)
        return self.all

    def note_untraced(self, function: FunctionType) -> None:
        """Take pictures of what a function loads that runs as it is."""
        if id(function) in self._traced:
            return
        self._traced.add(id(function))
        for free, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
            self._add(id(cell), (free,), _cell_reader(cell))
        space = function.__globals__
        names = set(_names(function.__code__))
        for name in names & space.keys():
            read, value = _global_reader(space, name), space[name]
            self._add(id(space), (name,), read)
            if isinstance(value, ModuleType) and _is_users(value):
                for used in names & vars(value).keys():
                    self._add(id(space), (name, used), _reader(read, (used,)))


def _global_reader(space: dict[str, Any], name: str) -> Callable[[], Any]:
    return lambda: space.get(name, _ABSENT)


def _cell_reader(cell: CellType) -> Callable[[], Any]:
    def read() -> Any:
        try:
            return cell.cell_contents
        except ValueError:
            return _ABSENT

    return read


def _reader(base: Callable[[], Any], attributes: tuple[str, ...]) -> Callable[[], Any]:
    """Follow attributes as long as they belong to modules and classes; what else has attributes is pictured whole."""
    if not attributes:
        return base
    known, only = base(), attributes[0]
    contents = vars(known) if isinstance(known, ModuleType) and len(attributes) == 1 else None

    def read() -> Any:
        value = base()
        if value is known and contents is not None and only in contents:  # nearly always
            return contents[only]
        for attribute in attributes:
            found = _attribute(value, attribute)
            if found is _ABSENT:
                return _ABSENT if isinstance(value, ModuleType) else value
            value = found
        return value

    return read


def _followed(value: Any, attributes: tuple[str, ...]) -> tuple[str, ...]:
    """The first of ``attributes``, as far as they can be followed."""
    for count, attribute in enumerate(attributes):
        found = _attribute(value, attribute)
        if found is _ABSENT:
            return attributes[: count + isinstance(value, ModuleType)]
        value = found
    return attributes


def _attribute(value: Any, name: str) -> Any:
    if isinstance(value, ModuleType):
        return _of_module(value, name)
    return _member(value, name) if isinstance(value, type) else _ABSENT


def _of_module(module: ModuleType, name: str) -> Any:
    """What a module has under a name; the author's may make it when it is asked for."""
    found = vars(module).get(name, _ABSENT)
    if found is _ABSENT and "__getattr__" in vars(module) and _is_users(module):
        return getattr(module, name, _ABSENT)
    return found


def _is_users(module: ModuleType) -> bool:
    return is_user_file(getattr(module, "__file__", None) or "")


def _member(kind: type, name: str) -> Any:
    """What a class has under a name, if that is read without calling anything."""
    if issubclass(kind, enum.Enum):
        return kind._member_map_.get(name, _ABSENT)
    if type(kind) is not type:
        return _ABSENT
    for base in kind.__mro__:
        member = vars(base).get(name, _ABSENT)
        if member is not _ABSENT:
            member = member.__func__ if type(member) is staticmethod else member
            plain = type(member) is FunctionType or not hasattr(type(member), "__get__")
            return member if plain else _ABSENT
    return _ABSENT
