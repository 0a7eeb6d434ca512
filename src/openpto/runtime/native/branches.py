"""Branches: what they merge lives in slots and in memory that both sides agree on."""

from __future__ import annotations

from typing import Any

from openpto._records import replace
from openpto.ir.nodes import If, Merge, TileType, Value

from . import loopir as L
from .late import later, moved_out, settle
from .loopir import Index, Slot
from .lower import Held, Lowering, lowers_region
from .regions import assign, later_iteration, scalar_state, settled, store, with_marks
from .tiles import Memory, NTile, numbers


@lowers_region(If)
def branch(low: Lowering, stmt: If) -> None:
    """The chosen branch runs; both leave their results in the same places."""
    cond = low.b.hold(low.scalar(stmt.cond))
    if isinstance(cond, int):
        _chosen(low, stmt, 0 if cond else 1)
        return
    low.mark_all()
    low.held.append(Held(frozenset(low.env)))
    deaths = low.deaths[stmt]
    sides: list[Any] = []
    homes: set[Memory] = set()
    outer = dict(low.leaves)
    for number, (block, picks) in enumerate(
        ((stmt.then, [m.then for m in stmt.merges]), (stmt.other, [m.other for m in stmt.merges]))
    ):
        low.leaves = dict(outer)
        low.held[-1].mark = len(low.held[-1].waiting)
        with low.b.nested() as body, later_iteration(low, stmt, number):
            low.b.facts.learn(cond, number == 0)
            low.release(deaths.enter[number])
            low.block(block)
            low.op = None
            left: list[Any] = []
            for pick, merge in zip(picks, stmt.merges, strict=True):
                low.site = merge.sites[number] or stmt.site
                if isinstance(merge.result, Value):
                    assert isinstance(pick, Value)
                    left.append(settled(low, with_marks(low, pick)))
                    low.pin(left[-1])
                else:
                    left.append(scalar_state(low, pick))
            low.release(deaths.leave[number])
            if number:
                homes = _bring_home(low, stmt, sides[0][1], left)
        sides.append((body, left))
    low.leaves = dict(outer)
    joined: dict[Merge, NTile] = {}
    scalars: dict[Merge, tuple[Index, Index]] = {}
    for k, merge in enumerate(stmt.merges):
        if isinstance(merge.result, Value):
            joined[merge] = _join_tiles(low, sides, k, _ended(low, stmt), homes)
        else:
            scalars[merge] = _join_scalars(low, sides, k)
    low.b.add(L.If(cond, tuple(sides[0][0]), tuple(sides[1][0])))
    waiting = low.held.pop().waiting
    for merge in stmt.merges:
        if isinstance(merge.result, Value):
            low.bind(merge.result, joined[merge])
        else:
            low.leaves[merge.result] = scalars[merge]
    for _, left in sides:
        for item in left:
            if isinstance(item, NTile):
                low.unpin(item)
    low.release(list(dict.fromkeys(waiting)))
    low.release(deaths.after)


def _chosen(low: Lowering, stmt: If, side: int) -> None:
    """A branch that is decided while compiling: one of its sides."""
    deaths, block = low.deaths[stmt], (stmt.then, stmt.other)[side]
    outer = dict(low.leaves)
    low.release(deaths.enter[side])
    low.block(block)
    low.op = None
    for merge in stmt.merges:
        low.site = merge.sites[side] or stmt.site
        pick = merge.then if side == 0 else merge.other
        if isinstance(merge.result, Value):
            assert isinstance(pick, Value)
            low.bind(merge.result, low.env[pick])
        else:
            outer[merge.result] = scalar_state(low, pick)
    low.leaves = outer
    low.release(deaths.leave[side])
    low.release(deaths.after)


def _join_tiles(low: Lowering, sides: list[Any], k: int, ended: set[Value], homes: set[Memory]) -> NTile:
    """Where both sides leave a tile: in one of ``homes`` if the second is there; ``ended`` are the values from outside
    that nobody needs after the branch."""
    a, b = sides[0][1][k], sides[1][1][k]
    assert isinstance(a, NTile)
    assert isinstance(b, NTile)
    same = a.memory is b.memory and a.arr == b.arr and (a.mask == b.mask or numbers(a.shape) is not None)
    masked = a.mask is not None or b.mask is not None
    if same:
        into = a if a.mask is not None or not masked else b
    elif b.memory in homes:
        into = b
    elif a.shape == b.shape and not a.late:
        into = _taken_over(low, sides, k, ended) or low.fresh(TileType((), a.dtype), a.shape, a.valid, masked)
    else:
        into = later(low, a.dtype, a.shape, masked)
    valid = tuple(x if x == y else Slot(low.b.name("valid")) for x, y in zip(a.valid, b.valid, strict=True))
    written = a.written if a.written == b.written else Slot(low.b.name("written"))
    alive = a.alive if a.alive == b.alive else Slot(low.b.name("alive"))
    result = replace(into, valid=valid, written=written, alive=alive, holes=None, late=into.late and alive != 1)
    for (body, _), tile in zip(sides, (a, b), strict=True):
        with low.b.inside(body):
            if into.late and not same:
                settle(low, into, moved_out(low, tile, into))
            else:
                store(low, tile, result)
            for slot, value in zip((*valid, written, alive), (*tile.valid, tile.written, tile.alive), strict=True):
                assign(low, slot, value)
    return result


def _ended(low: Lowering, stmt: If) -> set[Value]:
    """Values from outside of the innermost branch, which ends here, that nobody needs after it."""
    outer = {value for held in low.held[:-1] for value in held.outer}
    return {*low.held[-1].waiting, *low.deaths[stmt].after} - outer


def _taken_over(low: Lowering, sides: list[Any], k: int, ended: set[Value]) -> NTile | None:
    """The tile of one side in whose memory both can leave theirs, so that this side copies nothing; None if both are
    needed as they are. A value from outside that only passes through comes first, then what the other side made: the
    first is often that of a loop's first or last iteration."""
    pair = sides[1][1][k], sides[0][1][k]
    if pair[0].mask is not None or pair[1].mask is not None or pair[0].memory is pair[1].memory:
        return None
    left = [tile for _, side in sides for tile in side if isinstance(tile, NTile)]
    passing = [
        (tile.memory.refs > 0, tile)
        for tile in pair
        if sum(tile.memory in (t.memory, t.marks) for t in left) == 1 and _is_free(low, tile, ended)
    ]
    return max(passing, key=lambda found: found[0])[1] if passing else None


def _is_free(low: Lowering, tile: NTile, ended: set[Value]) -> bool:
    """Whether nothing but values that ``ended`` and one pin keep the memory of ``tile``."""
    memory = tile.memory
    owners = {value for value, other in low.env.items() if memory in (other.memory, other.marks)}
    alone = memory.refs == len(owners) and owners <= ended and memory.pins == 1
    return alone and memory.arena is low.arena and tile.is_compact


def _bring_home(low: Lowering, stmt: If, first: list[Any], left: list[Any]) -> set[Memory]:
    """What the second side leaves for the next iteration goes where that looks for it while it is made, if what is
    there has ended; returns these places. ``first`` and ``left`` are what the sides leave. Whole tiles come before
    columns, which would part their loops."""
    homes: set[Memory] = set()
    loop = low.loops[-1][0] if low.loops else None
    if loop is None or loop in low.plans:  # iterations that may run at once share no place
        return homes
    params = {c.yielded: c.param for c in loop.carries}
    ended = _ended(low, stmt)
    found = []
    for k, merge in enumerate(stmt.merges):
        home, tile = low.env.get(params.get(merge.result)), left[k]  # type: ignore[arg-type]
        if home is None or (home.shape, home.late, tile.late, tile.written) != (tile.shape, False, False, 1):
            continue
        kept = any(home.memory in (t.memory, t.marks) for t in (*first, *left) if isinstance(t, NTile))
        if (home.mask, tile.mask, first[k].mask) == (None, None, None) and not kept and _is_free(low, home, ended):
            found.append((k, home))
    for k, home in sorted(found, key=lambda pair: 1 in pair[1].shape):
        tile = left[k]
        store(low, tile, home)
        left[k] = replace(tile, arr=home.arr, memory=home.memory)
        homes.add(home.memory)
        low.pin(left[k])
        low.unpin(tile)
    return homes


def _join_scalars(low: Lowering, sides: list[Any], k: int) -> tuple[Index, Index]:
    value, alive = Slot(low.b.name("merge")), Slot(low.b.name("alive"))
    certain = sides[0][1][k][1] == 1 and sides[1][1][k][1] == 1
    for body, left in sides:
        with low.b.inside(body):
            assign(low, value, left[k][0])
            if not certain:
                assign(low, alive, left[k][1])
    return value, 1 if certain else alive
