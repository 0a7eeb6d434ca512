"""Building loop IR: nested statements, fresh names, and element loops over strided arrays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from openpto.ir.dtypes import DataType
from openpto.ops import arith

from . import loopir as L
from .loopir import Acc, Compute, Fold, For, If, Index, Load, Point, Ptr, Set, Slot, Splat, Stmt, Store, Vector, VStmt


class Builder:
    """Collects statements; ``with`` opens nested bodies."""

    def __init__(self) -> None:
        self.stack: list[list[Stmt]] = [[]]
        self.count = 0

    def add(self, stmt: Stmt) -> None:
        """Append to the open body."""
        self.stack[-1].append(stmt)

    def name(self, hint: str) -> str:
        """A fresh slot name."""
        self.count += 1
        return f"{hint}.{self.count}"

    def body(self) -> tuple[Stmt, ...]:
        """The finished program's statements."""
        assert len(self.stack) == 1
        return tuple(self.stack[0])

    def hold(self, value: Index, hint: str = "n") -> Index:
        """``value`` in a slot, evaluated here; ints and slots as they are."""
        if isinstance(value, (int, Slot)):
            return value
        slot = self.name(hint)
        self.add(Set(slot, value))
        return Slot(slot)

    def point(self, to: Ptr, hint: str = "p") -> Ptr:
        """The address in a pointer slot, computed here."""
        if to.offset == 0:
            return to
        slot = self.name(hint)
        self.add(Point(slot, to))
        return Ptr(slot, 0, to.dtype)

    @contextmanager
    def nested(self) -> Iterator[list[Stmt]]:
        """A body to be attached by the caller."""
        inner: list[Stmt] = []
        self.stack.append(inner)
        try:
            yield inner
        finally:
            self.stack.pop()

    @contextmanager
    def loop(
        self, stop: Index, start: Index = 0, step: Index = 1, hint: str = "i", poll: bool = False
    ) -> Iterator[Slot]:
        """``for i in range(start, stop, step)``."""
        var = self.name(hint)
        with self.nested() as inner:
            yield Slot(var)
        self.add(For(var, start, stop, step, tuple(inner), poll))

    @contextmanager
    def when(self, cond: Index) -> Iterator[None]:
        """Statements that run only if ``cond``."""
        with self.nested() as inner:
            yield
        if cond != 0 and inner:
            for stmt in inner if isinstance(cond, int) else (If(cond, tuple(inner)),):
                self.add(stmt)


@dataclass(frozen=True, slots=True)
class Arr:
    """Elements at ``at`` with a stride (in elements) per axis; stride 0 repeats."""

    at: Ptr
    strides: tuple[Index, ...]

    @property
    def dtype(self) -> DataType:
        """Element type."""
        return self.at.dtype

    def moved(self, position: Sequence[Index]) -> Arr:
        """The array that begins at ``position``."""
        offset = self.at.offset
        for p, s in zip(position, self.strides, strict=True):
            offset = L.add(offset, L.mul(p, s))
        return Arr(Ptr(self.at.base, offset, self.at.dtype), self.strides)


@dataclass(frozen=True, slots=True)
class Lit:
    """A literal input of an element loop."""

    expr: arith.Expr


@dataclass(frozen=True, slots=True)
class Num:
    """A run-time integer as an input of an element loop."""

    value: Index
    dtype: DataType


Input = Arr | Lit | Num


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


def broadcast(arr: Arr, shape: Sequence[Index], to: Sequence[Index]) -> Arr:
    """``arr`` of capacity ``shape`` aligned to the axes of ``to``: extents of 1 repeat."""
    missing = len(to) - len(shape)
    strides: list[Index] = [0] * missing
    for have, want, stride in zip(shape, to[missing:], arr.strides, strict=True):
        strides.append(0 if have == 1 and want != 1 else stride)
    return Arr(arr.at, tuple(strides))


Axes = list[tuple[Index, tuple[Index, ...]]]


def normal(extents: Sequence[Index], arrays: Sequence[Arr]) -> Axes:
    """Axes as (extent, stride per array), without unit axes, neighbours merged where memory allows."""
    axes: Axes = []
    for k, extent in enumerate(extents):
        if extent == 1:
            continue
        strides = tuple(a.strides[k] for a in arrays)
        if axes:
            outer, steps = axes[-1]
            if all(s == L.mul(t, extent) for s, t in zip(steps, strides, strict=True)):
                axes[-1] = (L.mul(outer, extent), strides)
                continue
        axes.append((extent, strides))
    return axes


@contextmanager
def rows(b: Builder, axes: Axes, arrays: Sequence[Arr]) -> Iterator[tuple[Index, list[tuple[Ptr, Index]]]]:
    """Loops over all axes but the last; yields the last extent and (address, stride) per array for it."""
    if not axes:
        yield 1, [(a.at, 1) for a in arrays]
        return
    bases = [a.at for a in arrays]
    opened: list[tuple[str, Index, list[Stmt]]] = []
    for extent, strides in axes[:-1]:
        var = b.name("r")
        inner: list[Stmt] = []
        opened.append((var, extent, inner))
        b.stack.append(inner)
        bases = [L.shifted(p, L.mul(Slot(var), s)) for p, s in zip(bases, strides, strict=True)]
    extent, strides = axes[-1]
    yield extent, list(zip(bases, strides, strict=True))
    for var, stop, inner in reversed(opened):
        b.stack.pop()
        b.add(For(var, 0, stop, 1, tuple(inner)))


def each(b: Builder, extents: Sequence[Index], inputs: Sequence[Input], expr: arith.Expr, out: Arr) -> None:
    """``out[p] = expr(inputs[p])`` for every position; inputs and out have the rank of ``extents``."""
    arrays = [i for i in inputs if isinstance(i, Arr)]
    with rows(b, normal(extents, [*arrays, out]), [*arrays, out]) as (extent, places):
        body: list[VStmt] = []
        args = list(_bring(b, body, inputs, iter(places)))
        result = b.name("y")
        body.append(Compute(result, expr, tuple(args)))
        body.append(Store(places[-1][0], places[-1][1], result))
        b.add(Vector(extent, tuple(body)))


def _bring(
    b: Builder, body: list[VStmt], inputs: Sequence[Input], places: Iterator[tuple[Ptr, Index]]
) -> Iterator[str]:
    for item in inputs:
        name = b.name("x")
        if isinstance(item, Arr):
            at, stride = next(places)
            body.append(Load(name, at, stride))
        elif isinstance(item, Num):
            body.append(Splat(name, item.value, item.dtype))
        else:
            body.append(Compute(name, item.expr, ()))
        yield name


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
) -> None:
    """Reduce the last axis (``length``) of ``source`` for every position of ``kept``, in the sixteen-lane order."""
    with positions(b, kept) as position:
        row, target = source.moved((*position, 0)), out.moved(position)
        acc, x = b.name("acc"), b.name("x")
        load = Load(x, row.at, source.strides[-1])
        b.add(Vector(length, (load, Fold(acc, step, x)), (Acc(acc, init, step, target.at, finish),)))


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
    for var, stop, inner in reversed(opened):
        b.stack.pop()
        b.add(For(var, 0, stop, 1, tuple(inner)))
