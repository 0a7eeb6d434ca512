"""In-place operations whose places are told by index tensors or that add: the last tile operand is changed.

The order of the contract: one row after the other, in the order of the index. FP16 and BF16 sums are carried in FP32
from the first step at a place to its last and rounded once: the places are widened into scratch first, then changed
there, then rounded back.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from openpto._records import dataclass, replace
from openpto.ir.dtypes import DataType
from openpto.ir.nodes import Imm, Op, TileType, Value
from openpto.ops import arith
from openpto.runtime.places import shown

from . import loopir as L
from . import races
from .build import Arr, Input, Lit, copy, count, each, fill, positions
from .elementwise import literal
from .handlers import lowers
from .indexing import checked_positions
from .loopir import Index
from .lower import AND, TRUE, Lowering
from .movement import FALSE, all_of
from .storing import beyond_valid, check_box, with_mask
from .tiles import NTile, place_mask

Position = tuple[Index, ...]
Step = Callable[[arith.Expr, arith.Expr], arith.Expr]
STEPS: dict[str | None, Step | None] = {None: None, "add": lambda x, y: x + y, "multiply": lambda x, y: x * y}


@dataclass(frozen=True, slots=True)
class Update:
    """Rows to be written, in order.

    lead     extents that are looped over, one row per position
    goal     from a position the origin of its row in the target
    axes     axes of the target that a row spans, and its ``extents`` on them
    value    from a position the elements of its row: an array over ``axes``, or one literal
    defined  from a position the mask of these elements; None if all are defined
    alpha    factor of the elements
    """

    lead: Position
    goal: Callable[[Position], list[Index]]
    axes: tuple[int, ...]
    extents: Position
    value: Callable[[Position], Input]
    defined: Callable[[Position], Arr] | None = None
    alpha: int | float = 1


def _row(arr: Arr, origin: Sequence[Index], axes: Sequence[int]) -> Arr:
    """The part of an array that begins at ``origin`` and spans ``axes``."""
    return Arr(arr.moved(origin).at, tuple(arr.strides[a] for a in axes))


def _wide(dtype: DataType) -> DataType:
    return arith.F32 if dtype in arith.HALVES else dtype


def _widened(x: arith.Expr) -> arith.Expr:
    return arith.convert(x, arith.F32) if x.dtype in arith.HALVES else x


def run(low: Lowering, update: Update, target: NTile, step: Step | None) -> None:
    """Change the elements and the mask of ``target``."""
    dtype = target.dtype
    if step is None:
        _apply(
            low, update, lambda goal, value: each(low.b, update.extents, [value], arith.var(dtype), goal), target.arr
        )
    else:
        _accumulate(low, update, target, step)
    if target.mask is None:
        return
    with positions(low.b, update.lead) as at:
        mark = _row(target.mask, update.goal(at), update.axes)
        if update.defined is None:
            if step is None:
                fill(low.b, update.extents, TRUE, mark)
        elif step is None:
            copy(low.b, update.extents, update.defined(at), mark)
        else:
            each(low.b, update.extents, [mark, update.defined(at)], AND, mark)


def _apply(low: Lowering, update: Update, change: Callable[[Arr, Input], None], arr: Arr) -> None:
    with positions(low.b, update.lead) as at:
        change(_row(arr, update.goal(at), update.axes), update.value(at))


def _accumulate(low: Lowering, update: Update, target: NTile, step: Step) -> None:
    dtype, wide = target.dtype, _wide(target.dtype)
    b, extents = low.b, update.extents
    value = _widened(arith.var(dtype, 1))
    if update.alpha != 1:
        value = value * arith.const(update.alpha, wide)
    total = step(arith.var(wide), value)
    if wide is dtype:
        _apply(low, update, lambda goal, source: each(b, extents, [goal, source], total, goal), target.arr)
        return
    scratch = low.fresh(TileType((), wide), target.shape, target.valid).arr
    for expr, reads, writes in (
        (_widened(arith.var(dtype)), target.arr, scratch),
        (total, scratch, scratch),
        (arith.convert(arith.var(wide), dtype), scratch, target.arr),
    ):
        with positions(b, update.lead) as at:
            goal = update.goal(at)
            inputs: list[Input] = [_row(reads, goal, update.axes)]
            if expr is total:
                inputs.append(update.value(at))
            each(b, extents, inputs, expr, _row(writes, goal, update.axes))


@lowers("scatter")
def scatter(low: Lowering, op: Op) -> NTile:
    """``dst[.., index[i], ..] (op)= src[i]``, elements in row-major order: of equal indices the last one stays."""
    into, target = low.target(op)
    index, operand = low.read(op.operands[0]), op.operands[1]
    axis: int = op.attrs["axis"]
    extents, dtype = index.valid, target.dtype
    source = low.read(operand) if isinstance(operand, Value) else None
    target = with_mask(low, target, source is not None and source.mask is not None)
    with low.b.when(_some(low, extents)):
        checked_positions(low, index, axis, target.valid[axis], into.var)
        if source is not None:
            _fitting(low, op, source, extents)
        _inside(low, target, extents, skip=(axis,))

        def goal(at: Position) -> list[Index]:
            where = low.b.hold(L.Peek(index.arr.moved(at).at), "where")
            return [p if a != axis else where for a, p in enumerate(at)]

        def value(at: Position) -> Input:
            if source is not None:
                return Arr(source.arr.moved(at).at, ())
            assert isinstance(operand, Imm)
            return Lit(literal(operand.value, dtype))

        marks = None if source is None or source.mask is None else source.mask
        defined = None if marks is None else lambda at: Arr(marks.moved(at).at, ())
        step = STEPS[op.attrs.get("reduce")]
        run(low, Update(extents, goal, (), (), value, defined), target, step)
        origin = [0] * len(extents)

        def box(at: Position) -> tuple[list[Index], list[Index]]:
            where = goal(at)[axis]
            return [*origin[:axis], where, *origin[axis + 1 :]], [
                *extents[:axis],
                L.add(where, 1),
                *extents[axis + 1 :],
            ]

        _note_boxes(low, op, into, extents, box, (axis,), step is not None, marks is None)
    return replace(target, written=1, holes=None)


@lowers("index_add_")
def index_add(low: Lowering, op: Op) -> NTile:
    """``dst[.., index[i], ..] += alpha * src[.., i, ..]``, in the order of the index."""
    into, target = low.target(op)
    index, source = low.read(op.operands[0]), low.read(op.operands[1])
    alpha = op.operands[2]
    assert isinstance(alpha, Imm)
    axis: int = op.attrs["axis"]
    extents = (*source.valid[:axis], index.valid[0], *source.valid[axis + 1 :])
    target = with_mask(low, target, source.mask is not None)
    rank = len(extents)
    axes = tuple(a for a in range(rank) if a != axis)
    with low.b.when(_some(low, extents)):
        checked_positions(low, index, axis, target.valid[axis], into.var)
        _fitting(low, op, source, extents)
        _inside(low, target, extents, skip=(axis,))

        def goal(at: Position) -> list[Index]:
            where = low.b.hold(L.Peek(index.arr.moved(at).at), "where")
            return [where if a == axis else 0 for a in range(rank)]

        def part(arr: Arr) -> Callable[[Position], Arr]:
            return lambda at: _row(arr, [at[0] if a == axis else 0 for a in range(rank)], axes)

        defined = None if source.mask is None else part(source.mask)
        inner = tuple(extents[a] for a in axes)
        update = Update(index.valid, goal, axes, inner, part(source.arr), defined, alpha.value)
        run(low, update, target, STEPS["add"])

        def box(at: Position) -> tuple[list[Index], list[Index]]:
            origin = goal(at)
            return origin, [L.add(origin[axis], 1) if a == axis else n for a, n in enumerate(extents)]

        _note_boxes(low, op, into, index.valid, box, (axis,), True, source.mask is None)
    return replace(target, written=1, holes=None)


@lowers("index_put_")
def index_put(low: Lowering, op: Op) -> NTile:
    """``dst[i0[k], i1[k], ..] (+)= values[k]``, in the order of k."""
    into, target = low.target(op)
    *lists, source = [low.read(o) for o in op.operands[:-1]]
    length = lists[0].valid[0]
    name, many = op.called, len(lists)
    low.check(
        all_of(*(L.binary("eq", places.valid[0], length) for places in lists)),
        "PTO462",
        lambda *v: {"op": name, "shapes": ", ".join(shown((n,)) for n in v[:many]), "want": shown(v[many:])},
        *(places.valid[0] for places in lists),
        length,
    )
    for axis, places in enumerate(lists):
        checked_positions(low, places, axis, target.valid[axis], into.var)
    extents = (length, *source.valid[1:])
    target = with_mask(low, target, source.mask is not None)
    with low.b.when(_some(low, extents)):
        _fitting(low, op, source, extents)

        def rows(at: Position) -> list[Index]:
            return [low.b.hold(L.Peek(places.arr.moved(at).at), "where") for places in lists]

        step = STEPS["add"] if op.attrs["accumulate"] else None
        _write_rows(low, op, into, target, (length,), rows, source, lambda at: [at[0]], step, many)
    return replace(target, written=1, holes=None)


@lowers("scatter_update")
def scatter_update(low: Lowering, op: Op) -> NTile:
    """Row ``index[i, j]`` of the store takes the row of the source that belongs to (i, j)."""
    into, target = low.target(op)
    index, source = low.read(op.operands[0]), low.read(op.operands[1])
    columns = index.shape[1]
    paged = len(target.shape) == 4
    size = target.shape[1] if paged else 1
    checked_positions(low, index, 0, low.b.hold(L.mul(target.valid[0], size)), into.var)
    target = with_mask(low, target, source.mask is not None)
    last = index.valid
    with low.b.when(_some(low, (*last, source.valid[-1]))):
        if paged:
            needed: tuple[Index, ...] = (*last, 1, source.valid[3])
        else:
            least = L.add(L.mul(L.sub(last[0], 1), columns), last[1])
            needed = (low.b.hold(least), source.valid[1])
        _fitting(low, op, source, needed)

        def rows(at: Position) -> list[Index]:
            row = low.b.hold(L.Peek(index.arr.moved(at).at), "where")
            return [low.b.hold(L.Bin("div", row, size)), low.b.hold(L.Bin("mod", row, size))] if paged else [row]

        def picked(at: Position) -> list[Index]:
            return list(at) if paged else [L.add(L.mul(at[0], columns), at[1])]

        _write_rows(low, op, into, target, last, rows, source, picked, None, 2 if paged else 1)
    return replace(target, written=1, holes=None)


@lowers("atomic_add")
def atomic_add(low: Lowering, op: Op) -> NTile:
    """The valid region of the first operand is added at the offsets."""
    _, target = low.target(op)
    source = low.read(op.operands[0])
    offsets = low.dims(op.attrs["offsets"])
    extents, dtype = source.valid, target.dtype
    target = with_mask(low, target, source.mask is not None)
    with low.b.when(_some(low, extents)):
        check_box(low, offsets, extents, target.shape)
        beyond_valid(low, op, target, offsets, extents)
        box = target.arr.moved(offsets)
        total = arith.rounded(_widened(arith.var(dtype)) + _widened(arith.var(dtype, 1)), dtype)
        each(low.b, extents, [box, source.arr], total, box)
        if target.mask is not None:
            _join_marks(low, target, source, offsets)
        watch, low.watch = low.watch, None  # two atomic operations do not race
        low.stored(op, offsets, extents, low.all_defined(source))
        low.watch = watch
    return replace(target, written=1, holes=None)


def _join_marks(low: Lowering, target: NTile, source: NTile, offsets: Sequence[Index]) -> None:
    assert target.mask is not None
    extents = source.valid
    marks = target.mask.moved(offsets)
    inside = all_of(*(L.binary("le", L.add(o, n), v) for o, n, v in zip(offsets, extents, target.valid, strict=True)))
    inside = low.b.hold(inside)
    with low.b.when(inside):
        if source.mask is not None:
            each(low.b, extents, [marks, source.mask], AND, marks)
    with low.b.when(L.binary("eq", inside, 0)):
        low.copy_mask(source, marks)


# Shared parts


def _some(low: Lowering, extents: Sequence[Index]) -> Index:
    """Whether there is an element."""
    return low.b.hold(L.binary("ne", low.b.hold(count(extents)), 0))


def _fitting(low: Lowering, op: Op, source: NTile, extents: Sequence[Index]) -> None:
    """The source must cover what the index asks for."""
    fits = all_of(*(L.binary("le", n, have) for n, have in zip(extents, source.valid, strict=True)))
    rank, name = len(extents), op.called
    low.check(
        fits,
        "PTO462",
        lambda *v: {"op": name, "shapes": shown(v[:rank]), "want": shown(v[rank:])},
        *source.valid,
        *extents,
    )


def _inside(low: Lowering, target: NTile, extents: Sequence[Index], skip: Sequence[int]) -> None:
    """The box that is written does not reach past the valid region on the axes without an index."""
    rank = len(extents)
    for axis, (n, have) in enumerate(zip(extents, target.valid, strict=True)):
        if axis in skip:
            continue

        def fields(*v: int, axis: int = axis) -> dict[str, object]:
            box = {"axis": axis, "low": 0, "high": v[0], "size": v[0]}
            return {**box, "capacity": v[1], "extents": shown(v[2 : 2 + rank])}

        low.check(L.binary("le", n, have), "PTO452", fields, n, have, *extents)


def _write_rows(
    low: Lowering,
    op: Op,
    into: Value,
    target: NTile,
    lead: Position,
    rows: Callable[[Position], list[Index]],
    source: NTile,
    picked: Callable[[Position], list[Index]],
    step: Step | None,
    leading: int,
) -> None:
    """``target[rows(k)] (op)= source[picked(k)]``; rows name ``leading`` axes, the others begin at the origin."""
    rank = len(target.shape)
    first = len(source.shape) - (rank - leading)
    axes = tuple(range(leading, rank))
    trailing = source.valid[first:]
    _inside(low, target, (*(0 for _ in range(leading)), *trailing), skip=range(leading))

    def goal(at: Position) -> list[Index]:
        return [*rows(at), *(0 for _ in axes)]

    def part(arr: Arr) -> Callable[[Position], Arr]:
        own = tuple(range(first, len(source.shape)))
        return lambda at: _row(arr, [*picked(at), *(0 for _ in own)], own)

    defined = None if source.mask is None else part(source.mask)
    run(low, Update(lead, goal, axes, tuple(trailing), part(source.arr), defined), target, step)

    def box(at: Position) -> tuple[list[Index], list[Index]]:
        origin = goal(at)
        return origin, [*(L.add(p, 1) for p in origin[:leading]), *trailing]

    _note_boxes(low, op, into, lead, box, tuple(range(leading)), step is not None, source.mask is None)


def _note_boxes(
    low: Lowering,
    op: Op,
    into: Value,
    lead: Position,
    box: Callable[[Position], tuple[list[Index], list[Index]]],
    keys: tuple[int, ...],
    reads: bool,
    whole: bool,
) -> None:
    """Tell what was written: a box per distinct place, told apart by its origin on the axes ``keys``."""
    result = op.results[0]
    assert isinstance(result, Value)
    number = low.parameter(op)
    logged = low.watch is not None and result.var in low.watch.objects
    if number < 0 and not logged:
        return
    capacity = tuple(low.env_extent(into, a) for a in keys)
    seen, memory = place_mask(low.b, low.arena, capacity, low.no_memory())
    low.temporary(memory)
    fill(low.b, capacity, FALSE, seen)
    with positions(low.b, lead) as at:
        start, stop = box(at)
        mark = seen.moved([start[a] for a in keys]).at
        with low.b.when(L.binary("eq", L.Peek(mark), 0)):
            fill(low.b, (), TRUE, Arr(mark, ()))
            if reads:
                races.touch(low, into.var, start, stop, False)
            low.stored(op, start, [L.sub(b, a) for a, b in zip(start, stop, strict=True)], int(whole))
