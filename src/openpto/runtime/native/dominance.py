"""Which slots can be registers.

Purpose: a slot that is set in one place, before and around all its reads, needs no memory; LLVM then sees plain values.
Precondition: a complete program. Postcondition: names of such integer slots and pointer slots.
Non-goals: slots that loops or branches change; they stay in memory.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

from .loopir import For, If, Point, Program, Ptr, Reserve, Set, Slot, Stmt


def registers(program: Program) -> tuple[frozenset[str], frozenset[str]]:
    """(integer slots, pointer slots) that are set once, where every read can see it."""
    sets: Counter[str] = Counter()
    points: Counter[str] = Counter()
    _count(program.body, sets, points)
    hidden = _Walk(set(program.sizes), {*program.params, "arena", "flag"})
    hidden.body(program.body)
    slots = {n for n, k in sets.items() if k == 1 and n not in program.sizes} | {
        n for n in program.sizes if n not in sets
    }
    pointers = {n for n, k in points.items() if k == 1} | {*program.params, "arena", "flag"}
    return frozenset(slots - hidden.slots), frozenset((pointers - hidden.pointers) - _twice(program, points))


def _twice(program: Program, points: Counter[str]) -> set[str]:
    """Parameters and fixed pointers that the program sets again."""
    return {n for n in (*program.params, "arena", "flag") if n in points}


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
                self.reads((stmt.start, stmt.stop, stmt.step))
                fresh = stmt.var not in self.seen_slots
                self.seen_slots.add(stmt.var)
                self.body(stmt.body)
                if fresh:
                    self.seen_slots.discard(stmt.var)
                continue
            if isinstance(stmt, If):
                self.reads(stmt.cond)
                self.body(stmt.then)
                self.body(stmt.other)
                continue
            self.reads(stmt)
            if isinstance(stmt, Set):
                self._add(self.seen_slots, stmt.slot, added)
            elif isinstance(stmt, (Point, Reserve)):
                self._add(self.seen_pointers, stmt.slot, added)
        for where, name in added:
            where.discard(name)

    @staticmethod
    def _add(where: set[str], name: str, added: list[tuple[set[str], str]]) -> None:
        if name not in where:
            where.add(name)
            added.append((where, name))

    def reads(self, node: Any) -> None:
        for item in _leaves(node):
            if isinstance(item, Slot):
                if item.name not in self.seen_slots:
                    self.slots.add(item.name)
            elif item.base not in self.seen_pointers:
                self.pointers.add(item.base)


def _leaves(node: Any) -> Iterator[Slot | Ptr]:
    """Slots and pointers inside a statement or expression; scalar expressions of lanes have none."""
    stack = [node]
    while stack:
        item = stack.pop()
        if isinstance(item, Slot):
            yield item
        elif isinstance(item, tuple):
            stack.extend(item)
        elif is_dataclass(item):
            if isinstance(item, Ptr):
                yield item
            stack.extend(getattr(item, f.name) for f in fields(item))
