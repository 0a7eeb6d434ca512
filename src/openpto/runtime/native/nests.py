"""Element loops that wait, so that neighbours can share one loop.

An element statement (``Map``, ``RowFold``) is not written at once: the builder keeps a group of them as long as each
new one runs over the same rows and touches memory of the others only at the same positions. When the group is written,
one pass over the rows does all of it: values go from statement to statement in registers where a row is done lane by
lane, and a result that nobody needs afterwards is never stored. No element is computed differently, so no bit changes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from openpto._records import dataclass, field
from openpto.ir.dtypes import DataType
from openpto.ops import arith

from . import loopir as L
from .interleaving import unit
from .loopir import Acc, Compute, Fold, Index, Load, Peek, Ptr, Slot, Splat, Store, Vector, VStmt, parts_of

MOST_ITEMS = 24


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
        return Arr(Ptr(self.at.base, offset, self.at.dtype, self.at.owner), self.strides)


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


@dataclass(frozen=True, slots=True, eq=False)
class Map:
    """``out[p] = expr(inputs[p])`` for every position of ``extents``."""

    extents: tuple[Index, ...]
    inputs: tuple[Input, ...]
    expr: arith.Expr
    out: Arr

    @property
    def rows(self) -> tuple[Index, ...]:
        """Extents but the last."""
        return self.extents[:-1]

    @property
    def length(self) -> Index:
        """The last extent."""
        return self.extents[-1]

    @property
    def reads(self) -> tuple[Arr, ...]:
        """Arrays that are read."""
        return tuple([i for i in self.inputs if isinstance(i, Arr)])


@dataclass(frozen=True, slots=True, eq=False)
class RowFold:
    """``out[p]`` = the last axis of ``source`` reduced in the sixteen-lane order, for every position of ``rows``:
    lanes take elements in by ``step``, are joined by ``join``, and ``finish`` (if given) makes the result."""

    rows: tuple[Index, ...]
    length: Index
    source: Arr
    out: Arr
    step: arith.Expr
    join: arith.Expr
    init: arith.Expr
    finish: arith.Expr | None

    @property
    def reads(self) -> tuple[Arr, ...]:
        """Arrays that are read."""
        return (self.source,)


Item = Map | RowFold


def output(item: Item) -> Arr:
    """The array that an item writes, with the rank of a full position (a fold repeats along the last axis)."""
    return item.out if isinstance(item, Map) else Arr(item.out.at, (*item.out.strides, 0))


@dataclass
class Group:
    """Items that will share one pass. ``length`` is their last extent; items of extent 1 may stand beside it."""

    rows: tuple[Index, ...] = ()
    length: Index = 1
    items: list[Item] = field(default_factory=list)
    slots: set[str] = field(default_factory=set)
    bases: set[str] = field(default_factory=set)
    dead: set[int] = field(default_factory=set)

    def accepts(self, item: Item) -> bool:
        """Whether ``item`` may join."""
        if not self.items:
            return True
        if len(self.items) >= MOST_ITEMS or item.rows != self.rows:
            return False
        if item.length != self.length and item.length != 1 and self.length != 1:
            return False
        return all(self._apart(item, earlier) for earlier in self.items)

    def _apart(self, item: Item, earlier: Item) -> bool:
        """Whether the two meet in memory only where they stand at the same position."""
        made, out = output(earlier), output(item)
        return (
            all(_same_place(a, made) for a in item.reads if may_meet(a, made))
            and all(_equal(a, out) for a in earlier.reads if may_meet(a, out))
            and (not may_meet(made, out) or _equal(made, out))
        )

    def join(self, item: Item) -> None:
        """Add an accepted item."""
        if not self.items:
            self.rows, self.length = item.rows, item.length
        elif self.length == 1:
            self.length = item.length
        self.items.append(item)
        self.bases.update(a.at.base for a in (*item.reads, output(item)))
        for index in _indices(item):
            collect(index, self.slots)

    def makes(self, owner: int) -> bool:
        """Whether a waiting item writes the memory."""
        return any(output(i).at.owner == owner for i in self.items)


def may_meet(a: Arr, b: Arr) -> bool:
    """Whether two arrays may share memory."""
    return a.at.owner < 0 or b.at.owner < 0 or a.at.owner == b.at.owner


def by_rows(group: Group) -> bool:
    """Whether no row reads what another row of the group writes. Outputs of different rows never meet: an output is a
    tile in memory, where every position has a place of its own."""
    made = [output(item) for item in group.items]
    reads = [a for item in group.items for a in item.reads]
    return all(0 not in out.strides[: len(group.rows)] for out in made) and all(
        not may_meet(a, out) or _same_place(a, out) for a in reads for out in made
    )


def _equal(a: Arr, b: Arr) -> bool:
    return a.at == b.at and a.strides == b.strides


def _same_place(read: Arr, made: Arr) -> bool:
    """Whether a read at a position finds what was made at that position (or in its row, for a row's one value)."""
    return read.at == made.at and read.strides[:-1] == made.strides[:-1] and read.strides[-1] in (made.strides[-1], 0)


def _indices(item: Item) -> Iterator[Index]:
    yield from item.rows
    yield item.length
    for arr in (*item.reads, output(item)):
        yield arr.at.offset
        yield from arr.strides
    if isinstance(item, Map):
        yield from (i.value for i in item.inputs if isinstance(i, Num))


def collect(node: Index, slots: set[str]) -> None:
    """Add the slots that an integer expression reads."""
    if isinstance(node, int):
        return
    for part in parts_of(node):
        if isinstance(part, Slot):
            slots.add(part.name)
        elif isinstance(part, Peek):
            slots.add("*")


Axes = list[tuple[Index, tuple[Index, ...]]]


def normal(extents: Sequence[Index], strides: Sequence[tuple[Index, ...]]) -> Axes:
    """Axes as (extent, stride per array), without unit axes, neighbours merged where memory allows."""
    axes: Axes = []
    for k, extent in enumerate(extents):
        if extent == 1:
            continue
        steps = tuple(s[k] for s in strides)
        if axes:
            outer, wide = axes[-1]
            if all(s == L.mul(t, extent) for s, t in zip(wide, steps, strict=True)):
                axes[-1] = (L.mul(outer, extent), steps)
                continue
        axes.append((extent, steps))
    return axes


def shape_of_pass(group: Group) -> tuple[Axes, bool]:
    """Loops around the vector statements, and whether the last axis merged into them (only maps of one length)."""
    arrays = [a for item in group.items for a in (*item.reads, output(item))]
    flat = all(isinstance(i, Map) and i.length == group.length for i in group.items)
    if flat:
        return normal([*group.rows, group.length], [a.strides for a in arrays]), True
    return normal(group.rows, [a.strides[:-1] for a in arrays]), False


@dataclass
class _Phase:
    """One vector statement being put together."""

    length: Index
    body: list[VStmt] = field(default_factory=list)
    accs: list[Acc] = field(default_factory=list)
    names: dict[tuple[Ptr, Index], str] = field(default_factory=dict)
    folded: list[Arr] = field(default_factory=list)


class Writer:
    """Writes the vector statements of one row; ``place`` gives the row's address and last stride of an array."""

    def __init__(self, group: Group, fresh: Callable[[str], str]) -> None:
        self.group = group
        self.fresh = fresh
        self.phases = _phases(group)

    def row(self, places: Sequence[Sequence[tuple[Ptr, Index]]], length: Index) -> Iterator[Vector]:
        """``places`` per item: its reads, then its output."""
        phase: _Phase | None = None
        for number, item in enumerate(self.group.items):
            own = length if item.length == self.group.length else item.length
            if phase is None or number == 0 or self.phases[number] != self.phases[number - 1]:
                if phase is not None:
                    yield self._vector(phase)
                phase = _Phase(own)
            self._item(phase, number, item, places[number])
        if phase is not None:
            yield self._vector(phase)

    def _vector(self, phase: _Phase) -> Vector:
        return Vector(phase.length, tuple(phase.body), tuple(phase.accs), unit(phase.length, phase.body))

    def _item(self, phase: _Phase, number: int, item: Item, places: Sequence[tuple[Ptr, Index]]) -> None:
        if isinstance(item, RowFold):
            x = self._load(phase, places[0])
            acc = self.fresh("acc")
            phase.body.append(Fold(acc, item.step, x))
            phase.accs.append(Acc(acc, item.init, item.join, places[1][0], item.finish))
            return
        at = iter(places)
        args = []
        for source in item.inputs:
            if isinstance(source, Arr):
                args.append(self._load(phase, next(at)))
            else:
                name = self.fresh("x")
                phase.body.append(
                    Splat(name, source.value, source.dtype)
                    if isinstance(source, Num)
                    else Compute(name, source.expr, ())
                )
                args.append(name)
        result = self.fresh("y")
        phase.body.append(Compute(result, item.expr, tuple(args)))
        target, stride = places[-1]
        for key in [k for k in phase.names if k[0] == target and k[1] != stride]:
            del phase.names[key]
        phase.names[target, stride] = result
        if self._needed(number):
            phase.body.append(Store(target, stride, result))

    def _load(self, phase: _Phase, place: tuple[Ptr, Index]) -> str:
        known = phase.names.get(place)
        if known is not None:
            return known
        name = self.fresh("x")
        phase.body.append(Load(name, *place))
        phase.names[place] = name
        return name

    def _needed(self, number: int) -> bool:
        """Whether what an item makes is read from memory later."""
        made = output(self.group.items[number])
        if made.at.owner not in self.group.dead:
            return True
        later = self.group.items[number + 1 :]
        return any(
            may_meet(a, made) and (self.phases[number + 1 + k] != self.phases[number] or not _equal(a, made))
            for k, item in enumerate(later)
            for a in item.reads
        )


def _phases(group: Group) -> list[int]:
    """Number of the vector statement of each item: a new one where the length changes, or where an item reads a fold of
    the present one, or a value of a row under another stride."""
    numbers: list[int] = []
    current: list[Item] = []
    for item in group.items:
        if current and (item.length != current[-1].length or _must_wait(item, current)):
            numbers.append(numbers[-1] + 1)
            current = [item]
        else:
            numbers.append(numbers[-1] if numbers else 0)
            current.append(item)
    return numbers


def _must_wait(item: Item, current: Sequence[Item]) -> bool:
    for earlier in current:
        made = output(earlier)
        for a in item.reads:
            if may_meet(a, made) and (isinstance(earlier, RowFold) or not _equal(a, made)):
                return True
        if isinstance(earlier, RowFold) and may_meet(output(item), made):
            return True
    return False
