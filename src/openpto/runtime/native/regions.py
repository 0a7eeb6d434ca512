"""Loops and branches: what they carry and merge lives in slots and in memory that both sides agree on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from openpto.ir import affine
from openpto.ir.expr import Expr
from openpto.ir.nodes import Carry, If, Loop, Merge, TileType, Value

from . import loopir as L
from . import races
from .build import copy, fill
from .late import fixed, later, moved_out, settle
from .loopir import Index, Set, Slot
from .lower import TRUE, Held, Lowering, lowers_region
from .parallel import region
from .tiles import Arena, NTile, numbers, place_mask


@dataclass
class _State:
    """What is assumed of one carried tile at the head of the body: axes whose valid extent varies, whether a mask,
    the written mark or the alive mark is needed."""

    varying: set[int] = field(default_factory=set)
    masked: bool = False
    written: bool = False
    alive: bool = False


@lowers_region(Loop)
def loop(low: Lowering, stmt: Loop) -> None:
    """A run-time loop."""
    start, stop, step = (low.b.hold(low.scalar(e)) for e in (stmt.start, stmt.stop, stmt.step))
    name = stmt.attrs.get("name") or "the loop"
    low.check(L.binary("ne", step, 0), "PTO460", lambda: {"name": name})
    tiles = [c for c in stmt.carries if isinstance(c.param, Value)]
    cells = [c for c in stmt.carries if not isinstance(c.param, Value)]
    states = {c: _first_guess(low, c) for c in tiles}
    loose: set[Carry] = set()
    deaths = low.deaths[stmt]
    low.mark_all()
    plan = low.plans.get(stmt)
    alone = plan is not None and not plan.private  # proven, so that the race check has nothing to find
    outermost = None if alone else races.watch(low, stmt, [v for v in low.alive() if v not in deaths.inits])
    low.watch = low.watch or outermost
    if outermost is not None:
        races.begin(low)
    whole: tuple[L.Stmt, ...] | None = None
    while True:
        saved = _save(low)
        heads = _enter_tiles(low, stmt, tiles, states)
        scalars = _enter_scalars(low, cells, loose)
        low.release(deaths.inits)
        for c in tiles:
            low.bind(c.param, heads[c])  # type: ignore[arg-type]
        index = low.b.name(stmt.attrs.get("idx_name") or "i")
        low.loops.append((stmt, Slot(index)))
        known = dict(low.known)
        low.known.update(_index_bounds(low, stmt))
        with low.own_arena(plan is not None) as arena, low.b.nested() as body:
            _learn_index(low, index, start, stop, step)
            low.release(deaths.enter[0])
            low.block(stmt.body)
            low.site, low.op = stmt.end_site(), None
            _settle_ends(low, tiles)
            changed = _disagreements(low, tiles, heads, states) or _looser(low, stmt, cells, scalars, loose)
            kept = all(_kept(low.env[c.yielded], heads[c]) for c in tiles)  # type: ignore[index]
            if not changed:
                _leave(low, stmt, tiles, heads, cells, scalars)
                low.release(deaths.leave[0])
        low.loops.pop()
        low.known = known
        if not changed:
            made = L.For(index, start, stop, step, tuple(body), interruptible=True, independent=plan is not None)
            whole = _whole(low, made, heads, arena) if kept or arena is None else None
            if whole is not None:
                break
            plan = None
        _restore(low, saved)
    low.site = stmt.site
    for part in whole:
        low.b.add(part)
    if arena is not None:
        low.regions += 1
        low.local = max(low.local, arena.high)
    for c in tiles:
        assert isinstance(c.result, Value)
        low.bind(c.result, heads[c])
        low.unpin(heads[c])
    for c in cells:
        assert isinstance(c.result, Expr)
        low.leaves[c.result] = scalars[c]
    low.release(deaths.after)
    if outermost is not None:
        races.finish(low, _object_names(low))
        low.watch = None


def _whole(low: Lowering, made: L.For, heads: Mapping[Carry, NTile], arena: Arena | None) -> tuple[L.Stmt, ...] | None:
    """The statements of a loop: itself, or a region if it has an arena of its own; None if it cannot be one."""
    if arena is None:
        return (made,)
    facts = {n.name for t in heads.values() for n in _facts_of(t) if isinstance(n, Slot)}
    return region(made, arena.high, low.counters, facts, low.b.name)


def _object_names(low: Lowering) -> dict[int, str]:
    """What objects are called: parameters by their name, others by that of a value that lives now."""
    names: dict[int, str] = {}
    for param in low.kernel.params:
        names.setdefault(param.value.var, param.name)
    for value in low.alive():
        if value.name:
            names.setdefault(value.var, value.name)
    return names


def _learn_index(low: Lowering, index: str, start: Index, stop: Index, step: Index) -> None:
    """An index lies between the ends of its range."""
    if not isinstance(step, int) or step == 0:
        return
    facts = low.b.facts
    (a, b), (c, d) = facts.range(start), facts.range(stop)
    facts.name(index, within=(a, max(a, d - 1)) if step > 0 else (min(c + 1, b), b))
    facts.learn(L.Bin("ge" if step > 0 else "le", Slot(index), start))
    facts.learn(L.Bin("lt" if step > 0 else "gt", Slot(index), stop))


def settled(low: Lowering, tile: NTile) -> NTile:
    """``tile`` with the extents that certainly are the whole capacity here."""
    if tile.full or tile.late:
        return tile
    facts = low.b.facts
    return tile.with_valid([s if facts.proves("ge", v, s) else v for v, s in zip(tile.valid, tile.shape, strict=True)])


def _index_bounds(low: Lowering, stmt: Loop) -> dict[Expr, affine.Interval]:
    step = stmt.step.concrete()
    if step is None:
        return {}
    a, b = affine.bounds(stmt.start, low.known), affine.bounds(stmt.stop, low.known)
    return {stmt.index: (a[0], b[1] - 1) if step > 0 else (b[0] + 1, a[1])}


# -- assumptions ------------------------------------------------------------------------------------------------------


def _settle_ends(low: Lowering, tiles: list[Carry]) -> None:
    for c in tiles:
        assert isinstance(c.yielded, Value)
        low.env[c.yielded] = settled(low, _with_marks(low, c.yielded))


def _with_marks(low: Lowering, value: Value) -> NTile:
    """The tile of a value that leaves a body."""
    return low.mark(value) if low.env[value].bare else low.env[value]


def _first_guess(low: Lowering, carry: Carry) -> _State:
    """As much as the state before the loop tells."""
    assert isinstance(carry.init, Value)
    init = low.env[carry.init]
    varying = {k for k, n in enumerate(init.valid) if not isinstance(n, int) and n != init.shape[k]}
    return _State(varying, init.mask is not None, not isinstance(init.written, int), not isinstance(init.alive, int))


def _disagreements(low: Lowering, tiles: list[Carry], heads: dict[Carry, NTile], states: dict[Carry, _State]) -> bool:
    """Weaken every assumption that the end of the body does not keep; whether there was one."""
    changed = False
    for c in tiles:
        assert isinstance(c.yielded, Value)
        end, head, state = low.env[c.yielded], heads[c], states[c]
        cut = {
            k for k, (a, b) in enumerate(zip(end.valid, head.valid, strict=True)) if a != b and k not in state.varying
        }
        new = _State(
            state.varying | cut,
            state.masked or end.mask is not None,
            state.written or end.written != head.written,
            state.alive or end.alive != head.alive,
        )
        changed |= new != state
        states[c] = new
    return changed


def _looser(
    low: Lowering, loop: Loop, cells: list[Carry], scalars: dict[Carry, tuple[Index, Index]], loose: set[Carry]
) -> bool:
    """The same for scalars that may have no value."""
    before = len(loose)
    for c in cells:
        low.site = loop.yield_site(c)
        _, alive = _scalar_state(low, c.yielded)
        if alive != scalars[c][1] and c not in loose:
            loose.add(c)
    return len(loose) > before


# -- entering and leaving a body --------------------------------------------------------------------------------------


def _enter_tiles(low: Lowering, stmt: Loop, tiles: list[Carry], states: dict[Carry, _State]) -> dict[Carry, NTile]:
    inits = [c.init for c in tiles]
    dying = low.deaths[stmt].inits
    heads = {}
    for c in tiles:
        assert isinstance(c.init, Value)
        init = low.env[c.init]
        own = c.init in dying and inits.count(c.init) == 1 and init.memory.refs == 1 and init.is_compact
        if init.marks is not None and init.marks.refs > 1:
            own = False
        heads[c] = _head(low, init, own, states[c])
        low.pin(heads[c])
    return heads


def _head(low: Lowering, init: NTile, own: bool, state: _State) -> NTile:
    """The tile that the body sees: in the memory of ``init`` if nobody else needs that, else in a copy."""
    if init.late:
        tile = _late_head(low, init, state.masked)
    elif own:
        tile = init
    else:
        tile = low.fresh(TileType((), init.dtype), init.shape, init.valid, init.mask is not None)
        with low.b.when(init.alive):
            low.copy_state(init, tile)
    mask, marks = tile.mask, tile.marks
    if state.masked and mask is None:
        mask, marks = place_mask(low.b, low.arena, init.shape, low.no_memory())
        fill(low.b, init.shape, TRUE, mask)
    valid: list[Index] = []
    for k, n in enumerate(init.valid):
        valid.append(_slot(low, "valid", n) if k in state.varying else n)
    written = _slot(low, "written", init.written) if state.written else init.written
    alive = _slot(low, "alive", init.alive) if state.alive else init.alive
    return replace(tile, valid=tuple(valid), mask=mask, marks=marks, written=written, alive=alive, holes=None)


def _late_head(low: Lowering, init: NTile, masked: bool) -> NTile:
    """A late tile stays one: the body may give it contents of another size in every iteration."""
    tile = later(low, init.dtype, init.shape, masked or init.mask is not None)
    if init.alive != 0:
        settle(low, tile, moved_out(low, init, tile))
    return replace(tile, valid=init.valid)


def _slot(low: Lowering, hint: str, value: Index) -> Slot:
    slot = low.b.name(hint)
    low.b.add(Set(slot, value))
    return Slot(slot)


def _scalar_state(low: Lowering, source: Any) -> tuple[Index, Index]:
    """(value, alive) of a scalar that a region takes or leaves."""
    if source is None:
        return 0, 0
    if isinstance(source, Expr) and source.is_leaf and source in low.leaves:
        return low.leaves[source]
    return low.b.hold(low.scalar(source)), 1


def _enter_scalars(low: Lowering, cells: list[Carry], loose: set[Carry]) -> dict[Carry, tuple[Index, Index]]:
    found = {c: _scalar_state(low, c.init) for c in cells}
    scalars: dict[Carry, tuple[Index, Index]] = {}
    for c in cells:
        value, alive = found[c]
        if not isinstance(alive, int):
            loose.add(c)
        slot = _slot(low, "carry", value)
        scalars[c] = (slot, _slot(low, "alive", alive) if c in loose else alive)
        assert isinstance(c.param, Expr)
        low.leaves[c.param] = scalars[c]
    return scalars


def _leave(
    low: Lowering,
    loop: Loop,
    tiles: list[Carry],
    heads: dict[Carry, NTile],
    cells: list[Carry],
    scalars: dict[Carry, tuple[Index, Index]],
) -> None:
    """Store what the body yields; everything is read before anything is stored."""
    ends: dict[Carry, NTile] = {}
    homes = {id(heads[c].memory): c for c in tiles}
    for c in tiles:
        assert isinstance(c.yielded, Value)
        end = low.env[c.yielded]
        owner = homes.get(id(end.memory))
        if owner is not None and owner is not c:
            end = low.duplicate(end)
            low.pin(end)
        ends[c] = end
    values = {}
    for c in cells:
        low.site = loop.yield_site(c)
        values[c] = _scalar_state(low, c.yielded)
    low.site = loop.end_site()
    held = {c: tuple(fixed(low, v) for v in values[c]) for c in cells}
    facts = {c: [(a, fixed(low, n)) for a, n in _facts(heads[c], ends[c]) if a != n] for c in tiles}
    moved = {c: moved_out(low, ends[c], heads[c]) for c in tiles if heads[c].late and ends[c] != heads[c]}
    for c in tiles:
        races.rebound(low, c, ends[c])
        if not heads[c].late:
            store(low, ends[c], heads[c])
    for c, made in moved.items():
        settle(low, heads[c], made)
    for c in tiles:
        for slot, n in facts[c]:
            _assign(low, slot, n)
    for c in cells:
        for n, slot in zip(held[c], scalars[c], strict=True):
            _assign(low, slot, n)
    for c in tiles:
        if ends[c].memory.pins and ends[c].memory.refs == 0:
            low.unpin(ends[c])


def _facts(head: NTile, end: NTile) -> list[tuple[Index, Index]]:
    """What is known of a carried tile at the head of the body, beside what its end leaves."""
    return list(zip(_facts_of(head), _facts_of(end), strict=True))


def _facts_of(tile: NTile) -> tuple[Index, ...]:
    return (*tile.valid, tile.written, tile.alive)


def _kept(end: NTile, head: NTile) -> bool:
    """Whether an iteration leaves a carried tile in the memory where it found it."""
    return end.memory is head.memory and end.arr == head.arr and (head.mask is None or end.mask == head.mask)


def _assign(low: Lowering, slot: Index, value: Index) -> None:
    if isinstance(slot, Slot) and slot != value:
        low.b.add(Set(slot.name, value))


def store(low: Lowering, source: NTile, into: NTile) -> None:
    """Elements and mask of ``source`` into the memory of ``into``, unless they are there already."""
    with low.b.when(source.alive):
        if source.memory is not into.memory or source.arr != into.arr:
            copy(low.b, source.valid, source.arr, into.arr)
        if into.mask is not None and source.mask != into.mask:
            low.copy_mask(source, into.mask)


# -- going back -------------------------------------------------------------------------------------------------------


def _save(low: Lowering) -> dict[str, Any]:
    low.b.flush()
    memories = {m for t in low.env.values() for m in (t.memory, t.marks) if m is not None}
    return {
        "env": dict(low.env),
        "leaves": dict(low.leaves),
        "refs": {m: (m.refs, m.pins, m.freed) for m in memories},
        "arena": low.arena.state(),
        "length": len(low.b.stack[-1]),
        "values": dict(low.b.values[-1]),
        "facts": low.b.facts.state(),
        "sites": len(low.sites.entries),
        "regions": (low.regions, low.local),
        "held": [Held(h.outer, list(h.waiting), h.mark) for h in low.held],
    }


def _restore(low: Lowering, saved: dict[str, Any]) -> None:
    low.env, low.leaves = dict(saved["env"]), dict(saved["leaves"])
    for memory, (refs, pins, freed) in saved["refs"].items():
        memory.refs, memory.pins, memory.freed = refs, pins, freed
    low.scratch = []
    low.arena.restore(saved["arena"])
    del low.b.stack[-1][saved["length"] :]
    low.b.values[-1] = dict(saved["values"])
    low.b.facts.restore(saved["facts"])
    del low.sites.entries[saved["sites"] :]
    low.regions, low.local = saved["regions"]
    low.held = [Held(h.outer, list(h.waiting), h.mark) for h in saved["held"]]


# -- branches ---------------------------------------------------------------------------------------------------------


@lowers_region(If)
def branch(low: Lowering, stmt: If) -> None:
    """The chosen branch runs; both leave their results in the same places."""
    cond = low.b.hold(low.scalar(stmt.cond))
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
        with low.b.nested() as body:
            low.b.facts.learn(cond, number == 0)
            low.release(deaths.enter[number])
            low.block(block)
            low.op = None
            left: list[Any] = []
            for pick, merge in zip(picks, stmt.merges, strict=True):
                low.site = merge.sites[number] or stmt.site
                if isinstance(merge.result, Value):
                    assert isinstance(pick, Value)
                    left.append(settled(low, _with_marks(low, pick)))
                    low.pin(left[-1])
                else:
                    left.append(_scalar_state(low, pick))
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
                _assign(low, slot, value)
    return result


def _join_scalars(low: Lowering, sides: list[Any], k: int) -> tuple[Index, Index]:
    value, alive = Slot(low.b.name("merge")), Slot(low.b.name("alive"))
    certain = sides[0][1][k][1] == 1 and sides[1][1][k][1] == 1
    for body, left in sides:
        with low.b.inside(body):
            _assign(low, value, left[k][0])
            if not certain:
                _assign(low, alive, left[k][1])
    return value, 1 if certain else alive
