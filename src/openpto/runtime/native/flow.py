"""What a body of statements takes from outside, sets, and hands from one run of it to the next."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

from openpto._records import dataclass, field

from .loopir import (
    Call,
    Check,
    Fetch,
    For,
    If,
    Index,
    Load,
    Note,
    Out,
    Peek,
    Point,
    Poke,
    Ptr,
    Region,
    Reserve,
    Set,
    Slot,
    Splat,
    Stmt,
    Store,
    Vector,
    parts_of,
)


@dataclass(slots=True)
class Flow:
    """Slots and pointer slots of a body: those read before the body certainly has set them, in order of appearance,
    and those that it sets."""

    taken_slots: dict[str, None] = field(default_factory=dict)
    taken_pointers: dict[str, None] = field(default_factory=dict)
    set_slots: set[str] = field(default_factory=set)
    set_pointers: set[str] = field(default_factory=set)

    @staticmethod
    def of(body: Iterable[Stmt], known: AbstractSet[str] = frozenset()) -> Flow:
        """The flow of ``body`` where the slots ``known`` are set for it."""
        flow = Flow()
        _Walk(flow, set(known), {"flag"}).block(body)
        return flow

    @property
    def carried_slots(self) -> frozenset[str]:
        """Slots that a run of the body may find as an earlier run left them."""
        return frozenset(self.taken_slots.keys() & self.set_slots)

    @property
    def carried_pointers(self) -> frozenset[str]:
        """The same for pointer slots."""
        return frozenset(self.taken_pointers.keys() & self.set_pointers)


@dataclass(slots=True)
class _Walk:
    """``slots`` and ``pointers`` are certainly set here."""

    flow: Flow
    slots: set[str]
    pointers: set[str]

    def block(self, body: Iterable[Stmt]) -> None:
        for stmt in body:
            self.statement(stmt)

    def statement(self, stmt: Stmt) -> None:
        for node in indices_of(stmt):
            if not isinstance(node, int):
                self.index(node)
        for at in pointers_of(stmt):
            self.pointer(at)
        if isinstance(stmt, Set):
            self.flow.set_slots.add(stmt.slot)
            self.slots.add(stmt.slot)
        elif isinstance(stmt, Note) and stmt.answer:
            self.flow.set_slots.add(stmt.answer)
            self.slots.add(stmt.answer)
        elif isinstance(stmt, (Point, Reserve)):
            self.flow.set_pointers.add(stmt.slot)
            self.pointers.add(stmt.slot)
        elif isinstance(stmt, (For, Region)):
            self.nested(stmt.body, stmt.var)
            if isinstance(stmt, Region):
                self.flow.set_slots.update(stmt.counters)
        elif isinstance(stmt, If):
            then, other = self.branch(stmt.then), self.branch(stmt.other)
            self.slots = then.slots & other.slots
            self.pointers = then.pointers & other.pointers

    def nested(self, body: Iterable[Stmt], var: str) -> None:
        """A body that may not run at all."""
        _Walk(self.flow, {*self.slots, var}, set(self.pointers)).block(body)

    def branch(self, body: Iterable[Stmt]) -> _Walk:
        """One of two ways."""
        side = _Walk(self.flow, set(self.slots), set(self.pointers))
        side.block(body)
        return side

    def index(self, node: Index) -> None:
        for part in parts_of(node):
            if isinstance(part, Slot):
                if part.name not in self.slots:
                    self.flow.taken_slots.setdefault(part.name)
            elif isinstance(part, Peek):
                self.base(part.at.base)

    def pointer(self, at: Ptr) -> None:
        if at.base not in self.pointers:
            self.flow.taken_pointers.setdefault(at.base)
        if not isinstance(at.offset, int):
            self.index(at.offset)

    def base(self, name: str) -> None:
        if name not in self.pointers:
            self.flow.taken_pointers.setdefault(name)


def indices_of(stmt: Stmt) -> Sequence[Index]:
    """The integers that a statement reads before anything in it runs."""
    reads = _INDICES.get(type(stmt))
    return reads(stmt) if reads is not None else ()


def pointers_of(stmt: Stmt) -> Sequence[Ptr]:
    """The addresses that a statement uses, those of inner bodies left out."""
    reads = _POINTERS.get(type(stmt))
    return reads(stmt) if reads is not None else ()


def _of_vector(stmt: Vector) -> list[Index]:
    found: list[Index] = [stmt.count]
    for part in stmt.body:
        if isinstance(part, Load):
            found.append(part.stride)
        elif isinstance(part, Store):
            found += (part.stride, part.stream)
        elif isinstance(part, Splat):
            found.append(part.value)
    return found


_INDICES: Mapping[type, Callable[[Any], Sequence[Index]]] = {
    Set: lambda stmt: (stmt.value,),
    Poke: lambda stmt: (stmt.value,),
    For: lambda stmt: (stmt.start, stmt.stop, stmt.step),
    Region: lambda stmt: (stmt.count, stmt.grain, stmt.shared),
    If: lambda stmt: (stmt.cond,),
    Check: lambda stmt: (stmt.ok, *stmt.values),
    Note: lambda stmt: stmt.values,
    Out: lambda stmt: (stmt.value,),
    Reserve: lambda stmt: (stmt.size,),
    Call: lambda stmt: [a for a in stmt.args if not isinstance(a, Ptr)],
    Vector: _of_vector,
}
_POINTERS: Mapping[type, Callable[[Any], Sequence[Ptr]]] = {
    Point: lambda stmt: (stmt.to,),
    Poke: lambda stmt: (stmt.at,),
    Call: lambda stmt: [a for a in stmt.args if isinstance(a, Ptr)],
    Note: lambda stmt: stmt.memory,
    Vector: lambda stmt: [
        *[p.at for p in stmt.body if isinstance(p, (Load, Store, Fetch))],
        *[a.out for a in stmt.accs],
    ],
}
