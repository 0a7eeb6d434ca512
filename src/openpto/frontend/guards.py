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


Place = tuple[dict[str, Any], str, Any] | tuple[CellType, None, Any]
"""Where something was found and what it was: a table of names and the name in it, or a closure variable."""


@dataclass(frozen=True, slots=True, eq=False)
class Guard:
    """One name that was loaded; ``read`` gives its present value. ``constant`` is the value that the trace saw if it
    cannot change in itself; then ``places`` lead to it, and while each has what it had, the guard holds."""

    name: str
    read: Callable[[], Any]
    picture: Hashable
    constant: Any = _CHANGING
    places: tuple[Place, ...] = ()

    def holds(self) -> bool:
        """Whether the value is still what the trace saw."""
        value = self.read()
        return value is self.constant or bool(freeze(value) == self.picture)


@dataclass(frozen=True, slots=True, eq=False)
class FunctionGuard:
    """A function that was loaded, without attributes and with constants as defaults. ``places`` lead to it."""

    name: str
    read: Callable[[], Any]
    function: FunctionType
    code: CodeType
    defaults: tuple[Any, ...] | None
    places: tuple[Place, ...] = ()

    def holds(self) -> bool:
        """Whether the name still is the function that the trace saw, and that as it was."""
        return self.read() is self.function and is_as_it_was(self.function, self.code, self.defaults)


def is_as_it_was(function: FunctionType, code: CodeType, defaults: tuple[Any, ...] | None) -> bool:
    """Whether a function has this code and these defaults and nothing else."""
    return (
        function.__code__ is code
        and function.__defaults__ is defaults
        and function.__kwdefaults__ is None
        and not function.__dict__
    )


def guard(name: str, read: Callable[[], Any], places: tuple[Place, ...] = ()) -> Guard | FunctionGuard:
    """The guard of what ``read`` gives now; ``places`` lead to it."""
    value = read()
    if type(value) is FunctionType and _is_plain(value):
        return FunctionGuard(name, read, value, value.__code__, value.__defaults__, places)
    picture = freeze(value)
    if isinstance(picture, Identity) or type(value) in CONSTANTS:
        return Guard(name, read, picture, value, places)
    return Guard(name, read, picture)


def place_in(holder: dict[str, Any] | CellType, name: str) -> Place:
    """What a table has under a name, or a closure variable."""
    if isinstance(holder, dict):
        return holder, name, holder.get(name, _ABSENT)
    return holder, None, _cell_reader(holder)()


class Watch:
    """The guards of a trace, put so that a call checks them quickly: what is where it was is not asked again."""

    __slots__ = ("_all", "_cells", "_functions", "_others", "_places")

    def __init__(self, guards: Iterable[Any]) -> None:
        self._all = tuple(guards)
        self._places: tuple[tuple[dict[str, Any], str, Any], ...] = ()
        self._cells: tuple[tuple[CellType, Any], ...] = ()
        self._functions: list[tuple[FunctionType, CodeType, tuple[Any, ...] | None]] = []
        self._others: list[Any] = []
        found: dict[tuple[int, str | None], Place] = {}
        for each in self._all:
            places = getattr(each, "places", ())
            if not places or any(found.get((id(p[0]), p[1]), p)[2] is not p[2] for p in places):
                self._others.append(each)
                continue
            found.update({(id(p[0]), p[1]): p for p in places})
            if isinstance(each, FunctionGuard):
                self._functions.append((each.function, each.code, each.defaults))
        self._places = tuple((p[0], p[1], p[2]) for p in found.values() if p[1] is not None)
        self._cells = tuple((p[0], p[2]) for p in found.values() if p[1] is None)

    def holds(self) -> bool:
        """Whether every guard holds."""
        for space, name, value in self._places:
            if space.get(name, _ABSENT) is not value:
                return self._hold_by_content()
        try:
            for cell, value in self._cells:
                if cell.cell_contents is not value:
                    return self._hold_by_content()
        except ValueError:  # an empty one
            return self._hold_by_content()
        for function, code, defaults in self._functions:
            if not is_as_it_was(function, code, defaults):
                return False
        for each in self._others:  # noqa: SIM110 - runs at every call, and a generator costs more than the guards
            if not each.holds():
                return False
        return True

    def _hold_by_content(self) -> bool:
        return all(each.holds() for each in self._all)


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
                self._add(cells[path[0]], path)
            else:  # what is not there is a builtin until the author defines its name
                self._add(function.__globals__, path)

    def _add(self, holder: dict[str, Any] | CellType, path: tuple[str, ...]) -> None:
        """A dotted name, as far as it can be followed, that begins in a table or is a closure variable."""
        base = _global_reader(holder, path[0]) if isinstance(holder, dict) else _cell_reader(holder)
        followed = _followed(base(), path[1:])
        path = (path[0], *followed)
        if (id(holder), path) in self._seen:
            return
        self._seen.add((id(holder), path))
        read = _reader(base, followed)
        self.all.append(guard(".".join(path), read, _places(holder, path)))
        self.inside(read())

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
            self._add(cell, (free,))
        space = function.__globals__
        names = set(_names(function.__code__))
        for name in names & space.keys():
            value = space[name]
            self._add(space, (name,))
            if isinstance(value, ModuleType) and _is_users(value):
                for used in names & vars(value).keys():
                    self._add(space, (name, used))


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


def _places(holder: dict[str, Any] | CellType, path: tuple[str, ...]) -> tuple[Place, ...]:
    """Places that lead to a dotted name, each in the module before it; none if something else is on the way."""
    found = [place_in(holder, path[0])]
    for name in path[1:]:
        module = found[-1][2]
        if not isinstance(module, ModuleType) or name not in vars(module):
            return ()
        found.append(place_in(vars(module), name))
    return tuple(found)


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
