"""One container under two objects: where a loop or branch had to copy a Python container.

A list that two branches leave in a name, or that a loop hands on with new entries, is rebuilt as a new object. For the
author it still is the list that other names, or entries of other containers, may hold too. As long as nothing changes
in place the difference cannot be seen; when one of the relatives is changed while another is still within reach, the
kernel is refused (PTO146).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from openpto._records import dataclass
from openpto.diagnostics import Site

from .memory import Box, unchanged
from .values import is_box, parts


@dataclass(eq=False)
class Family:
    """Relatives within reach and what they held when they became relatives."""

    members: list[Box]
    name: str
    site: Site

    def has_changed(self) -> bool:
        """Whether one of them was changed in place since."""
        return any(not unchanged(box.before, box.now()) for box in self.members)


class Kinship:
    """All copies of containers in one trace."""

    def __init__(self) -> None:
        self.families: list[Family] = []
        self._kin: dict[int, list[Any]] = {}
        self._new: list[tuple[Any, str, Site]] = []

    @property
    def is_unsettled(self) -> bool:
        """Whether copies were made that ``settle`` has not looked at."""
        return bool(self._new)

    def copied(self, copy: Any, originals: Iterable[Any], name: str, site: Site) -> None:
        """``copy`` stands for one of ``originals``, entry by entry."""
        for original in originals:
            self._relate(copy, original, name, site)

    def _relate(self, copy: Any, original: Any, name: str, site: Site) -> None:
        ours, theirs = parts(copy), parts(original)
        if copy is original or ours is None or theirs is None:
            return
        if is_box(copy) and is_box(original):
            group = self._kin.get(id(original), [original])
            group += [m for m in self._kin.get(id(copy), [copy]) if not any(m is known for known in group)]
            for member in group:
                self._kin[id(member)] = group
            self._new.append((copy, name, site))
        for key in ours.keys() & theirs.keys():
            self._relate(ours[key], theirs[key], name, site)

    def settle(self, reach: Callable[[], list[Box]]) -> None:
        """The names hold the copies now: note which relatives are still within reach of the author's code."""
        if not self._new:
            return
        new, self._new = self._new, []
        within = {id(box.container): box for box in reach()}
        for copy, name, site in new:
            members = [within[id(m)] for m in self._kin[id(copy)] if id(m) in within]
            if len(members) > 1:
                self.families.append(Family(members, name, site))

    def mark(self) -> int:
        """Where the list of families stands; see ``changed`` and ``back_to``."""
        return len(self.families)

    def changed(self, since: int = 0) -> Family | None:
        """A family (of those noted since a mark) of which one member was changed."""
        return next((family for family in self.families[since:] if family.has_changed()), None)

    def back_to(self, mark: int) -> None:
        """Forget families that were noted in a region that has ended."""
        del self.families[mark:]
        self._new = []
