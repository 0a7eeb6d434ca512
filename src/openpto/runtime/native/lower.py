"""Tile IR to loop IR.

Purpose: one program per kernel with all its control flow; run-time sizes are slots, so it serves every size.
Precondition: verified SSA. Postcondition: the program computes the reference's bits, and its checks stop where the
reference stops, in the same order.
Method: statements are lowered in program order with the reference's rules on descriptions of tiles (``tiles.py``);
what is known now folds away. A loop body is lowered under the assumption that what is known of a carried tile stays
so; if its end disagrees, the assumption is weakened and the body lowered again.
Non-goals: fusion across operations; that is a pass over the result of ``each`` (see docs/architecture.md).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from openpto._records import dataclass, field, replace
from openpto.diagnostics import Site
from openpto.ir import affine
from openpto.ir.dtypes import bytes_of
from openpto.ir.expr import Dim, Expr
from openpto.ir.names import UNNAMED, tensor_names
from openpto.ir.nodes import Block, Carry, Kernel, Let, Loop, Op, Stmt, TileType, Value
from openpto.ops import arith
from openpto.runtime.places import shown
from openpto.runtime.reference.liveness import Lifetimes
from openpto.runtime.report import NO_MEMORY

from . import loopir as L
from . import races
from .aliases import Aliases
from .build import Arr, Builder, compact, copy, count, fill, positions
from .caches import with_hints
from .independence import plans
from .loopir import Check, Index, Program, Ptr, Set, Slot
from .nests import normal
from .parallel import region
from .privatise import OWN
from .scalars import evaluate
from .sites import SiteEntry, Sites
from .spread import spread
from .tiles import Arena, Memory, NTile, marked, numbers, place, place_mask, stored_type, zero
from .waiting import Waiting

Handler = Callable[["Lowering", Op], "NTile | None"]


class Unsupported(Exception):
    """The engine cannot compile this; the whole kernel runs on the reference. ``what`` names it, ``site`` is where."""

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.what = what
        self.site: Site | None = None


@dataclass(frozen=True, slots=True)
class Lowered:
    """A program and what is needed to run it: ``sizes`` in the order of its slots, and per parameter the number of the
    first one that is the same memory."""

    program: Program
    sites: Sites
    sizes: tuple[Expr, ...]
    numbers: tuple[int, ...]


@dataclass(slots=True)
class Held:
    """A branch that is being lowered: values from outside, those of them that ended inside, and how many of these
    ended in the side before."""

    outer: frozenset[Value]
    waiting: list[Value] = field(default_factory=list)
    mark: int = 0


class Lowering:
    """Lowers one kernel."""

    def __init__(
        self, kernel: Kernel, lifetimes: Lifetimes, aliases: Aliases, handlers: Callable[[str], Handler]
    ) -> None:
        self.kernel = kernel
        self.names = tensor_names(kernel)
        self.deaths = lifetimes.deaths
        self.lifetimes = lifetimes
        self.aliases = aliases
        self.handlers = handlers
        self.b = Builder()
        self.arena = Arena()
        self.sites = Sites()
        self.env: dict[Value, NTile] = {}
        self.leaves: dict[Expr, tuple[Index, Index]] = {}
        self.known: dict[Expr, affine.Interval] = {}
        self.loops: list[tuple[Loop, Index]] = []
        self.later: dict[Loop, dict[Carry, NTile]] = {}
        self.assumed: dict[Loop, Any] = {}
        self.site: Site = kernel.body.body[0].site if kernel.body.body else Site(None)
        self.op: Op | None = None
        self.sizes: dict[Expr, str] = {}
        self.parameter_of: dict[int, int] = {}
        self.held: list[Held] = []
        self.routines: dict[str, None] = {}
        self.calls: Callable[[str], None] = lambda routine: None
        self.scratch: list[Memory] = []
        self.waiting: list[Memory] = []
        self.b.on_flush = self._give_back
        self.watch: races.Watch | None = None
        self.plans = plans(kernel, lifetimes)
        self.regions = self.local = 0
        self.counters = ("ops", *(f"written{k}" for k in range(len(kernel.params))))
        self.following: Stmt | None = None
        self.waiting_results: dict[int, Waiting] = {}
        self.beside: dict[Op, NTile] = {}

    def routine(self, name: str) -> None:
        """The program calls a routine."""
        if name not in self.routines:
            self.routines[name] = None
            self.calls(name)

    # -- faults --------------------------------------------------------------------------------------------------

    def name_of(self, var: int) -> str:
        """How messages call a tensor."""
        return self.names.get(var, UNNAMED)

    def entry(self, code: str, fields: Callable[..., dict[str, Any]], count: int, kind: str = "fault") -> int:
        """A site for the present statement."""
        loops = tuple(loop for loop, _ in self.loops)
        if count + len(loops) >= L.RECORD:
            raise Unsupported("a message with so many numbers")
        key = id(self.op) if self.op is not None else 0
        return self.sites.add(SiteEntry(code, self.site, loops, fields, count, kind, key))

    def check(self, ok: Index, code: str, fields: Callable[..., dict[str, Any]], *values: Index) -> None:
        """Stop with ``code`` unless ``ok``; ``fields`` makes the message's fields from the values."""
        ok = self.b.facts.decide(ok)
        if isinstance(ok, int) and ok:
            return
        number = self.entry(code, fields, len(values))
        self.b.add(Check(ok, number, (*values, *(i for _, i in self.loops))))
        self.b.facts.learn(ok)

    def note(
        self, when: Index, code: str, fields: Callable[..., dict[str, Any]], *values: Index, kind: str = "warn"
    ) -> None:
        """Report ``code`` if ``when``."""
        when = self.b.facts.decide(when)
        if isinstance(when, int) and not when:
            return
        number = self.entry(code, fields, len(values), kind)
        with self.b.when(when):
            self.tell(number, values, kind in ("warn", "portability"))

    def tell(self, number: int, values: Sequence[Index], once: bool = False) -> None:
        """Hand a record to the host."""
        self.b.add(L.Note(number, (*values, *(i for _, i in self.loops)), once))

    def no_memory(self) -> int:
        """The site of a failed reservation."""
        return self.entry("PTO442", lambda: {"why": NO_MEMORY}, 0)

    # -- scalars -------------------------------------------------------------------------------------------------

    def scalar(self, node: Dim) -> Index:
        """The value of an int or expression; faults as the reference does."""
        if isinstance(node, int):
            return node
        return evaluate(self, node)

    def dims(self, nodes: Sequence[Dim]) -> tuple[Index, ...]:
        """Several scalars, held in slots."""
        return tuple(self.b.hold(self.scalar(n)) for n in nodes)

    def shape(self, type: TileType) -> tuple[Index, ...]:
        """The capacity of a type; a negative extent is a fault."""
        shape = self.dims(type.shape)
        unknown = [n for n in shape if not isinstance(n, int)]
        if unknown:
            ok: Index = 1
            for n in unknown:
                ok = L.binary("and", ok, L.binary("ge", n, 0))
            self.check(ok, "PTO459", lambda *s: {"shape": shown(s)}, *shape)
        return shape

    def set_leaf(self, leaf: Expr, value: Index, alive: Index = 1) -> None:
        """Give a leaf its value, in slots of its own so that loops may change it."""
        slot = self.b.name("leaf")
        self.b.add(Set(slot, value))
        self.b.facts.same(slot, value)
        live: Index = alive
        if not isinstance(alive, int):
            live_slot = self.b.name("alive")
            self.b.add(Set(live_slot, alive))
            live = Slot(live_slot)
        self.leaves[leaf] = (Slot(slot), live)

    # -- tiles ---------------------------------------------------------------------------------------------------

    def tile(self, value: Value, bare: bool = False, blank: bool = False) -> NTile:
        """The tile of a value; a name without a value is a fault. The caller must ask for one that may be bare or
        blank."""
        found = self.env[value]
        if found.bare and not bare:
            found = self.mark(value)
        if found.blank and not blank:
            found = self.opened(found)
        name = value.name or self.name_of(value.var)
        self.check(found.alive, "PTO404", lambda: {"name": name})
        return found

    def mark(self, value: Value) -> NTile:
        """Write the mask of a bare tile."""
        tile = self.env[value] = self.marked(self.env[value])
        assert tile.marks is not None
        tile.marks.refs += 1
        return tile

    def mark_all(self) -> None:
        """Write the masks of all bare tiles, because what follows may not run and what comes after it needs them."""
        for value in [v for v, tile in self.env.items() if tile.bare]:
            self.mark(value)

    def marked(self, tile: NTile) -> NTile:
        """A bare tile with its mask."""
        made = marked(self.b, self.arena, tile, self.no_memory())
        assert made.marks is not None
        self.temporary(made.marks)
        return made

    def opened(self, tile: NTile, bare: bool = False) -> NTile:
        """A blank tile with a mask that says what ``written`` says, so that a part of it may be written."""
        known = numbers(tile.shape)
        if tile.written == 0 and known is not None:
            made = replace(tile, holes=(((0,) * len(known), known),))
            return made if bare else self.marked(made)
        mask, marks = place_mask(self.b, self.arena, tile.shape, self.no_memory())
        self.temporary(marks)
        with self.b.when(tile.written):
            fill(self.b, tile.shape, TRUE, mask)
        with self.b.when(L.binary("eq", tile.written, 0)):
            self.clear(tile, tile.shape, tile.arr, mask)
        return replace(tile, mask=mask, marks=marks)

    def clear(self, tile: NTile, extents: Sequence[Index], arr: Arr, mask: Arr) -> None:
        """Nothing is defined, and what is not defined is zero."""
        fill(self.b, extents, zero(tile.dtype), arr)
        fill(self.b, extents, arith.const(False, arith.BOOL), mask)

    def source(self, value: Any) -> NTile:
        """The tile of a value that is about to be read."""
        assert isinstance(value, Value)
        found = self.tile(value, blank=True)
        name = value.name or self.name_of(value.var)
        self.check(
            found.written,
            "PTO403",
            lambda *s: {"name": name, "shape": shown(s)},
            *(() if found.written == 1 else found.shape),
        )
        return found if found.written == 1 else replace(found, written=1)

    def read(self, value: Any) -> NTile:
        """The tile of a value whose whole valid region is about to be read."""
        found = self.source(value)
        races.touch(self, value.var, [0] * len(found.valid), found.valid, False)
        return found

    def fresh(self, type: TileType, shape: Sequence[Index], valid: Sequence[Index], masked: bool = False) -> NTile:
        """A tile in memory of its own."""
        arr, memory = place(self.b, self.arena, shape, type.dtype, self.no_memory())
        mask = marks = None
        if masked:
            mask, marks = place_mask(self.b, self.arena, shape, self.no_memory())
            self.temporary(marks)
        self.temporary(memory)
        return NTile(arr, tuple(shape), tuple(valid), mask, memory, marks)

    def temporary(self, memory: Memory) -> None:
        """Memory that is free again after the present op unless a value is bound to it."""
        self.scratch.append(memory)

    def env_extent(self, value: Value, axis: int) -> Index:
        """The capacity of an axis of a value's tile."""
        return self.env[value].shape[axis]

    def like(self, tile: NTile, masked: bool) -> NTile:
        """A tile of the same type, shape and validity in memory of its own."""
        return self.fresh(TileType((), tile.dtype), tile.shape, tile.valid, masked)

    def bind(self, value: Value, tile: NTile) -> None:
        """Let ``value`` stand for ``tile``."""
        self.env[value] = tile
        for memory in (tile.memory, tile.marks):
            if memory is not None:
                memory.refs += 1

    def release(self, values: Sequence[Value]) -> None:
        """Forget values; memory that nobody looks at is free again. Inside a branch the values from outside stay,
        because the other branch may need them."""
        for value in values:
            if self.held and value in self.held[-1].outer:
                self.held[-1].waiting.append(value)
                continue
            tile = self.env.pop(value, None)
            if tile is not None:
                for memory in (tile.memory, tile.marks):
                    if memory is not None:
                        memory.refs -= 1
                        self._reclaim(memory)

    def alive(self) -> list[Value]:
        """Values that the present path through the branches around still needs."""
        ended = {v for held in self.held for v in held.waiting[held.mark :]}
        return [v for v in self.env if v not in ended]

    def _reclaim(self, memory: Memory) -> None:
        """Memory that nobody looks at is free, once the element statements that wait are written."""
        if memory.refs == 0 and memory.pins == 0 and memory.size and not memory.freed:
            if self.b.group.items:
                self.b.group.dead.add(memory.owner)
                self.waiting.append(memory)
            else:
                memory.give_back()

    def _give_back(self) -> None:
        waiting, self.waiting = self.waiting, []
        for memory in waiting:
            if memory.refs == 0 and memory.pins == 0 and not memory.freed:
                memory.give_back()

    @contextmanager
    def own_arena(self, wanted: bool) -> Iterator[Arena | None]:
        """What a block keeps lies in an arena of the thread that runs it, if that is wanted; regions do not nest, and
        the log of a race check wants one thread."""
        if not wanted or self.arena.base == "local" or self.watch is not None:
            yield None
            return
        outer, self.arena = self.arena, Arena("local")
        yield self.arena
        self.arena = outer

    @contextmanager
    def threaded(self) -> Iterator[None]:
        """The block adds one loop, whose iterations are independent: a region where there can be one. What the block
        allocates is the thread's."""
        with self.own_arena(True) as arena, self.b.nested() as body:
            yield
        parts: Sequence[L.Stmt] = body
        if arena is not None:
            (loop,) = body
            assert isinstance(loop, L.For)
            made = region(loop, arena.high, self.counters, (), self.b.name)
            assert made is not None, "a loop of the engine hands slots on"
            parts = made
            self.regions += 1
            self.local = max(self.local, arena.high)
        for part in parts:
            self.b.add(part)

    def pin(self, tile: NTile) -> None:
        """Keep the memory of ``tile`` although no value may look at it for a while."""
        for memory in (tile.memory, tile.marks):
            if memory is not None:
                memory.pins += 1

    def unpin(self, tile: NTile, temporary: bool = False) -> None:
        """End a :meth:`pin`; a ``temporary`` tile stays until the end of the present op."""
        for memory in (tile.memory, tile.marks):
            if memory is not None:
                memory.pins -= 1
                if temporary:
                    self.temporary(memory)
                else:
                    self._reclaim(memory)

    def target(self, op: Op, bare: bool = False, blank: bool = False) -> tuple[Value, NTile]:
        """The operand that an in-place op writes, in memory that nobody else looks at; bare and blank tiles only if
        asked for."""
        value, tile = self._target(op, bare)
        return value, self.opened(tile, bare) if tile.blank and not blank else tile

    def _target(self, op: Op, bare: bool) -> tuple[Value, NTile]:
        value = next(o for o in reversed(op.operands) if isinstance(o, Value))
        tile = self.tile(value, bare, blank=True)
        others = 1 if value in self.deaths[op].after else 0
        if sum(o is value for o in op.operands) > 1:  # the op also reads it: as it was before
            return value, self.duplicate(tile)
        if tile.memory.refs > others or (tile.marks is not None and tile.marks.refs > others):
            tile = self.duplicate(tile)
        return value, tile

    def duplicate(self, tile: NTile) -> NTile:
        """The same state in memory of its own."""
        made = self.like(tile, tile.mask is not None)
        self.copy_state(tile, made)
        return replace(made, written=tile.written, alive=tile.alive, holes=tile.holes)

    def copy_state(self, source: NTile, into: NTile) -> None:
        """Elements and mask of the valid region."""
        moves = source.memory is not into.memory or source.arr != into.arr
        with self.b.when(source.written if source.blank else 1):
            if moves:
                copy(self.b, source.valid, source.arr, into.arr)
            if into.mask is not None and source.mask != into.mask:
                self.copy_mask(source, into.mask)
        if source.blank and into.mask is not None:
            with self.b.when(L.binary("eq", source.written, 0)):
                self.clear(into, source.valid, into.arr, into.mask)

    def copy_mask(self, source: NTile, into: Arr) -> None:
        """The mask of the valid region; all true where ``source`` has none, which must not be blank."""
        if source.mask is None:
            fill(self.b, source.valid, TRUE, into)
        else:
            copy(self.b, source.valid, source.mask, into)

    # -- statements ----------------------------------------------------------------------------------------------

    def lowered(self) -> Lowered:
        """The whole kernel."""
        self.b.add(Set("ops", 0))
        for number in range(len(self.kernel.params)):
            self.b.add(Set(f"written{number}", 0))
        sizes: dict[str, Index] = {}
        for number, param in enumerate(self.kernel.params):
            if param.value.var in self.parameter_of:  # the same memory as an earlier parameter
                continue
            self.parameter_of[param.value.var] = number
            shape = tuple(self.size(d) if isinstance(d, Expr) else d for d in param.value.type.shape)
            memory = Memory(home=number)
            arr = Arr(Ptr(f"param{number}", 0, stored_type(param.value.type.dtype), memory.owner), compact(shape))
            sizes[f"param{number}"] = L.mul(count(shape), bytes_of(arr.dtype))
            self.bind(param.value, NTile(arr, shape, shape, None, memory))
        self.release([v for v in self.lifetimes.entry if v in self.env])
        self.block(self.kernel.body)
        self.finish()
        params = tuple(f"param{k}" for k in range(len(self.kernel.params)))
        body, more = spread(with_hints(self.b.body(), sizes), self.b.name)
        program = Program(
            self.kernel.name,
            params,
            tuple(self.sizes.values()),
            self.arena.high,
            body,
            tuple(self.routines),
            self.regions + more,
            self.local,
        )
        numbers = tuple(self.parameter_of[p.value.var] for p in self.kernel.params)
        return Lowered(program, self.sites, tuple(self.sizes), numbers)

    def size(self, leaf: Expr) -> Index:
        """A run-time extent or named symbol, which the caller gives."""
        found = self.sizes.setdefault(leaf, f"size{len(self.sizes)}")
        self.b.facts.name(found, within=affine.bounds(leaf))
        return Slot(found)

    def block(self, block: Block) -> None:
        """Statements in order."""
        ops = sum(isinstance(stmt, Op) and OWN not in stmt.attrs for stmt in block.body)
        if ops:
            self.b.add(Set("ops", L.add(Slot("ops"), ops)))
        for stmt, following in zip(block.body, (*block.body[1:], None), strict=False):
            self.following = following
            self.site = stmt.site
            self.op = stmt if isinstance(stmt, Op) else None
            try:
                _LOWER[type(stmt)](self, stmt)
            except Unsupported as missing:
                missing.site = missing.site or stmt.site
                raise

    def operation(self, op: Op) -> None:
        """One op."""
        self.b.add(L.Comment(f"{op.name}{_line(op.site)}"))
        made = self.handlers(op.name)(self, op)
        if op.results and isinstance(op.results[0], Value):
            assert made is not None
            self.bind(op.results[0], made)
        for memory in self.scratch:
            self._reclaim(memory)
        self.scratch = []
        self.release(self.deaths[op].after)

    def let(self, stmt: Let) -> None:
        """A scalar; a bare leaf without a value is copied as such."""
        if stmt.value is None:
            self.set_leaf(stmt.leaf, 0, 0)
        elif stmt.value.is_leaf and stmt.value in self.leaves:
            self.set_leaf(stmt.leaf, *self.leaves[stmt.value])
        else:
            self.set_leaf(stmt.leaf, self.scalar(stmt.value))

    def finish(self) -> None:
        """Parameters must be defined; a final state in other memory is copied home."""
        self.op = None
        body = self.kernel.body.body
        self.site = body[-1].site if body else self.site
        foreign: list[tuple[int, NTile]] = []
        for param in self.kernel.params:
            number = self.parameter_of[param.value.var]
            tile = self.tile(param.final)
            if param.final is param.value:
                continue
            self._check_defined(number, param.name, tile)
            if tile.memory.home != number:
                foreign.append((number, self.duplicate(tile) if tile.memory.home >= 0 else tile))
        for number, tile in foreign:
            copy(self.b, tile.valid, tile.arr, Arr(Ptr(f"param{number}", 0, tile.dtype), compact(tile.shape)))
        for number in range(len(self.kernel.params)):
            self.b.add(L.Out(1 + number, Slot(f"written{number}")))
        self.b.add(L.Out(0, Slot("ops")))

    def _check_defined(self, number: int, name: str, tile: NTile) -> None:
        if tile.mask is None:
            return
        loops, self.loops = self.loops, []
        entry = self.entry("PTO401", lambda *i: {"name": name, "index": shown(i)}, len(tile.shape), f"hole {number}")
        self.loops = loops
        with self.b.when(L.binary("eq", self.all_defined(tile), 0)), positions(self.b, tile.valid) as at:
            self.b.add(Check(L.Peek(tile.mask.moved(at).at), entry, at))

    # -- what a tile holds ---------------------------------------------------------------------------------------

    def all_defined(self, tile: NTile) -> Index:
        """Whether every valid element is defined."""
        if tile.mask is None:
            return 1
        flag = Ptr("flag", 0, arith.BOOL)
        axes = normal(tile.valid, [tile.mask.strides])
        *outer, (length, (step,)) = axes or [(1, (1,))]
        self.b.add(L.Poke(flag, 1))
        with positions(self.b, [n for n, _ in outer]) as at:
            row = Arr(tile.mask.at, tuple(s for _, (s,) in outer)).moved(at)
            x, before, y, acc = (self.b.name(hint) for hint in ("x", "before", "y", "acc"))
            joined = L.Load(x, row.at, step), L.Load(before, flag, 0), L.Compute(y, AND, (x, before))
            self.b.add(L.Vector(length, (*joined, L.Fold(acc, AND, y)), (L.Acc(acc, TRUE, AND, flag),)))
        slot = self.b.name("whole")
        self.b.add(Set(slot, L.Peek(flag)))
        return Slot(slot)

    def parameter(self, op: Op) -> int:
        """Number of the parameter whose new state an op gives, or -1."""
        result = op.results[0]
        return self.parameter_of.get(result.var, -1) if isinstance(result, Value) else -1

    def stored(self, op: Op, low: Sequence[Index], extents: Sequence[Index], whole: Index = 1) -> None:
        """Note a box that an in-place op wrote; ``whole`` tells that all stored elements are defined."""
        result = op.results[0]
        assert isinstance(result, Value)
        high = [L.add(a, n) for a, n in zip(low, extents, strict=True)]
        races.touch(self, result.var, low, high, True)
        number = self.parameter(op)
        if number < 0:
            return
        total: Index = 1
        for n in extents:
            total = L.mul(total, n)
        self.b.add(Set(f"written{number}", L.add(Slot(f"written{number}"), total)))
        if whole != 1:
            self.note(L.binary("eq", whole, 0), "PTO401", lambda *_: {}, *low, *high, kind=f"store {number}")


TRUE = arith.const(True, arith.BOOL)
AND = arith.build(lambda a, b: a & b, arith.BOOL, arith.BOOL)


def _line(site: Site) -> str:
    return f" line {site.span.line}" if site.span else ""


_LOWER: dict[type, Callable[..., None]] = {Op: Lowering.operation, Let: Lowering.let}


def lowers_region(kind: type) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Register the function that lowers a kind of statement."""

    def register(function: Callable[..., None]) -> Callable[..., None]:
        _LOWER[kind] = function
        return function

    return register
