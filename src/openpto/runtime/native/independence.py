"""Which loops have iterations that do not depend on each other.

Purpose: the iterations of such a loop may run at once, in any order, with the same result.
Precondition: a kernel in SSA form. Postcondition: a plan for every loop whose iterations are proven independent: each
carried tile either is one object that iterations write, and read, in windows of their own (``shared``), or is written
anew by every iteration before it is read, and not needed after the loop (``private``), or never changes.
Method: windows of reads and writes have offsets that are affine in the loop's index; two iterations are at least one
stride apart on some axis. What varies inside an iteration counts with its bounds.
Non-goals: offsets read from tensors (their windows may meet), and scalars that a loop carries.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from openpto._records import dataclass, field
from openpto.ir import affine
from openpto.ir.expr import Dim, Expr
from openpto.ir.nodes import Block, Carry, If, Kernel, Let, Loop, Op, Value
from openpto.ops.inspection import SHOWING
from openpto.ops.shared_memory import COMMUNICATION
from openpto.runtime.reference.liveness import Lifetimes

from .exposure import never_exposed
from .ranges import Range, range_of

Interval = affine.Interval


@dataclass(frozen=True, slots=True)
class Plan:
    """How the carried tiles of a loop with independent iterations are used. They are independent only if each of
    ``ranges`` ascends from iteration to iteration, which is seen when the program runs."""

    shared: tuple[Carry, ...] = ()
    private: tuple[Carry, ...] = ()
    ranges: tuple[Range, ...] = ()


@dataclass(frozen=True, slots=True)
class Window:
    """Elements of an object that one statement touches; ``offsets`` None is the whole object. ``extents`` are upper
    bounds, ``limits`` several per axis."""

    writes: bool
    offsets: tuple[Dim, ...] | None = None
    extents: tuple[int, ...] = ()
    limits: tuple[tuple[Dim, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Side:
    """An end of a window on one axis: ``stride`` times the loop's index, plus what no iteration changes, plus something
    between two bounds that may differ between iterations; ``extent`` elements from there."""

    stride: int
    fixed: Dim
    low: int
    high: int
    extent: int


def plans(kernel: Kernel, lifetimes: Lifetimes) -> dict[Loop, Plan]:
    """The independent loops of a kernel whose private tensors are declared where they are used (``privatise.py``)."""
    found: dict[Loop, Plan] = {}
    _visit(kernel.body, {}, lifetimes, found)
    return found


def _visit(
    block: Block,
    known: Mapping[Expr, Interval],
    lifetimes: Lifetimes,
    found: dict[Loop, Plan],
) -> None:
    for stmt in block.body:
        if isinstance(stmt, Loop):
            inside = {**known, **index_bounds(stmt, known)}
            plan = plan_of(stmt, inside, frozenset(lifetimes.deaths[stmt].after))
            if plan is not None and not plan.private and not _communicates(stmt.body):
                found[stmt] = plan
            _visit(stmt.body, inside, lifetimes, found)
        elif isinstance(stmt, If):
            _visit(stmt.then, known, lifetimes, found)
            _visit(stmt.other, known, lifetimes, found)


def _communicates(block: Block) -> bool:
    """Whether a block talks with other ranks, or prints or saves: somebody sees the order of its statements."""
    for stmt in block.body:
        if isinstance(stmt, Op):
            if stmt.name in COMMUNICATION or stmt.name in SHOWING:
                return True
        elif isinstance(stmt, Loop):
            if _communicates(stmt.body):
                return True
        elif isinstance(stmt, If) and (_communicates(stmt.then) or _communicates(stmt.other)):
            return True
    return False


def index_bounds(loop: Loop, known: Mapping[Expr, Interval]) -> dict[Expr, Interval]:
    """Bounds of a loop's index."""
    step = loop.step.concrete()
    if step is None:
        return {}
    a, b = affine.bounds(loop.start, known), affine.bounds(loop.stop, known)
    return {loop.index: (a[0], b[1] - 1) if step > 0 else (b[0] + 1, a[1])}


def plan_of(loop: Loop, known: Mapping[Expr, Interval], unread: frozenset[Value]) -> Plan | None:
    """The plan of one loop, or None if its iterations may depend on each other; nothing reads the values ``unread``
    after the loop."""
    shared, private, ranges = [], [], []
    bounds = {**known, **_inner_bounds(loop.body, known)}
    varying = frozenset(_defined(loop.body))
    for carry in loop.carries:
        if carry.yielded is carry.param:
            continue
        if not isinstance(carry.param, Value):
            return None
        windows = _windows(loop, carry)
        if windows is not None and _apart(loop, windows, varying, bounds):
            shared.append(carry)
        elif carry.result in unread and never_exposed(loop, carry, varying):
            private.append(carry)
        else:
            found = None if windows is None else _range(loop, windows, varying)
            if found is None:
                return None
            ranges.append(found)
    return Plan(tuple(shared), tuple(private), tuple(ranges))


def _range(loop: Loop, windows: Sequence[Window], varying: frozenset[Expr]) -> Range | None:
    """The range that an iteration touches, if it is known before it runs."""
    places = [
        None if w.offsets is None else (w.offsets, w.limits or tuple((n,) for n in w.extents))
        for w in windows
        if w.offsets != ()
    ]
    return range_of(loop, places, varying, _loops(loop.body))


def _loops(block: Block) -> Iterator[Loop]:
    for stmt in block.body:
        if isinstance(stmt, Loop):
            yield stmt
            yield from _loops(stmt.body)
        elif isinstance(stmt, If):
            yield from _loops(stmt.then)
            yield from _loops(stmt.other)


# -- what an iteration defines ----------------------------------------------------------------------------------------


def _defined(block: Block) -> Iterator[Expr]:
    """Scalars that get a value inside a block."""
    for stmt in block.body:
        if isinstance(stmt, Let):
            yield stmt.leaf
        elif isinstance(stmt, Op):
            yield from (r for r in stmt.results if isinstance(r, Expr))
        elif isinstance(stmt, Loop):
            yield stmt.index
            for c in stmt.carries:
                yield from (s for s in (c.param, c.result) if isinstance(s, Expr))
            yield from _defined(stmt.body)
        elif isinstance(stmt, If):
            yield from (m.result for m in stmt.merges if isinstance(m.result, Expr))
            yield from _defined(stmt.then)
            yield from _defined(stmt.other)


def _inner_bounds(block: Block, known: Mapping[Expr, Interval]) -> dict[Expr, Interval]:
    found: dict[Expr, Interval] = {}
    for stmt in block.body:
        if isinstance(stmt, Loop):
            found |= index_bounds(stmt, {**known, **found})
            found |= _inner_bounds(stmt.body, {**known, **found})
        elif isinstance(stmt, If):
            found |= _inner_bounds(stmt.then, known) | _inner_bounds(stmt.other, known)
    return found


# -- windows of a carried object --------------------------------------------------------------------------------------


@dataclass
class _Uses:
    """States of one object inside an iteration, and the windows that statements touch."""

    states: set[Value]
    windows: list[Window] = field(default_factory=list)

    def block(self, block: Block) -> bool:
        """Whether every use is understood."""
        for stmt in block.body:
            if isinstance(stmt, Op):
                understood = self._op(stmt)
            elif isinstance(stmt, Loop):
                understood = self._loop(stmt)
            else:
                understood = not isinstance(stmt, If) or self._if(stmt)
            if not understood:
                return False
        return True

    def _op(self, op: Op) -> bool:
        used = [o for o in op.operands if isinstance(o, Value) and o in self.states]
        if not used:
            return True
        tiles = [o for o in op.operands if isinstance(o, Value)]
        target = tiles[-1] if op.attrs.get("inplace") else None
        if target not in self.states:
            self.windows.append(_read(op))
            return True
        result = op.results[0]
        written = _written(op)
        if written is None or not isinstance(result, Value):
            return False
        if len(used) > 1:
            self.windows.append(Window(False))
        self.windows.append(written)
        self.states.add(result)
        return True

    def _loop(self, loop: Loop) -> bool:
        mine = [c for c in loop.carries if c.init in self.states]
        for c in mine:
            assert isinstance(c.param, Value)
            assert isinstance(c.result, Value)
            self.states.update((c.param, c.result))
        if not self.block(loop.body):
            return False
        return all((c.yielded in self.states) == (c in mine) for c in loop.carries)

    def _if(self, stmt: If) -> bool:
        if not self.block(stmt.then) or not self.block(stmt.other):
            return False
        for merge in stmt.merges:
            inside = [side in self.states for side in (merge.then, merge.other)]
            if any(inside) and not all(inside):
                return False
            if any(inside) and isinstance(merge.result, Value):
                self.states.add(merge.result)
        return True


def _windows(loop: Loop, carry: Carry) -> list[Window] | None:
    """What an iteration touches of a carried object; None if the object is not one memory all the way."""
    assert isinstance(carry.param, Value)
    uses = _Uses({carry.param})
    if not uses.block(loop.body):
        return None
    if any((c.yielded in uses.states) != (c is carry) for c in loop.carries):
        return None
    return uses.windows


def _read(op: Op) -> Window:
    if op.name == "view":
        result = op.results[0]
        assert isinstance(result, Value)
        return _window(False, op.attrs["offsets"], result)
    if op.name == "read_scalar":
        index = tuple(o for o in op.operands[1:] if isinstance(o, Expr))
        if len(index) == len(op.operands) - 1:
            return Window(False, index, (1,) * len(index))
    if op.name == "valid_of":
        return Window(False, (), ())
    return Window(False)


def _written(op: Op) -> Window | None:
    if op.name == "assemble":
        source = op.operands[0]
        assert isinstance(source, Value)
        return _window(True, op.attrs["offsets"], source)
    if op.name == "write_scalar":
        index = tuple(op.attrs["index"])
        return Window(True, index, (1,) * len(index))
    return None


def _window(writes: bool, offsets: Sequence[Dim], tile: Value) -> Window:
    extents, limits = [], []
    for capacity, valid in zip(tile.type.shape, tile.valid, strict=True):
        most = [affine.bounds(n)[1] for n in (capacity, valid) if n is not None]
        extents.append(min(most))
        limits.append(tuple(n for n in (valid, capacity) if n is not None))
    return Window(writes, tuple(offsets), tuple(extents), tuple(limits))


# -- the dependence test ----------------------------------------------------------------------------------------------


def _apart(loop: Loop, windows: Sequence[Window], varying: frozenset[Expr], bounds: Mapping[Expr, Interval]) -> bool:
    """Whether no window that one iteration writes meets a window of another iteration."""
    sides = [(w, _sides(loop, w, varying, bounds)) for w in windows if w.offsets != ()]
    step = loop.step.concrete()
    pace = 1 if step is None else abs(step)
    for k, (a, ends) in enumerate(sides):
        for b, others in sides[k:]:
            if not a.writes and not b.writes:
                continue
            if ends is None or others is None:
                return False
            if not any(_separates(x, y, pace) for x, y in zip(ends, others, strict=True)):
                return False
    return True


def _sides(
    loop: Loop, window: Window, varying: frozenset[Expr], bounds: Mapping[Expr, Interval]
) -> list[Side | None] | None:
    if window.offsets is None:
        return None
    return [
        _side(loop, offset, extent, varying, bounds)
        for offset, extent in zip(window.offsets, window.extents, strict=True)
    ]


def _side(
    loop: Loop, offset: Dim, extent: int, varying: frozenset[Expr], bounds: Mapping[Expr, Interval]
) -> Side | None:
    """The affine form of an offset; None if the index is inside of something else."""
    if isinstance(offset, int):
        return Side(0, offset, 0, 0, extent)
    terms, constant = affine.linear(offset)
    stride, low, high = 0, 0, 0
    fixed: list[tuple[Expr, int]] = []
    for term, factor in terms:
        if term is loop.index:
            stride = factor
        elif loop.index in term.leaves:
            return None
        elif term.leaves & varying:
            a, b = affine.bounds(term, bounds)
            low += min(a * factor, b * factor)
            high += max(a * factor, b * factor)
        else:
            fixed.append((term, factor))
    return Side(stride, affine.from_linear((tuple(fixed), constant)), low, high, extent)


def _separates(a: Side | None, b: Side | None, pace: int) -> bool:
    """Whether windows of different iterations never meet on this axis."""
    if a is None or b is None or a.stride != b.stride:
        return False
    gap = affine.difference(b.fixed, a.fixed)
    if gap is None:
        return False
    apart = abs(a.stride) * pace
    # relative to its iteration, a covers [a.low, a.high + a.extent) and b the same moved by gap
    return apart >= gap + b.high + b.extent - a.low and apart >= a.high + a.extent - gap - b.low
