"""Loops: what they carry lives in slots and in memory that all iterations agree on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from openpto._records import dataclass, field, replace
from openpto.ir import affine
from openpto.ir.expr import Expr
from openpto.ir.nodes import Carry, If, Loop, TileType, Value

from . import loopir as L
from . import races
from .inspect_ranges import ascending, readable
from .late import fixed, later, moved_out, settle
from .loopir import Index, Set, Slot
from .lower import Held, Lowering, lowers_region
from .parallel import region
from .storing import with_mask
from .tiles import Arena, NTile


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
    low.mark_all()
    states = {c: _first_guess(low, c) for c in tiles}
    loose: set[Carry] = set()
    if stmt in low.assumed:  # an outer loop is lowered again, with less than before: so is this one
        before, loose = low.assumed[stmt]
        states = {c: _weaker(state, before[c]) for c, state in states.items()}
    deaths = low.deaths[stmt]
    plan = low.plans.get(stmt)
    if plan is not None and plan.ranges and not readable(low, plan.ranges):
        plan = None
    proven = plan is not None and not plan.ranges  # then the race check has nothing to find
    outermost = None if proven else races.watch(low, stmt, [v for v in low.alive() if v not in deaths.inits])
    low.watch = low.watch or outermost
    if outermost is not None:
        races.begin(low)
    bounds = start, stop, step
    outside = {c.yielded: low.env[c.yielded].valid for c in tiles if c.yielded in low.env}
    later: dict[Carry, NTile] = {}
    if first_is_told_apart(stmt) and any(s.masked or low.env[c.init].blank for c, s in states.items()):  # type: ignore[index]
        saved = _save(low)
        later = _after_first(low, stmt, bounds, tiles, cells, states)
        _restore(low, saved)
    whole: tuple[L.Stmt, ...] | None = None
    while True:
        saved = _save(low)
        heads, scalars, index = _enter(low, stmt, tiles, cells, states, loose)
        with low.own_arena(plan is not None) as arena, low.b.nested() as body, _inside(low, stmt, index, bounds):
            low.later[stmt] = {c: _later(heads[c], later[c]) for c in later}
            low.release(deaths.enter[0])
            low.block(stmt.body)
            low.site, low.op = stmt.end_site(), None
            _settle_ends(low, tiles)
            changed = _disagreements(low, tiles, heads, states) or _looser(low, stmt, cells, scalars, loose)
            kept = all(_kept(low.env[c.yielded], heads[c]) for c in tiles)  # type: ignore[index]
            changed = _not_kept(low, later, low.later.pop(stmt)) or changed
            if not changed:
                _leave(low, stmt, tiles, heads, cells, scalars)
                low.release(deaths.leave[0])
        if not changed:
            release = not any(head.late for head in heads.values())
            made = L.For(index, start, stop, step, tuple(body), True, independent=proven, releasing=release)
            condition = 1 if arena is None or plan is None else ascending(low, stmt, bounds, plan.ranges)
            whole = _whole(low, made, heads, arena, condition) if kept or arena is None else None
            if whole is not None:
                break
            plan, proven = None, False
        _restore(low, saved)
    for value, valid in outside.items():  # what the body knows of their extents is true in the body only
        if value in low.env:
            low.env[value] = low.env[value].with_valid(valid)
    low.assumed[stmt] = states, loose
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
        races.finish(low)
        low.watch = None


def _whole(
    low: Lowering, made: L.For, heads: Mapping[Carry, NTile], arena: Arena | None, condition: Index
) -> tuple[L.Stmt, ...] | None:
    """The statements of a loop: itself, or a region if it has an arena of its own; None if it cannot be one."""
    if arena is None:
        return (made,)
    facts = {n.name for t in heads.values() for n in _facts_of(t) if isinstance(n, Slot)}
    return region(made, arena.high, low.counters, facts, low.b.name, condition)


def _enter(
    low: Lowering,
    stmt: Loop,
    tiles: list[Carry],
    cells: list[Carry],
    states: dict[Carry, _State],
    loose: set[Carry],
) -> tuple[dict[Carry, NTile], dict[Carry, tuple[Index, Index]], str]:
    """What the body begins with, and a name for the index."""
    heads = _enter_tiles(low, stmt, tiles, states)
    scalars = _enter_scalars(low, cells, loose)
    low.release(low.deaths[stmt].inits)
    for c in tiles:
        low.bind(c.param, heads[c])  # type: ignore[arg-type]
    return heads, scalars, low.b.name(stmt.attrs.get("idx_name") or "i")


@contextmanager
def _inside(low: Lowering, stmt: Loop, index: str, bounds: tuple[Index, Index, Index]) -> Iterator[None]:
    """The index has a meaning."""
    low.loops.append((stmt, Slot(index)))
    known = dict(low.known)
    low.known.update(_index_bounds(low, stmt))
    _learn_index(low, index, *bounds)
    yield
    low.loops.pop()
    low.known = known


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


# -- the first iteration ----------------------------------------------------------------------------------------------


def first_is_told_apart(loop: Loop) -> bool:
    """Whether a branch of the body asks if this is the first iteration."""
    return any(isinstance(s, If) and later_side(s, loop) is not None for s in loop.body.body)


def later_side(stmt: If, loop: Loop) -> int | None:
    """The side of a branch that the first iteration of ``loop`` never takes, if that is what it is about."""
    cond, side = stmt.cond, 1
    if cond.op == "not":
        cond, side = cond.args[0], 0
    return side if cond.op == "loop_begin" and cond.args == (loop.index, loop.start) else None


def _after_first(
    low: Lowering,
    stmt: Loop,
    bounds: tuple[Index, Index, Index],
    tiles: list[Carry],
    cells: list[Carry],
    states: dict[Carry, _State],
) -> dict[Carry, NTile]:
    """What the first iteration leaves of tiles that nothing was in before: what its successors can count on, if they
    leave the same. The body is lowered for that, and thrown away by the caller."""
    outside = set(low.b.facts.ranges)
    _, _, index = _enter(low, stmt, tiles, cells, states, set())
    with low.b.nested(), _inside(low, stmt, index, bounds):
        low.b.facts.learn(L.Bin("eq", Slot(index), bounds[0]))
        low.release(low.deaths[stmt].enter[0])
        low.block(stmt.body)
        _settle_ends(low, tiles)
        ends = {c: low.env[c.yielded] for c in tiles if isinstance(c.yielded, Value)}
    found: dict[Carry, NTile] = {}
    for c, end in ends.items():
        steady = all(isinstance(n, int) or (isinstance(n, Slot) and n.name in outside) for n in end.valid)
        if steady and not end.late and end.mask is None and (end.written, end.alive) == (1, 1):
            found[c] = end
    return found


def _later(head: NTile, end: NTile) -> NTile:
    """The head of an iteration that is not the first."""
    return replace(head, valid=end.valid, mask=None, written=1, alive=1)


def _not_kept(low: Lowering, later: dict[Carry, NTile], heads: dict[Carry, NTile]) -> bool:
    """Give up what the end of the body does not keep; whether there was anything."""
    broken = []
    for c, head in heads.items():
        assert isinstance(c.yielded, Value)
        end = low.env[c.yielded]
        if (end.valid, end.mask, end.written, end.alive) != (head.valid, None, 1, 1):
            broken.append(c)
    for c in broken:
        del later[c]
    return bool(broken)


@contextmanager
def later_iteration(low: Lowering, stmt: If, side: int) -> Iterator[None]:
    """A side of a branch that only later iterations take sees what they begin with."""
    swapped: dict[Value, tuple[NTile, NTile]] = {}
    for loop, _ in low.loops:
        if later_side(stmt, loop) == side:
            for c, head in low.later.get(loop, {}).items():
                assert isinstance(c.param, Value)
                if c.param in low.env:
                    swapped[c.param] = low.env[c.param], head
                    low.env[c.param] = head
    yield
    for value, (before, head) in swapped.items():
        if low.env.get(value) is head:
            low.env[value] = before


# -- assumptions ------------------------------------------------------------------------------------------------------


def _settle_ends(low: Lowering, tiles: list[Carry]) -> None:
    for c in tiles:
        assert isinstance(c.yielded, Value)
        low.env[c.yielded] = settled(low, with_marks(low, c.yielded))


def with_marks(low: Lowering, value: Value) -> NTile:
    """The tile of a value that leaves a body."""
    return low.mark(value) if low.env[value].bare else low.env[value]


def _first_guess(low: Lowering, carry: Carry) -> _State:
    """As much as the state before the loop tells."""
    assert isinstance(carry.init, Value)
    init = low.env[carry.init]
    varying = {k for k, n in enumerate(init.valid) if not isinstance(n, int) and n != init.shape[k]}
    return _State(varying, init.mask is not None, not isinstance(init.written, int), not isinstance(init.alive, int))


def _weaker(a: _State, b: _State) -> _State:
    """What both assume."""
    return _State(a.varying | b.varying, a.masked or b.masked, a.written or b.written, a.alive or b.alive)


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
        _, alive = scalar_state(low, c.yielded)
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
        tile = replace(tile, written=init.written)
    if state.masked:
        tile = low.opened(tile) if tile.blank else with_mask(low, tile, True)
    valid: list[Index] = []
    for k, n in enumerate(init.valid):
        valid.append(_slot(low, "valid", n) if k in state.varying else n)
    written = _slot(low, "written", init.written) if state.written else init.written
    alive = _slot(low, "alive", init.alive) if state.alive else init.alive
    return replace(tile, valid=tuple(valid), written=written, alive=alive, holes=None)


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


def scalar_state(low: Lowering, source: Any) -> tuple[Index, Index]:
    """(value, alive) of a scalar that a region takes or leaves."""
    if source is None:
        return 0, 0
    if isinstance(source, Expr) and source.is_leaf and source in low.leaves:
        return low.leaves[source]
    return low.b.hold(low.scalar(source)), 1


def _enter_scalars(low: Lowering, cells: list[Carry], loose: set[Carry]) -> dict[Carry, tuple[Index, Index]]:
    found = {c: scalar_state(low, c.init) for c in cells}
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
        values[c] = scalar_state(low, c.yielded)
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
            assign(low, slot, n)
    for c in cells:
        for n, slot in zip(held[c], scalars[c], strict=True):
            assign(low, slot, n)
    for c in tiles:
        if ends[c].memory.pins and ends[c].memory.refs == 0:
            low.unpin(ends[c])


def _facts(head: NTile, end: NTile) -> list[tuple[Index, Index]]:
    """What is known of a carried tile at the head of the body, beside what its end leaves."""
    return list(zip(_facts_of(head), _facts_of(end), strict=True))


def _facts_of(tile: NTile) -> tuple[Index, ...]:
    return (*tile.valid, tile.written, tile.alive)


def _kept(end: NTile, head: NTile) -> bool:
    """Whether an iteration leaves a carried tile in the memory where it found it, with marks for its own part only."""
    same = end.memory is head.memory and end.arr == head.arr
    return same and not head.blank and (head.mask is None or end.mask == head.mask)


def assign(low: Lowering, slot: Index, value: Index) -> None:
    if isinstance(slot, Slot) and slot != value:
        low.b.add(Set(slot.name, value))


def store(low: Lowering, source: NTile, into: NTile) -> None:
    """Elements and mask of ``source`` into the memory of ``into``, unless they are there already."""
    with low.b.when(source.alive):
        low.copy_state(source, into)


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
