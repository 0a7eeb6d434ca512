"""What a trace relied on outside of its arguments: globals and closure variables of kernel and helpers.

A guard is a picture of a value by content; if the picture changed, the next call traces again.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from types import CellType, FunctionType, ModuleType
from typing import Any

from .build import Rewritten
from .freeze import CONSTANTS, Identity, freeze

_ABSENT = object()


@dataclass(frozen=True, slots=True, eq=False)
class Guard:
    """One name that was loaded; ``read`` gives its present value. ``constant`` is the value that the trace saw if it
    cannot change in itself."""

    name: str
    read: Callable[[], Any]
    picture: Hashable
    constant: Any = _ABSENT

    def holds(self) -> bool:
        """Whether the value is still what the trace saw."""
        value = self.read()
        return value is self.constant or bool(freeze(value) == self.picture)


class Guards:
    """Guards of one trace, collected function by function before each first runs."""

    def __init__(self) -> None:
        self.all: list[Guard] = []
        self._seen: set[tuple[int, tuple[str, ...]]] = set()

    def note(self, function: FunctionType, code: Rewritten) -> None:
        """Take pictures of what ``function`` loads from outside."""
        cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
        for path in code.loaded:
            if path[0] in cells:
                self._add(id(cells[path[0]]), path, _reader(_cell_reader(cells[path[0]]), path[1:]))
            elif path[0] in function.__globals__:
                space = function.__globals__
                self._add(id(space), path, _reader(_global_reader(space, path[0]), path[1:]))

    def _add(self, owner: int, path: tuple[str, ...], read: Callable[[], Any]) -> None:
        if (owner, path) in self._seen:
            return
        self._seen.add((owner, path))
        value = read()
        if value is not _ABSENT:
            picture = freeze(value)
            constant = value if isinstance(picture, Identity) or type(value) in CONSTANTS else _ABSENT
            self.all.append(Guard(".".join(path), read, picture, constant))


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
    """Follow attributes as long as they belong to modules; what else has attributes is pictured whole."""
    if not attributes:
        return base

    def read() -> Any:
        value = base()
        for attribute in attributes:
            if not isinstance(value, ModuleType):
                return value
            value = vars(value).get(attribute, _ABSENT)
        return value

    return read
