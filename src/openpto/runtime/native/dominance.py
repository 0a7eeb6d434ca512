"""Which slots can be registers.

Purpose: a slot that is set in one place, before and around all its reads, needs no memory; LLVM then sees plain values.
Precondition: a complete program. Postcondition: names of such integer slots and pointer slots.
Non-goals: slots that loops or branches change; they stay in memory.
"""

from __future__ import annotations

from collections import Counter

from .flow import indices_of, pointers_of
from .loopir import For, If, Index, Peek, Point, Program, Region, Reserve, Set, Slot, Stmt, parts_of


def registers(program: Program) -> tuple[frozenset[str], frozenset[str]]:
    """(integer slots, pointer slots) that are set once, where every read can see it."""
    sets: Counter[str] = Counter()
    points: Counter[str] = Counter()
    _count(program.body, sets, points)
    hidden = _Walk(set(program.sizes), {*program.params, "arena", "flag", "local"})
    hidden.body(program.body)
    slots = {n for n, k in sets.items() if k == 1 and n not in program.sizes} | {
        n for n in program.sizes if n not in sets
    }
    pointers = {n for n, k in points.items() if k == 1} | {*program.params, "arena", "flag", "local"}
    return frozenset(slots - hidden.slots), frozenset((pointers - hidden.pointers) - _twice(program, points))


def _twice(program: Program, points: Counter[str]) -> set[str]:
    """Parameters and fixed pointers that the program sets again."""
    return {n for n in (*program.params, "arena", "flag", "local") if n in points}


def _count(body: tuple[Stmt, ...], sets: Counter[str], points: Counter[str]) -> None:
    for stmt in body:
        if isinstance(stmt, Set):
            sets[stmt.slot] += 1
        elif isinstance(stmt, (Point, Reserve)):
            points[stmt.slot] += 1
        elif isinstance(stmt, For):
            _count(stmt.body, sets, points)
        elif isinstance(stmt, If):
            _count(stmt.then, sets, points)
            _count(stmt.other, sets, points)
        elif isinstance(stmt, Region):
            sets.update(stmt.counters)


class _Walk:
    """Finds reads that the set of their slot does not dominate."""

    def __init__(self, slots: set[str], pointers: set[str]) -> None:
        self.seen_slots, self.seen_pointers = slots, pointers
        self.slots: set[str] = set()
        self.pointers: set[str] = set()

    def body(self, body: tuple[Stmt, ...]) -> None:
        added: list[tuple[set[str], str]] = []
        for stmt in body:
            if isinstance(stmt, For):
                self.reads(stmt)
                fresh = stmt.var not in self.seen_slots
                self.seen_slots.add(stmt.var)
                self.body(stmt.body)
                if fresh:
                    self.seen_slots.discard(stmt.var)
                continue
            if isinstance(stmt, If):
                self.reads(stmt)
                self.body(stmt.then)
                self.body(stmt.other)
                continue
            if isinstance(stmt, Region):
                self.region(stmt)
                continue
            self.reads(stmt)
            if isinstance(stmt, Set):
                self._add(self.seen_slots, stmt.slot, added)
            elif isinstance(stmt, (Point, Reserve)):
                self._add(self.seen_pointers, stmt.slot, added)
        for where, name in added:
            where.discard(name)

    def region(self, stmt: Region) -> None:
        """A region reads what its body takes; its own slots are another function's."""
        self.reads(stmt)
        for name in (*stmt.slots, *stmt.counters):
            self.index(Slot(name))
        for base in stmt.pointers:
            self.pointer(base)

    @staticmethod
    def _add(where: set[str], name: str, added: list[tuple[set[str], str]]) -> None:
        if name not in where:
            where.add(name)
            added.append((where, name))

    def reads(self, stmt: Stmt) -> None:
        """What a statement reads, inner bodies left out."""
        for node in indices_of(stmt):
            self.index(node)
        for at in pointers_of(stmt):
            self.pointer(at.base)
            self.index(at.offset)

    def index(self, node: Index) -> None:
        """The reads of an integer expression."""
        if isinstance(node, int):
            return
        for part in parts_of(node):
            if isinstance(part, Slot) and part.name not in self.seen_slots:
                self.slots.add(part.name)
            elif isinstance(part, Peek):
                self.pointer(part.at.base)

    def pointer(self, base: str) -> None:
        """The read of a pointer slot."""
        if base not in self.seen_pointers:
            self.pointers.add(base)
