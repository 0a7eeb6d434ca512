"""The native engine's entry: compile once per kernel, then run for every size."""

from __future__ import annotations

import ctypes
import os
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from openpto._forks import opened_in_child
from openpto._records import dataclass
from openpto.diagnostics import PyptoWarning, Site, collect_warnings, fault, make_error
from openpto.ir import expr
from openpto.ir.expr import Expr
from openpto.ir.nodes import Block, If, Kernel, Loop
from openpto.runtime import collector
from openpto.runtime.progress import busy
from openpto.runtime.ranks import Session, ended
from openpto.runtime.reference.engine import bound_sizes, lifetimes_of
from openpto.runtime.report import RunReport

from . import (
    branches,
    contraction,
    convolution,
    elementwise,
    gemm,
    indexing,
    inspection,
    jit,
    later,
    microscaled,
    movement,
    paged,
    pairs,
    pool,
    random_numbers,
    reduction,
    regions,
    reshaping,
    scan,
    select,
    shmem,
    sort,
    storing,
    updating,
)
from .aliases import Aliases
from .emit import Emitter
from .handlers import handler_of
from .loopir import RECORD, text
from .lower import Lowered, Lowering, Unsupported
from .privatise import privatised
from .races import HostLog
from .sites import SiteEntry, Sites, located
from .verify import problems

FAMILIES = (
    branches,
    contraction,
    convolution,
    elementwise,
    indexing,
    inspection,
    microscaled,
    movement,
    paged,
    pairs,
    random_numbers,
    reduction,
    regions,
    reshaping,
    scan,
    select,
    shmem,
    sort,
    storing,
    updating,
)
"""Modules that register handlers."""

MOST_STATEMENTS = 25_000
_KEPT = 64
_compiled: OrderedDict[tuple[int, jit.Target], tuple[Kernel, Native]] = OrderedDict()
_lock = opened_in_child(threading.Lock())


@dataclass(slots=True)
class Native:
    """A compiled kernel: machine code and what is needed to call it.

    names    the parameters
    sizes    values of the program's size slots, in their order
    numbers  per parameter, the number of the first one that is the same memory
    scratch  bytes of memory that a run needs
    regions  whether parts of it may run on several threads
    sites    its faults and notes; of kept code they are made again when it has something to say
    """

    code: jit.Compiled
    names: tuple[str, ...]
    sizes: tuple[Expr, ...]
    numbers: tuple[int, ...]
    scratch: int
    regions: bool
    places: Callable[[], Sites]
    _sites: Sites | None = None

    @property
    def sites(self) -> Sites:
        """All places of the program that can stop it or report something."""
        if self._sites is None:
            self._sites = self.places()
        return self._sites


def lower(kernel: Kernel, calls: Callable[[str], None] | None = None) -> Lowered:
    """The loop IR of a kernel; ``calls`` is told the routines that it calls as soon as they are known.

    Raises:
        Unsupported: the engine cannot compile it.
    """
    kernel = privatised(kernel, lifetimes_of(kernel))
    lowering = Lowering(kernel, lifetimes_of(kernel), Aliases(kernel), handler_of)
    if calls is not None:
        lowering.calls = calls
    lowered = lowering.lowered()
    if os.environ.get("PYPTO_VERIFY_NATIVE"):
        wrong = problems(lowered.program)
        assert not wrong, "; ".join(wrong[:5])
    return lowered


def llvm_text(lowered: Lowered, goal: jit.Target) -> str:
    """The LLVM module of a lowered kernel."""
    return Emitter(lowered.program, goal.features, goal.is_x86).module()


def stage_text(kernel: Kernel, stage: str) -> str:
    """What ``pypto ir --stage loop|llvm|asm`` prints."""
    lowered = lower(kernel)
    if stage == "loop":
        return text(lowered.program)
    goal = jit.target()
    module = llvm_text(lowered, goal)
    return module if stage == "llvm" else jit.assembly(module, goal)


def compile_kernel(kernel: Kernel) -> Native:
    """Machine code, kept for the kernels that ran last."""
    goal = jit.target()
    key = (id(kernel), goal)
    with _lock:
        found = _compiled.get(key)
        if found is not None:
            _compiled.move_to_end(key)
            return found[1]
    with busy("compiling", kernel.name):
        native = _compile(kernel, goal)
    with _lock:
        _compiled[key] = (kernel, native)
        while len(_compiled) > _KEPT:
            _compiled.popitem(last=False)
    return native


def compiled() -> list[tuple[Kernel, Native]]:
    """The kernels that ran last, with their code."""
    with _lock:
        return list(_compiled.values())


@collector.rests
def _compile(kernel: Kernel, goal: jit.Target) -> Native:
    size = statements(kernel.body)
    if size > MOST_STATEMENTS:
        raise Unsupported(f"a kernel of {size} statements; {MOST_STATEMENTS} compile in reasonable time")
    hands = pool.wanted()
    lowered = lower(kernel, (lambda name: jit.begin(goal, gemm.modules((name,), goal))) if hands > 1 else None)
    text, routines = llvm_text(lowered, goal), gemm.modules(lowered.program.routines, goal)
    code = jit.compile_text(
        text, goal, routines, hands, pool.extra() if lowered.program.regions and hands > 1 else None
    )
    names, sites = tuple(p.name for p in kernel.params), lowered.sites
    program = lowered.program
    scratch, regions = program.scratch + program.local, program.regions > 0
    return Native(code, names, lowered.sizes, lowered.numbers, scratch, regions, lambda: sites)


def statements(block: Block) -> int:
    """Statements of a block, nested ones included."""
    total = len(block.body)
    for stmt in block.body:
        if isinstance(stmt, Loop):
            total += statements(stmt.body)
        elif isinstance(stmt, If):
            total += statements(stmt.then) + statements(stmt.other)
    return total


def execute(kernel: Kernel, buffers: Sequence[NDArray[Any]], env: Mapping[Expr, int]) -> RunReport:
    """Run ``kernel`` on ``buffers`` (see :func:`openpto.runtime.execute`).

    Raises:
        Unsupported: nothing was run; the caller falls back to the reference.
    """
    return run(compile_kernel(kernel), buffers, bound_sizes(kernel, buffers, env))


def run(native: Native, buffers: Sequence[NDArray[Any]], sizes: Mapping[Expr, int]) -> RunReport:
    """Run compiled code; ``sizes`` has the value of every symbol."""
    with collect_warnings() as warnings:
        prepared = Prepared(native, sizes)
        record = prepared.run([b.ctypes.data for b in buffers])
        if record is None:  # the reference finds the operation that is too large
            raise Unsupported(f"{native.scratch} bytes of scratch")
        ops, written = prepared.counts(record)
    return RunReport("native", ops, written, tuple(warnings))


class Prepared:
    """Compiled code for one choice of sizes; runs as often as wanted, from any thread."""

    __slots__ = ("_addresses", "_end", "_entry", "_memory", "_scratch", "_sizes", "_sizes_at", "native")

    def __init__(self, native: Native, sizes: Mapping[Expr, int]) -> None:
        count = len(native.names)
        values = [_size(sizes, leaf) for leaf in native.sizes]
        self.native = native
        self._entry, self._scratch = native.code.entry, native.scratch
        self._sizes = (ctypes.c_int64 * max(len(values), 1))(*values)
        self._sizes_at = ctypes.addressof(self._sizes)
        self._end = RECORD + count + 2
        self._addresses = slice(self._end, self._end + count)
        self._memory = ctypes.c_int64 * (self._end + max(count, 1))

    def run(self, addresses: Sequence[int], told: list[PyptoWarning] | None = None) -> Any:
        """Run on the memory of the parameters and give the record of the run, None if there is no scratch memory and
        nothing was run; raises what was found. ``told`` collects the warnings of the run."""
        size, scratch, _ = _arena.held
        if size < self._scratch:
            try:
                scratch = _grown(self._scratch)
            except MemoryError:
                return None
        record: Any = self._memory()
        record[self._addresses] = addresses
        place = _address(record)
        takers = jit.takers()
        if self.native.regions:
            host = _Host(self.native, told)
            takers.append(host)
            lent = later.borrow(pool.wanted(), host.note)
            record[self._end - 1] = lent.address
        else:
            lent = None
            takers.append((_Host, self.native, told))
        try:
            failed = self._entry(place + self._end * 8, self._sizes_at, scratch, place)
        finally:
            taker = takers.pop()
            if lent is not None:
                later.give_back(lent)
        if failed:
            host = _Host(*taker[1:]) if type(taker) is tuple else taker
            with ended(host.of_ranks):
                host.stop(list(record))
        elif type(taker) is _Host and taker.session is not None:
            taker.session.close()
        return record

    def counts(self, record: Any) -> tuple[int, tuple[int, ...]]:
        """Operations executed, and elements written per parameter."""
        return int(record[RECORD]), tuple(int(record[RECORD + 1 + n]) for n in self.native.numbers)


class _Host:
    """What compiled code finds outside of itself: one for each run."""

    __slots__ = ("_races", "error", "native", "seen", "session", "stores", "told")

    def __init__(self, native: Native, told: list[PyptoWarning] | None = None) -> None:
        self.native = native
        self.told = told
        self.seen: set[tuple[str, int]] = set()
        self.stores: dict[int, list[tuple[Any, tuple[int, ...], tuple[int, ...]]]] = {}
        self.error: BaseException | None = None
        self.session: Session | None = None
        self._races: HostLog | None = None

    @property
    def races(self) -> HostLog:
        """What parallel loops touched."""
        if self._races is None:
            self._races = HostLog()
        return self._races

    def of_ranks(self) -> Session | None:
        """What takes part in the communication of ranks, if something does."""
        return self.session

    def stop(self, record: list[int]) -> None:
        """Raise the fault, or what the host found."""
        if record[0] == -1:
            raise jit.interruption(record)
        if record[0] == -2:
            assert self.error is not None
            raise self.error
        entry = self.native.sites.entries[record[0]]
        if entry.kind.startswith("hole"):
            self._hole(entry, record)
        self.native.sites.raise_fault(record)

    def _hole(self, entry: SiteEntry, record: list[int]) -> None:
        """An undefined element in a parameter: the message names the last store that covers it."""
        index = tuple(record[1 : 1 + entry.count])
        site = entry.site
        for stored, low, high in reversed(self.stores.get(int(entry.kind.split()[1]), [])):
            if all(a <= i < b for a, i, b in zip(low, index, high, strict=True)):
                site = stored
                break
        raise make_error(entry.code, site=site, fault=True, **entry.fields(*index))

    def note(self, record: Any) -> int:
        """Called by compiled code; a target that refuses turns a warning into an error, which stops the program."""
        try:
            if self.told is None:
                self._note(record)
            else:
                with collect_warnings(self.told):
                    self._note(record)
        except BaseException as found:  # nothing may unwind through compiled code
            self.error = found
            return 1
        return 0

    def _note(self, record: Any) -> None:
        values = [int(record[k]) for k in range(RECORD)]
        entry = self.native.sites.entries[values[0]]
        if entry.kind.startswith("store"):
            rank = entry.count // 2
            box = values[1 : 1 + entry.count]
            where = self.stores.setdefault(int(entry.kind.split()[1]), [])
            where.append((located(entry, values), tuple(box[:rank]), tuple(box[rank:])))
        elif entry.kind.startswith("race"):
            self._race(entry, values)
        elif entry.action is not None:
            self._act(entry, values, record)
        else:
            self.native.sites.note(values, self.seen)

    def _act(self, entry: SiteEntry, values: list[int], record: Any) -> None:
        """A statement of the host's."""
        assert entry.action is not None
        addresses = values[1 + entry.count + len(entry.loops) :]
        answer = entry.action(self, located(entry, values), values[1 : 1 + entry.count], addresses)
        if answer is not None:
            record[1] = answer

    def ranks(self, op: str, site: Site) -> Session:
        """The communication of this call with other ranks, which the first ``op`` begins."""
        if self.session is None:
            self.session = Session.begin(op, site)
        return self.session

    def _race(self, entry: SiteEntry, values: list[int]) -> None:
        """What a parallel loop touches, and the comparison at its end."""
        if entry.kind == "race begin":
            self.races.begin(**entry.fields())
        elif entry.kind == "race end":
            found = entry.fields(self.races.log)
            if found:
                fault("PTO461", site=located(entry, values), **found)
        else:
            self.races.take(entry.kind, values[1:], entry.count)


def _size(sizes: Mapping[Expr, int], extent: Expr) -> int:
    """The value of a declared extent, which may be an expression of named symbols."""
    return sizes[extent] if extent in sizes else expr.evaluate(extent, sizes)


class _Arena(threading.local):
    """Scratch memory of each thread: its size, its address, which is aligned for vectors, and what owns it."""

    held: tuple[int, int, NDArray[np.uint8] | None] = 0, 0, None


_arena = _Arena()
_address = ctypes.addressof


def _grown(size: int) -> int:
    """The address of this thread's scratch memory, which has ``size`` bytes from now on (MemoryError)."""
    raw = np.empty(size + 64, np.uint8)
    start = -raw.ctypes.data % 64
    memory = raw[start : start + size]
    _arena.held = size, memory.ctypes.data, memory
    return _arena.held[1]


__all__ = ["Unsupported", "compile_kernel", "execute", "lower", "stage_text"]
