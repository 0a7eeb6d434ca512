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
from .tiles import NTile, numbers


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
    sides = []
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
        sides.append((body, left))
    low.leaves = dict(outer)
    joined: dict[Merge, NTile] = {}
    scalars: dict[Merge, tuple[Index, Index]] = {}
    for k, merge in enumerate(stmt.merges):
        if isinstance(merge.result, Value):
            joined[merge] = _join_tiles(low, sides, k)
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


def _join_tiles(low: Lowering, sides: list[Any], k: int) -> NTile:
    a, b = sides[0][1][k], sides[1][1][k]
    assert isinstance(a, NTile)
    assert isinstance(b, NTile)
    same = a.memory is b.memory and a.arr == b.arr and (a.mask == b.mask or numbers(a.shape) is not None)
    masked = a.mask is not None or b.mask is not None
    if same:
        into = a if a.mask is not None or not masked else b
    elif a.shape == b.shape and not a.late:
        into = low.fresh(TileType((), a.dtype), a.shape, a.valid, masked)
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


def _join_scalars(low: Lowering, sides: list[Any], k: int) -> tuple[Index, Index]:
    value, alive = Slot(low.b.name("merge")), Slot(low.b.name("alive"))
    certain = sides[0][1][k][1] == 1 and sides[1][1][k][1] == 1
    for body, left in sides:
        with low.b.inside(body):
            assign(low, value, left[k][0])
            if not certain:
                assign(low, alive, left[k][1])
    return value, 1 if certain else alive
