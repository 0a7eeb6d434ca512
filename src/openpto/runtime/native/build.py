"""Building loop IR: nested statements, fresh names, and element loops over strided arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from openpto._records import replace
from openpto.ir.expr import Expr
from openpto.ops import arith

from . import loopir as L
from .facts import Facts
from .loopir import For, If, Index, Point, Ptr, Set, Slot, Stmt
from .nests import Arr as Arr
from .nests import Group, Item, Map, RowFold, Writer, by_rows, collect, output, shape_of_pass
from .nests import Input as Input
from .nests import Lit as Lit
from .nests import Num as Num


class Builder:
    """Collects statements; ``with`` opens nested bodies."""

    def __init__(self) -> None:
        self.stack: list[list[Stmt]] = [[]]
        self.count = 0
        self.group = Group()
        self.values: list[dict[Expr, Index]] = [{}]
        self.facts = Facts()
        self.on_flush: Callable[[], None] = lambda: None

    def add(self, stmt: Stmt) -> None:
        """Append to the open body; element statements that wait are written first if it could matter."""
        if self.group.items and not self._passes(stmt):
            self.flush()
        self.stack[-1].append(stmt)

    def _passes(self, stmt: Stmt) -> bool:
        """Whether ``stmt`` may come before the waiting element statements: it neither touches memory nor changes what
        they refer to."""
        slots: set[str] = set()
        if isinstance(stmt, L.Comment):
            return True
        if isinstance(stmt, Set):
            collect(stmt.value, slots)
            return "*" not in slots and stmt.slot not in self.group.slots
        if isinstance(stmt, Point):
            collect(stmt.to.offset, slots)
            return "*" not in slots and stmt.slot not in self.group.bases
        if isinstance(stmt, L.Check):
            for value in (stmt.ok, *stmt.values):
                collect(value, slots)
            return "*" not in slots
        return isinstance(stmt, L.Reserve)

    def submit(self, item: Item) -> None:
        """Add an element statement; it may wait for others that can share its loop."""
        if not self.group.accepts(item):
            self.flush()
        self.group.join(item)

    def flush(self) -> None:
        """Write the element statements that wait."""
        group, self.group = self.group, Group()
        if group.items:
            write_group(self, group)
        self.on_flush()

    def name(self, hint: str) -> str:
        """A fresh slot name."""
        self.count += 1
        return f"{hint}.{self.count}"

    def body(self) -> tuple[Stmt, ...]:
        """The finished program's statements."""
        self.flush()
        assert len(self.stack) == 1
        return tuple(self.stack[0])

    def hold(self, value: Index, hint: str = "n") -> Index:
        """``value`` in a slot, evaluated here; ints and slots as they are."""
        value = self.facts.decide(value)
        if isinstance(value, (int, Slot)):
            return value
        known = self.facts.kept(value)
        if known is not None:
            return known
        slot = self.name(hint)
        self.add(Set(slot, value))
        self.facts.name(slot, value)
        self.facts.keep(value, Slot(slot))
        return Slot(slot)

    def point(self, to: Ptr, hint: str = "p") -> Ptr:
        """The address in a pointer slot, computed here."""
        if to.offset == 0:
            return to
        slot = self.name(hint)
        self.add(Point(slot, to))
        return Ptr(slot, 0, to.dtype, to.owner)

    @contextmanager
    def nested(self) -> Iterator[list[Stmt]]:
        """A body to be attached by the caller."""
        self.flush()
        inner: list[Stmt] = []
        self.stack.append(inner)
        self.values.append({})
        self.facts.enter()
        try:
            yield inner
            self.flush()
        finally:
            self.stack.pop()
            self.values.pop()
            self.facts.leave()

    @contextmanager
    def inside(self, body: list[Stmt]) -> Iterator[None]:
        """Append to a body that was finished before."""
        self.flush()
        self.stack.append(body)
        self.values.append({})
        self.facts.enter()
        yield
        self.flush()
        self.stack.pop()
        self.values.pop()
        self.facts.leave()

    def value(self, node: Expr) -> Index | None:
        """The value of an author's expression, if it has been computed on every way here."""
        for known in reversed(self.values):
            found = known.get(node)
            if found is not None:
                return found
        return None

    @contextmanager
    def loop(
        self,
        stop: Index,
        start: Index = 0,
        step: Index = 1,
        hint: str = "i",
        poll: bool = False,
        independent: bool = False,
    ) -> Iterator[Slot]:
        """``for i in range(start, stop, step)``."""
        var = self.name(hint)
        with self.nested() as inner:
            yield Slot(var)
        self.add(For(var, start, stop, step, tuple(inner), poll, independent))

    @contextmanager
    def when(self, cond: Index) -> Iterator[None]:
        """Statements that run only if ``cond``."""
        if isinstance(cond, int) and cond:
            yield
            return
        if isinstance(cond, int):  # never: what the block adds is thrown away, and what waits goes on waiting
            waiting, self.group = self.group, Group()
            self.stack.append([])
            self.values.append({})
            self.facts.enter()
            yield
            self.stack.pop()
            self.values.pop()
            self.facts.leave()
            self.group = waiting
            return
        with self.nested() as inner:
            yield
        if inner:
            self.add(If(cond, tuple(inner)))


def compact(shape: Sequence[Index]) -> tuple[Index, ...]:
    """Row-major strides of a shape."""
    strides: list[Index] = []
    step: Index = 1
    for extent in reversed(shape):
        strides.append(step)
        step = L.mul(step, extent)
    return tuple(reversed(strides))


def count(extents: Sequence[Index]) -> Index:
    """Product of extents."""
    total: Index = 1
    for n in extents:
        total = L.mul(total, n)
    return total


def broadcast(b: Builder, arr: Arr, shape: Sequence[Index], to: Sequence[Index]) -> Arr:
    """``arr`` of capacity ``shape`` aligned to the axes of ``to``: extents of 1 repeat, also those that turn out to be
    1 while the program runs."""
    missing = len(to) - len(shape)
    strides: list[Index] = [0] * missing
    for have, want, stride in zip(shape, to[missing:], arr.strides, strict=True):
        if isinstance(have, int):
            strides.append(0 if have == 1 and want != 1 else stride)
        else:
            strides.append(b.hold(L.pick(L.binary("eq", have, want), stride, 0)))
    return Arr(arr.at, tuple(strides))


def each(b: Builder, extents: Sequence[Index], inputs: Sequence[Input], expr: arith.Expr, out: Arr) -> None:
    """``out[p] = expr(inputs[p])`` for every position; inputs and out have the rank of ``extents``."""
    if not extents:  # a single element counts as a row of one
        inputs = [Arr(i.at, (0,)) if isinstance(i, Arr) else i for i in inputs]
        b.submit(Map((1,), tuple(inputs), expr, Arr(out.at, (1,))))
    else:
        b.submit(Map(tuple(extents), tuple(inputs), expr, out))


def copy(b: Builder, extents: Sequence[Index], source: Arr, out: Arr) -> None:
    """``out[p] = source[p]``."""
    each(b, extents, [source], arith.var(source.dtype), out)


def fill(b: Builder, extents: Sequence[Index], value: arith.Expr, out: Arr) -> None:
    """``out[p] = value``."""
    each(b, extents, [], value, out)


def fold_rows(
    b: Builder,
    kept: Sequence[Index],
    length: Index,
    source: Arr,
    out: Arr,
    step: arith.Expr,
    init: arith.Expr,
    finish: arith.Expr | None = None,
    join: arith.Expr | None = None,
) -> None:
    """Reduce the last axis (``length``) of ``source`` for every position of ``kept``, in the sixteen-lane order."""
    b.submit(RowFold(tuple(kept), length, source, out, step, step if join is None else join, init, finish))


def fold_columns(
    b: Builder, kept: Sequence[Index], length: Index, source: Arr, out: Arr, step: arith.Expr, init: arith.Expr
) -> None:
    """Reduce the FIRST axis of ``source`` (``length``, then ``kept``) in ascending order, one accumulator a result."""
    fill(b, kept, init, out)
    with b.loop(length, hint="k") as k:
        part = source.moved((k, *(0 for _ in kept)))
        each(b, kept, [out, Arr(part.at, source.strides[1:])], step, out)


@contextmanager
def positions(b: Builder, extents: Sequence[Index]) -> Iterator[tuple[Index, ...]]:
    """Nested loops over every position."""
    b.flush()
    b.values.append({})
    b.facts.enter()
    opened: list[tuple[str, Index, list[Stmt]]] = []
    position: list[Index] = []
    for extent in extents:
        if extent == 1:
            position.append(0)
            continue
        var = b.name("r")
        inner: list[Stmt] = []
        opened.append((var, extent, inner))
        b.stack.append(inner)
        position.append(Slot(var))
    yield tuple(position)
    b.flush()
    b.values.pop()
    b.facts.leave()
    for var, stop, inner in reversed(opened):
        b.stack.pop()
        b.add(For(var, 0, stop, 1, tuple(inner)))


def write_group(b: Builder, group: Group) -> None:
    """One pass over the rows for all items of a group."""
    axes, flat = shape_of_pass(group)
    arrays = [[*item.reads, output(item)] for item in group.items]
    bases = [[a.at for a in row] for row in arrays]
    loops = axes[:-1] if flat else axes
    opened: list[tuple[str, Index, list[Stmt]]] = []
    for extent, strides in loops:
        var = b.name("r")
        inner: list[Stmt] = []
        opened.append((var, extent, inner))
        b.stack.append(inner)
        steps = iter(strides)
        bases = [[L.shifted(p, L.mul(Slot(var), next(steps))) for p in row] for row in bases]
    if flat:
        length, last = axes[-1] if axes else (1, tuple(1 for row in arrays for _ in row))
    else:
        length, last = group.length, tuple(a.strides[-1] for row in arrays for a in row)
    ends = iter(last)
    places = [[(p, next(ends)) for p in row] for row in bases]
    if flat:
        merged: list[Item] = [replace(i, extents=(length,)) for i in group.items if isinstance(i, Map)]
        group = replace(group, length=length, items=merged)
    for vector in Writer(group, b.name).row(places, length):
        b.stack[-1].append(vector)
    independent = by_rows(group)
    for var, stop, inner in reversed(opened):
        b.stack.pop()
        b.stack[-1].append(For(var, 0, stop, 1, tuple(inner), independent=independent))
