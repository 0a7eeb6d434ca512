"""Containers that traced code can change in place: found, remembered, compared, put back.

A region of run-time control flow must not change a Python container for good while it is only being traced. Before a
region the containers within reach are noted as ``Box``es; afterwards changed slots are carried or merged.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from types import FrameType
from typing import Any

import numpy as np

from openpto._records import dataclass

from .values import Picture, Poison, contents, is_box, is_symbolic, is_tensor, leaves, parts, refill


@dataclass(eq=False)
class Box:
    """A container and its slots as they were; ``name`` is how the author reaches it. A numpy array counts as a
    container of one slot, its contents."""

    container: Any
    before: dict[Any, Any]
    name: str

    def now(self) -> dict[Any, Any]:
        """The slots as they are."""
        if isinstance(self.container, np.ndarray):
            known = self.before["contents"].data
            same = np.array_equal(known, self.container, equal_nan=known.dtype.kind in "fc")
            return self.before if same else {"contents": Picture(self.container)}
        return contents(self.container)

    def slot_name(self, key: Any) -> str:
        """How the author writes a slot."""
        if isinstance(self.container, (np.ndarray, set)):
            return self.name
        plain = not isinstance(self.container, (list, dict, deque, tuple))
        return f"{self.name}.{key}" if plain else f"{self.name}[{key!r}]"

    def restore(self) -> None:
        """Put the remembered slots back."""
        refill_changed(self, self.before)


def unchanged(a: dict[Any, Any], b: dict[Any, Any]) -> bool:
    """Whether two sets of slots hold the same objects."""
    return len(a) == len(b) and all(key in b and b[key] is value for key, value in a.items())


def refill_changed(box: Box, slots: dict[Any, Any]) -> None:
    """Give a container these slots if it does not hold them already."""
    if unchanged(slots, box.now()):
        return
    if not isinstance(box.container, np.ndarray):
        refill(box.container, slots)
    elif isinstance(slots["contents"], Poison):
        slots["contents"].refuse()
    else:
        box.container[...] = slots["contents"].data


def completed(box: Box, slots: dict[Any, Any], others: dict[Any, Any]) -> dict[Any, Any]:
    """``slots`` of an object with attributes that only ``others`` have, if those hold nothing of the program (values
    that a property computed once)."""
    if isinstance(box.container, (list, dict)) or len(others) <= len(slots):
        return slots
    added = {key: value for key, value in others.items() if key not in slots}
    if any(is_tensor(leaf) or is_symbolic(leaf) for _, leaf in leaves(tuple(added.values()))):
        return slots
    return {key: slots.get(key, value) for key, value in others.items()}


def boxes(roots: Iterable[tuple[str, Any]]) -> list[Box]:
    """All containers within reach of named values, each once."""
    found: list[Box] = []
    seen: set[int] = set()
    stack = list(roots)
    stack.reverse()
    while stack:
        name, value = stack.pop()
        if isinstance(value, Poison) or id(value) in seen:
            continue
        children = {"contents": Picture(value)} if isinstance(value, np.ndarray) else parts(value)
        if children is None:
            continue
        seen.add(id(value))
        box = Box(value, children, name)
        if is_box(value) or isinstance(value, np.ndarray):
            found.append(box)
        stack.extend((box.slot_name(key), child) for key, child in children.items())
    return found


def roots(frames: Iterable[FrameType]) -> Iterator[tuple[str, Any]]:
    """Named values that running functions can reach: locals, closure variables, and globals that they name."""
    for frame in frames:
        for name, value in frame.f_locals.items():
            if not name.endswith("__"):
                yield name, value
        space = frame.f_globals
        for name in frame.f_code.co_names:
            if name in space:
                yield name, space[name]
