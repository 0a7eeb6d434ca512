"""Checks a loop program: every slot is set before it is read, every pointer slot has an address, every vector name is
defined once and used after that, types of loads and stores agree.

Purpose: a mistake of the lowering shows here and not as a wrong address. Used by the tests, and before code generation
when ``PYPTO_VERIFY_NATIVE`` is set.
"""

from __future__ import annotations

from openpto.ir.dtypes import DataType

from .flow import Flow, indices_of, pointers_of
from .loopir import (
    RECORD,
    Bin,
    Check,
    Compute,
    Fetch,
    Fold,
    For,
    If,
    Index,
    Lane,
    Load,
    Note,
    Peek,
    Point,
    Program,
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

_PLAIN = ("add", "sub", "mul", "div", "mod", "min", "max", "and", "or", "xor", "addover", "subover", "mulover")
OPERATORS = frozenset((*_PLAIN, "eq", "ne", "lt", "le", "gt", "ge"))


def problems(program: Program) -> list[str]:
    """What is wrong with a program; empty if nothing is."""
    found = _Verifier()
    found.slots.update(program.sizes)
    found.pointers.update((*program.params, "arena", "flag"))
    found.block(program.body)
    return found.wrong


class _Verifier:
    def __init__(self) -> None:
        self.wrong: list[str] = []
        self.slots: set[str] = set()
        self.pointers: set[str] = set()
        self.in_region = False

    def block(self, body: tuple[Stmt, ...]) -> None:
        for stmt in body:
            self.statement(stmt)

    def statement(self, stmt: Stmt) -> None:
        for index in indices_of(stmt):
            self.index(index)
        for at in pointers_of(stmt):
            self.pointer(at)
        if isinstance(stmt, Set):
            self.slots.add(stmt.slot)
        elif isinstance(stmt, (Point, Reserve)):
            self.pointers.add(stmt.slot)
        elif isinstance(stmt, For):
            self.inside(stmt.body, stmt.var)
            if stmt.step == 0:
                self.wrong.append(f"loop {stmt.var} does not move")
        elif isinstance(stmt, Region):
            self.region(stmt)
        elif isinstance(stmt, If):
            self.branches(stmt)
        elif isinstance(stmt, (Check, Note)):
            memory = stmt.memory if isinstance(stmt, Note) else ()
            if 1 + len(stmt.values) + len(memory) > RECORD:
                self.wrong.append(f"site {stmt.site} hands over {len(stmt.values)} values")
            if isinstance(stmt, Note) and stmt.answer:
                self.slots.add(stmt.answer)
        elif isinstance(stmt, Vector):
            self.vector(stmt)

    def inside(self, body: tuple[Stmt, ...], var: str) -> None:
        """A body that may not run: what it sets does not count afterwards, unless it was set before."""
        slots, pointers = set(self.slots), set(self.pointers)
        self.slots.add(var)
        self.block(body)
        self.slots, self.pointers = slots, pointers

    def region(self, stmt: Region) -> None:
        """The body of a region finds the slots of the program, and its own are gone afterwards."""
        if self.in_region:
            self.wrong.append(f"region {stmt.var} is inside of a region")
        self.wrong.extend(f"counter {c} is not set" for c in stmt.counters if c not in self.slots)
        flow = Flow.of(stmt.body, {stmt.var, *stmt.counters})
        carried = flow.carried_slots
        untold = {*flow.taken_slots, *flow.taken_pointers} - {*stmt.slots, *stmt.pointers, "local"}
        self.wrong.extend(f"region {stmt.var} takes {name} untold" for name in sorted(untold - carried))
        self.wrong.extend(f"region {stmt.var} hands {name} from iteration to iteration" for name in sorted(carried))
        self.in_region = True
        self.pointers.add("local")
        self.inside(stmt.body, stmt.var)
        self.pointers.discard("local")
        self.in_region = False

    def branches(self, stmt: If) -> None:
        slots, pointers = set(self.slots), set(self.pointers)
        self.block(stmt.then)
        then = self.slots, self.pointers
        self.slots, self.pointers = set(slots), set(pointers)
        self.block(stmt.other)
        self.slots &= then[0]
        self.pointers &= then[1]

    def index(self, node: Index) -> None:
        for part in parts_of(node):
            if isinstance(part, Slot) and part.name not in self.slots:
                self.wrong.append(f"slot {part.name} is read before it is set")
            elif isinstance(part, Bin) and part.op not in OPERATORS:
                self.wrong.append(f"operator {part.op}")
            elif isinstance(part, Peek):
                self.base(part.at.base)

    def pointer(self, at: Ptr) -> None:
        self.base(at.base)
        self.index(at.offset)

    def base(self, name: str) -> None:
        if name not in self.pointers:
            self.wrong.append(f"pointer {name} has no address")

    def vector(self, stmt: Vector) -> None:
        known: dict[str, DataType] = {a.name: a.init.dtype for a in stmt.accs}
        for acc in stmt.accs:
            if acc.out.dtype is not (acc.init if acc.finish is None else acc.finish).dtype:
                self.wrong.append(f"accumulator {acc.name} is stored as {acc.out.dtype}")
        for part in stmt.body:
            if isinstance(part, Store):
                if known.get(part.name) is not part.at.dtype:
                    self.wrong.append(f"{part.name} is stored as {part.at.dtype} and is {known.get(part.name)}")
                continue
            if isinstance(part, Fetch):
                continue
            if isinstance(part, Fold):
                if known.get(part.acc) is not part.step.dtype or part.name not in known:
                    self.wrong.append(f"fold of {part.name} into {part.acc}")
                continue
            if part.name in known:
                self.wrong.append(f"vector name {part.name} is defined twice")
            known[part.name] = self.result(part, known)

    def result(self, part: Load | Splat | Lane | Compute, known: dict[str, DataType]) -> DataType:
        if isinstance(part, Load):
            return part.at.dtype
        if isinstance(part, Splat):
            return part.dtype
        if isinstance(part, Lane):
            return DataType.DT_INT64
        self.wrong.extend(f"vector name {a} is not defined" for a in part.args if a not in known)
        return part.expr.dtype
