"""What a mutator is, and the list of all of them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from openpto_gym.mutation.source import Site, Source


class Change(NamedTuple):
    """One change of a text: the part from ``begin`` to ``end`` becomes ``text``."""

    begin: int
    end: int
    text: str


Find = Callable[[Source, Site], Iterator[Change]]


@dataclass(frozen=True, slots=True)
class Mutator:
    """A rule that plants one kind of fault wherever its pattern occurs.

    ``kind`` is the fault in the words of a report; several mutators may plant faults of one kind.
    """

    name: str
    kind: str
    meaning: str
    find: Find


MUTATORS: dict[str, Mutator] = {}


def mutator(kind: str) -> Callable[[Find], Find]:
    """Register a function as the mutator of its name; the first line of its doc string is its meaning."""

    def register(find: Find) -> Find:
        assert find.__doc__ is not None
        MUTATORS[find.__name__] = Mutator(find.__name__, kind, find.__doc__.splitlines()[0], find)
        return find

    return register


def instead(source: Source, node: ast.expr | ast.stmt, text: str) -> Change:
    """The change that puts a text in the place of a node."""
    return Change(*source.span(node), text)


def swapped(source: Source, one: ast.expr, other: ast.expr) -> Change:
    """The change that lets two nodes, the first one before the second, change places."""
    (begin, middle), (later, end) = source.span(one), source.span(other)
    return Change(begin, end, source.of(other) + source.text[middle:later] + source.of(one))
