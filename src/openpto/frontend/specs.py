"""What the rewriter found out about a statement and hands to the machine at trace time."""

from __future__ import annotations

from collections.abc import Mapping

from openpto._records import dataclass
from openpto.diagnostics import Span


@dataclass(frozen=True, slots=True)
class LoopSpec:
    """A ``for`` statement.

    names    stored in the body and live at its head or after the loop, in the order of the rewritten assignments
    targets  names of the loop target; index: the one that holds the index, "" if the target is no name
    inside   names live at the head of the body; after: names live after the loop; read: those read by what follows
    counters names that the body computes from themselves (``n += 1``)
    pattern  number of names the target unpacks, 0 for a single name
    called   whether the iterable is written as a call
    jumps    break, continue and return that would leave the body
    stores   where each name is first stored; ends: where it is last stored
    """

    span: Span
    names: tuple[str, ...]
    targets: tuple[str, ...]
    index: str
    inside: frozenset[str]
    after: frozenset[str]
    read: frozenset[str]
    counters: frozenset[str]
    pattern: int
    called: bool
    jumps: tuple[tuple[str, Span], ...]
    stores: Mapping[str, Span]
    ends: Mapping[str, Span]


@dataclass(frozen=True, slots=True)
class BranchSpec:
    """An ``if`` statement.

    names   stored in a branch and needed in the other or afterwards; after: those needed afterwards
    marked  whether the test is written ``pypto.cond(...)``
    jumps   break, continue and return that would leave the statement
    then, other   where each branch stores a name first; ends: where each stores it last
    """

    span: Span
    names: tuple[str, ...]
    after: frozenset[str]
    marked: bool
    jumps: tuple[tuple[str, Span], ...]
    then: Mapping[str, Span]
    other: Mapping[str, Span]
    ends: tuple[Mapping[str, Span], Mapping[str, Span]]
