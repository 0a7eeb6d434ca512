"""Faults and notes of compiled code: numbers in the program, full diagnostics in Python.

A site is a place in the program that can stop it (``Check``) or report something (a note). Compiled code hands over
the site's number and further integers: the values that the message shows, then the indices of the loops around it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NoReturn, Protocol

from openpto._records import dataclass
from openpto.diagnostics import Site, fault, portability, warn
from openpto.ir.nodes import Loop
from openpto.runtime.places import place
from openpto.runtime.ranks import Session

Fields = Callable[..., dict[str, Any]]


class Host(Protocol):
    """What compiled code finds outside of itself while it runs."""

    def ranks(self, op: str, site: Site) -> Session:
        """The communication of this call with other ranks, which the first ``op`` begins."""


Action = Callable[[Host, Site, Sequence[int], Sequence[int]], "int | None"]
"""What the host does, given its place, values and addresses; the answer goes back to compiled code."""


@dataclass(frozen=True, slots=True)
class SiteEntry:
    """``fields`` makes the message's fields from the first ``count`` values; the rest are indices of ``loops``."""

    code: str
    site: Site
    loops: tuple[Loop, ...]
    fields: Fields
    count: int
    kind: str = "fault"  # or "warn", "portability", "hole N", "store N", "race ...", "host"
    op: int = 0
    action: Action | None = None  # of kind "host"; ``code`` names the operation


class Sites:
    """All sites of a program."""

    def __init__(self) -> None:
        self.entries: list[SiteEntry] = []

    def add(self, entry: SiteEntry) -> int:
        """Its number."""
        self.entries.append(entry)
        return len(self.entries) - 1

    def raise_fault(self, record: Sequence[int]) -> NoReturn:
        """Raise what compiled code found."""
        entry = self.entries[record[0]]
        values = record[1 : 1 + entry.count]
        fault(entry.code, site=located(entry, record), **entry.fields(*values))

    def note(self, record: Sequence[int], seen: set[tuple[str, int]]) -> None:
        """Report what compiled code noticed; once per statement."""
        entry = self.entries[record[0]]
        if (entry.code, entry.op) in seen:
            return
        seen.add((entry.code, entry.op))
        values = record[1 : 1 + entry.count]
        tell = portability if entry.kind == "portability" else warn
        tell(entry.code, site=located(entry, record), **entry.fields(*values))


def located(entry: SiteEntry, record: Sequence[int]) -> Site:
    """The site with the values of the loop indices filled in."""
    indices = record[1 + entry.count : 1 + entry.count + len(entry.loops)]
    return place(entry.site, list(zip(entry.loops, indices, strict=True)))
