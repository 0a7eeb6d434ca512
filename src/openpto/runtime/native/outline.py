"""Element loops as functions of their own.

Purpose: a kernel repeats the same loop over other memory many times; the code generator's time grows with every copy,
and faster than linearly with the length of a function. A nest of element loops becomes a function of its addresses and
run-time integers, written once for all nests that differ in nothing else.
Postcondition: the same loads, stores and arithmetic in the same order, so no bit changes.
Non-goals: statements that can fault, call or set a slot; they stay in the kernel's function.
"""

from __future__ import annotations

from openpto._records import dataclass, field

from . import loopir as L
from .loopir import (
    LANES,
    Acc,
    Bin,
    Compute,
    Fetch,
    Fold,
    For,
    Index,
    Lane,
    Load,
    Peek,
    Pick,
    Ptr,
    Slot,
    Splat,
    Stmt,
    Store,
    Vector,
    VStmt,
)


@dataclass(frozen=True, slots=True)
class Nest:
    """``body`` over the pointer slots ``a0``, ``a1`` ... and integer slots ``n0`` ..., which stand for ``pointers`` and
    ``integers`` of the place that it was taken from. Two nests are the same function if their bodies are equal."""

    body: Stmt
    pointers: tuple[Ptr, ...]
    integers: tuple[Index, ...]


def is_nest(stmt: Stmt) -> bool:
    """Whether a statement consists of element loops only."""
    if isinstance(stmt, For):
        return not stmt.interruptible and all(is_nest(inner) for inner in stmt.body)
    return isinstance(stmt, Vector)


def nest_of(stmt: Stmt) -> Nest | None:
    """A nest in the form in which it is compared; None if it takes an integer from memory, which it may write."""
    taken = _Taking()
    body = taken.statement(stmt)
    return None if taken.peeks else Nest(body, tuple(taken.pointers), tuple(value for _, value in taken.integers))


@dataclass(slots=True)
class _Taking:
    """Renames what a nest defines in order of appearance, and replaces what it takes from outside."""

    pointers: dict[Ptr, str] = field(default_factory=dict)
    integers: dict[tuple[str, Index], str] = field(default_factory=dict)
    loops: dict[str, Slot] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    count: int = 0
    peeks: bool = False

    def statement(self, stmt: Stmt) -> Stmt:
        if isinstance(stmt, Vector):
            return self.vector(stmt)
        assert isinstance(stmt, For)
        start, stop, step = self.index(stmt.start), self.count_of(stmt.stop), self.index(stmt.step)
        outer = self.loops.get(stmt.var)
        var = self.loops[stmt.var] = Slot(self.fresh("r"))
        body = tuple(self.statement(inner) for inner in stmt.body)
        if outer is None:
            del self.loops[stmt.var]
        else:
            self.loops[stmt.var] = outer
        return For(var.name, start, stop, step, body)

    def vector(self, stmt: Vector) -> Vector:
        self.names = {}
        accs = tuple(Acc(self.define(a.name), a.init, a.join, self.pointer(a.out), a.finish) for a in stmt.accs)
        count = self.count_of(stmt.count) if stmt.unit >= LANES and stmt.count != LANES else self.index(stmt.count)
        return Vector(count, tuple(map(self.part, stmt.body)), accs, stmt.unit)

    def part(self, part: VStmt) -> VStmt:
        if isinstance(part, Load):
            return Load(self.define(part.name), self.pointer(part.at), self.index(part.stride))
        if isinstance(part, Splat):
            return Splat(self.define(part.name), self.index(part.value), part.dtype)
        if isinstance(part, Compute):
            args = tuple(self.names[a] for a in part.args)
            return Compute(self.define(part.name), part.expr, args)
        if isinstance(part, Store):
            stream = self.index(part.stream)
            return Store(self.pointer(part.at), self.index(part.stride), self.names[part.name], stream)
        if isinstance(part, Fetch):
            return Fetch(self.pointer(part.at))
        if isinstance(part, Fold):
            return Fold(self.names[part.acc], part.step, self.names[part.name])
        assert isinstance(part, Lane)
        return Lane(self.define(part.name))

    def fresh(self, hint: str) -> str:
        self.count += 1
        return f"{hint}{self.count}"

    def define(self, name: str) -> str:
        made = self.names[name] = f"v{len(self.names)}"
        return made

    def pointer(self, at: Ptr) -> Ptr:
        """What does not change inside of the nest is part of the address that the nest takes."""
        inside, outside = self.split(at.offset)
        base = Ptr(at.base, outside, at.dtype)
        name = self.pointers.setdefault(base, f"a{len(self.pointers)}")
        return Ptr(name, inside, at.dtype)

    def split(self, offset: Index) -> tuple[Index, Index]:
        """``offset`` as (a part of loop variables of the nest, a part from outside)."""
        if not self.moves(offset):
            return 0, offset
        if isinstance(offset, Bin) and offset.op == "add":
            (a, b), (c, d) = self.split(offset.left), self.split(offset.right)
            return L.add(a, c), L.add(b, d)
        return self.index(offset), 0

    def moves(self, node: Index) -> bool:
        """Whether a value depends on a loop variable of the nest."""
        if isinstance(node, Slot):
            return node.name in self.loops
        if isinstance(node, Bin):
            return self.moves(node.left) or self.moves(node.right)
        if isinstance(node, Pick):
            return any(map(self.moves, (node.cond, node.then, node.other)))
        self.peeks |= isinstance(node, Peek)
        return False

    def count_of(self, node: Index) -> Index:
        """The end of a loop; numbers too are taken, so that loops of all lengths are one."""
        return self.taken(node, "count") if isinstance(node, int) else self.index(node)

    def taken(self, value: int, role: str) -> Slot:
        """A number as an integer of the nest; equal numbers share one if they play one role."""
        return Slot(self.integers.setdefault((role, value), f"n{len(self.integers)}"))

    def index(self, node: Index) -> Index:
        """An integer inside of the nest: numbers stay but for pitches, other values from outside are taken."""
        if isinstance(node, int):
            return node
        if not self.moves(node):
            return Slot(self.integers.setdefault(("", node), f"n{len(self.integers)}"))
        if isinstance(node, Slot):
            return self.loops[node.name]
        if isinstance(node, Bin):
            right = node.right
            pitch = self.taken(right, "pitch") if node.op == "mul" and isinstance(right, int) else self.index(right)
            return Bin(node.op, self.index(node.left), pitch)
        assert isinstance(node, Pick)
        return Pick(self.index(node.cond), self.index(node.then), self.index(node.other))
