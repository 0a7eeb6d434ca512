"""What a body of statements takes from outside, sets, and hands from one run of it to the next."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet

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
        if isinstance(node, int):
            return
        for part in parts_of(node):
            if isinstance(part, Slot) and part.name not in self.slots:
                self.flow.taken_slots.setdefault(part.name)
            elif isinstance(part, Peek):
                self.base(part.at.base)

    def pointer(self, at: Ptr) -> None:
        self.base(at.base)
        self.index(at.offset)

    def base(self, name: str) -> None:
        if name not in self.pointers:
            self.flow.taken_pointers.setdefault(name)


def indices_of(stmt: Stmt) -> Iterator[Index]:
    """The integers that a statement reads before anything in it runs."""
    if isinstance(stmt, (Set, Poke)):
        yield stmt.value
    elif isinstance(stmt, For):
        yield from (stmt.start, stmt.stop, stmt.step)
    elif isinstance(stmt, Region):
        yield from (stmt.count, stmt.grain, stmt.shared)
    elif isinstance(stmt, If):
        yield stmt.cond
    elif isinstance(stmt, Check):
        yield from (stmt.ok, *stmt.values)
    elif isinstance(stmt, Note):
        yield from stmt.values
    elif isinstance(stmt, Out):
        yield stmt.value
    elif isinstance(stmt, Reserve):
        yield stmt.size
    elif isinstance(stmt, Call):
        yield from (a for a in stmt.args if not isinstance(a, Ptr))
    elif isinstance(stmt, Vector):
        yield stmt.count
        yield from (p.stride for p in stmt.body if isinstance(p, (Load, Store)))
        yield from (p.value for p in stmt.body if isinstance(p, Splat))
        yield from (p.stream for p in stmt.body if isinstance(p, Store))


def pointers_of(stmt: Stmt) -> Iterator[Ptr]:
    """The addresses that a statement uses, those of inner bodies left out."""
    if isinstance(stmt, Point):
        yield stmt.to
    elif isinstance(stmt, Poke):
        yield stmt.at
    elif isinstance(stmt, Call):
        yield from (a for a in stmt.args if isinstance(a, Ptr))
    elif isinstance(stmt, Note):
        yield from stmt.memory
    elif isinstance(stmt, Vector):
        yield from (p.at for p in stmt.body if isinstance(p, (Load, Store, Fetch)))
        yield from (a.out for a in stmt.accs)
