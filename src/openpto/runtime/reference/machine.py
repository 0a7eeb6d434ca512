"""The walker of tile IR: statements in program order, values by reference count, faults with their place.

It knows no operation: those are functions registered in ``handlers.py``. A handler gets the machine and the op and
returns the op's result (a Tile, an int for a scalar leaf, or None for a name without a value).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NoReturn

import numpy as np

from openpto.diagnostics import Site, fault, portability, warn
from openpto.ir.expr import Dim, Expr
from openpto.ir.names import UNNAMED, tensor_names
from openpto.ir.nodes import Block, Carry, If, Kernel, Let, Loop, Merge, Op, TileType, Value
from openpto.runtime.boxes import box_text
from openpto.runtime.places import place, shown
from openpto.runtime.ranks import Session
from openpto.runtime.report import NO_MEMORY

from . import regions
from .liveness import Lifetimes
from .races import RaceLog, chained_carries
from .regions import FULL, Box, Extents
from .scalars import Scalars
from .tiles import Array, Storage, Tile, duplicate

Handler = Callable[["Machine", Op], "Tile | int | None"]

MAX_ELEMENTS = 2**59
"""More elements, of eight bytes at most, have no address; numpy says so with an error of its own."""


class Machine:
    """One execution of one kernel."""

    def __init__(
        self,
        kernel: Kernel,
        buffers: Sequence[Array],
        env: Mapping[Expr, int],
        lifetimes: Lifetimes,
        handler_of: Callable[[str], Handler],
    ) -> None:
        self.kernel = kernel
        self._names: dict[int, str] | None = None
        self.buffers = buffers
        self.deaths = lifetimes.deaths
        self.lifetimes = lifetimes
        self.scalars = Scalars(env)
        self.env: dict[Value, Tile | None] = {}
        self.site: Site = Site(None)
        self.frames: list[tuple[Loop, int]] = []
        self.ops_executed = 0
        self.written = [0] * len(buffers)
        self.parameter_of: dict[int, int] = {}
        self.stores: dict[int, list[tuple[Site, Box]]] = {}
        self.races: RaceLog | None = None
        self.session: Session | None = None
        self._handler_of = handler_of
        self._handlers: dict[str, Handler] = {}
        self._warned: set[tuple[str, Op]] = set()

    # -- values --------------------------------------------------------------------------------------------------

    def bind(self, value: Value, tile: Tile | None) -> None:
        """Let ``value`` stand for ``tile``."""
        self.env[value] = tile
        if tile is not None:
            tile.storage.refs += 1

    def release(self, values: Iterable[Value]) -> None:
        """Forget values that are not read any more."""
        for value in values:
            tile = self.env.pop(value)
            if tile is not None:
                tile.storage.refs -= 1

    def tile(self, value: Value) -> Tile:
        """The tile of a value, whatever its contents; a name without a value is a fault."""
        found = self.env[value]
        if found is None:
            self.fault("PTO404", name=value.name or self.name_of(value.var))
        return found

    def source(self, value: Value) -> Tile:
        """The tile of a value that is about to be read in part; it must have been written."""
        found = self.env[value]
        if found is None:
            self.fault("PTO404", name=value.name or self.name_of(value.var))
        if not found.written:
            self.fault("PTO403", name=value.name or self.name_of(value.var), shape=shown(found.data.shape))
        return found

    def read(self, value: Any) -> Tile:
        """The tile of a value whose whole valid region is about to be read."""
        assert isinstance(value, Value)
        found = self.source(value)
        if self.races is not None:
            self.races.read(value.var, (0,) * len(found.valid), found.valid)
        return found

    def note_read(self, value: Value, low: Extents, high: Extents) -> None:
        """Log a box that is read, if a parallel loop is running."""
        if self.races is not None:
            self.races.read(value.var, low, high)

    def target(self, op: Op) -> tuple[Value, Tile]:
        """The operand that an in-place op writes, as a tile that may be changed: memory that others look at is
        copied first (theirs if the result is a parameter in its own memory, else ours). To be called before other
        operands are read."""
        value = next(o for o in reversed(op.operands) if isinstance(o, Value))
        tile = self.tile(value)
        ends = value in self.deaths[op].after
        if tile.storage.refs > (1 if ends else 0):
            if tile.storage.parameter >= 0 and tile.storage.parameter == self.parameter(op):
                self._evict(tile.storage, value if ends else None)
            else:
                tile = duplicate(tile)
        defined = tile.defined if ends or not isinstance(tile.defined, np.ndarray) else tile.defined.copy()
        return value, Tile(tile.data, tile.valid, defined, tile.storage, True, tile.clean)

    def parameter(self, op: Op) -> int:
        """Number of the parameter whose new state an op gives, or -1."""
        result = op.results[0]
        return self.parameter_of.get(result.var, -1) if isinstance(result, Value) else -1

    def _evict(self, storage: Storage, keep: Value | None) -> None:
        """Give every tile that looks at ``storage``, except ``keep``, memory of its own."""
        copies: dict[Tile, Tile] = {}
        for value, tile in self.env.items():
            if tile is not None and tile.storage is storage and value is not keep:
                copy = copies.get(tile) or copies.setdefault(tile, duplicate(tile))
                self.env[value] = copy
                storage.refs -= 1
                copy.storage.refs += 1

    def stored(self, op: Op, low: Extents, high: Extents, *, whole: bool = True) -> None:
        """Note a box that an in-place op wrote; ``whole`` tells that all stored elements are defined."""
        if self.races is not None:
            result = op.results[0]
            assert isinstance(result, Value)
            self.races.write(result.var, low, high)
        number = self.parameter(op)
        if number >= 0:
            self.written[number] += regions.count([b - a for a, b in zip(low, high, strict=True)])
            if not whole:
                self.stores.setdefault(number, []).append((self.place(op.site), (low, high)))

    def added(self, op: Op, low: Extents, high: Extents, *, whole: bool = True) -> None:
        """Note a box that an atomic operation changed; two of them do not race."""
        races, self.races = self.races, None
        self.stored(op, low, high, whole=whole)
        self.races = races

    def dims(self, dims: Sequence[Dim]) -> Extents:
        """Run-time values of dims in attributes and types."""
        return self.scalars.many(dims)

    def shape(self, type: TileType) -> Extents:
        """The run-time capacity of a type; a negative extent and more elements than can be addressed are faults."""
        shape = self.scalars.many(type.shape)
        if shape and min(shape) < 0:
            self.fault("PTO459", shape=shown(shape))
        if math.prod(shape) > MAX_ELEMENTS:
            self.fault("PTO442", why=NO_MEMORY)
        return shape

    # -- places --------------------------------------------------------------------------------------------------

    def place(self, site: Site) -> Site:
        """``site`` with the present values of the loop indices."""
        return place(site, self.frames)

    def fault(self, code: str, /, **fields: Any) -> NoReturn:
        """Stop the run at the present statement."""
        fault(code, site=self.place(self.site), **fields)

    def warn(self, code: str, node: Op, /, **fields: Any) -> None:
        """Warn once per statement."""
        if (code, node) not in self._warned:
            self._warned.add((code, node))
            warn(code, site=self.place(node.site), **fields)

    def portability(self, code: str, node: Op, /, **fields: Any) -> None:
        """What some toolchains refuse: once per statement, a warning or an error as the target says."""
        if (code, node) not in self._warned:
            self._warned.add((code, node))
            portability(code, site=self.place(node.site), **fields)

    # -- statements ----------------------------------------------------------------------------------------------

    def run(self) -> None:
        """Execute the kernel's body; final states of the parameters are left in ``env``."""
        for number, param in enumerate(self.kernel.params):
            if param.value.var in self.parameter_of:  # the same memory as an earlier parameter
                continue
            self.parameter_of[param.value.var] = number
            data = self.buffers[number]
            self.bind(param.value, Tile(data, data.shape, FULL, Storage(number), clean=False))
        self.release(v for v in self.lifetimes.entry if v in self.env)
        self.block(self.kernel.body)

    def block(self, block: Block) -> None:
        """Execute statements in order."""
        for stmt in block.body:
            self.site = stmt.site
            if isinstance(stmt, Op):
                self.op(stmt)
            elif isinstance(stmt, Let):
                self.scalars.set(stmt.leaf, self.scalars.copy(stmt.value))
            elif isinstance(stmt, Loop):
                self.loop(stmt)
            else:
                self.branch(stmt)

    def op(self, op: Op) -> None:
        """Execute one operation and bind its result."""
        handler = self._handlers.get(op.name)
        if handler is None:
            handler = self._handlers[op.name] = self._handler_of(op.name)
        outcome = handler(self, op)
        self.ops_executed += 1
        if op.results:
            result = op.results[0]
            if isinstance(result, Value):
                assert not isinstance(outcome, int)
                self.bind(result, outcome)
            else:
                assert not isinstance(outcome, Tile)
                self.scalars.set(result, outcome)
        self.release(self.deaths[op].after)

    def loop(self, loop: Loop) -> None:
        """Execute a loop; the bounds are evaluated once."""
        start, stop, step = self.scalars.of(loop.start), self.scalars.of(loop.stop), self.scalars.of(loop.step)
        if step == 0:
            self.fault("PTO460", name=loop.attrs.get("name") or "the loop")
        deaths = self.deaths[loop]
        state = self._hold([(c.init, c.param) for c in loop.carries])
        self.release(deaths.inits)
        outer = self.races
        chained: frozenset[Carry] = frozenset()
        if loop.attrs.get("parallel") and outer is None:
            self.races = RaceLog(frozenset(v.var for v in self.env) | _carried_vars(loop))
            chained = chained_carries(loop)
        end_site, sites = loop.end_site(), [loop.yield_site(c) for c in loop.carries]
        for index in range(start, stop, step):
            self.frames.append((loop, index))
            if self.races is not None and outer is None:
                self.races.iteration = index
            self.scalars.set(loop.index, index)
            self._give([c.param for c in loop.carries], state)
            self.release(deaths.enter[0])
            self.block(loop.body)
            self.site = end_site
            state = self._hold([(c.yielded, c.param) for c in loop.carries], sites)
            if self.races is not None and outer is None:
                self._note_rebinding(loop, chained, state)
            self.release(deaths.leave[0])
            self.frames.pop()
        self.site = loop.site
        self._give([c.result for c in loop.carries], state)
        self.release(deaths.after)
        if self.races is not outer:
            self._check_races(loop)
            self.races = outer

    def branch(self, stmt: If) -> None:
        """Execute the chosen branch and merge what it leaves."""
        taken = 0 if self.scalars.of(stmt.cond) else 1
        deaths = self.deaths[stmt]
        self.release(deaths.enter[taken])
        self.block(stmt.other if taken else stmt.then)
        self.site = stmt.site
        merges: tuple[Merge, ...] = stmt.merges
        sites = [m.sites[taken] or stmt.site for m in merges]
        state = self._hold([(m.other if taken else m.then, m.result) for m in merges], sites)
        self.release(deaths.leave[taken])
        self._give([m.result for m in merges], state)
        self.release(deaths.after)

    def _hold(
        self, pairs: Sequence[tuple[Value | Expr | None, Value | Expr]], sites: Sequence[Site] = ()
    ) -> list[Tile | int | None]:
        """Present states of (source, name it goes to), all read before any is given; tiles are kept alive.

        ``sites``: the place of each, if it is not the present one.
        """
        held: list[Tile | int | None] = []
        for number, (source, name) in enumerate(pairs):
            if isinstance(name, Value):
                tile = self.env[source] if isinstance(source, Value) else None
                if tile is not None:
                    tile.storage.refs += 1
                held.append(tile)
            else:
                assert not isinstance(source, Value)
                if sites:
                    self.site = sites[number]
                held.append(self.scalars.copy(source))
        return held

    def _give(self, names: Sequence[Value | Expr], state: Sequence[Tile | int | None]) -> None:
        """Bind held states to names; their references move along."""
        for name, item in zip(names, state, strict=True):
            if isinstance(name, Value):
                assert not isinstance(item, int)
                self.env[name] = item
            else:
                assert not isinstance(item, Tile)
                self.scalars.set(name, item)

    # -- parallel loops ------------------------------------------------------------------------------------------

    def _note_rebinding(self, loop: Loop, chained: frozenset[Carry], state: Sequence[Tile | int | None]) -> None:
        """A carried object that took over another state, not one written in place, was written as a whole."""
        assert self.races is not None
        for carry, item in zip(loop.carries, state, strict=True):
            if isinstance(item, Tile) and isinstance(carry.param, Value) and carry not in chained:
                self.races.write(carry.param.var, (0,) * len(item.valid), item.valid)

    def _check_races(self, loop: Loop) -> None:
        assert self.races is not None
        self.site = loop.site
        race = self.races.first()
        if race is not None:
            self.fault(
                "PTO461",
                name=self.name_of(race.var),
                loop=loop.attrs.get("name") or "the loop",
                index=loop.attrs.get("idx_name") or "index",
                writer=race.writer,
                other=race.other,
                action="writes" if race.other_writes else "reads",
                box=box_text(race.box),
            )

    def name_of(self, var: int) -> str:
        """How messages call a tensor."""
        if self._names is None:
            self._names = tensor_names(self.kernel)
        return self._names.get(var, UNNAMED)


def _carried_vars(loop: Loop) -> frozenset[int]:
    return frozenset(c.param.var for c in loop.carries if isinstance(c.param, Value))
