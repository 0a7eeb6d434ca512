"""``for`` statements: ordinary iterables pass through, a ``pypto.loop`` is recorded as a run-time loop.

The rewritten statement is ::

    L = pto__.loop(<iterable>, spec)
    for <target> in L:
        with L:
            if L.managed: a, b = L.head()
            <body>
            if L.managed: L.tail()
    if L.managed: a, b, <targets> = L.exit()

``__iter__`` yields once per *tracing* of the body: once per factor of ``loop_unroll``, again when an assumption about
carried values proved wrong (``carries.py``), and apart for a first iteration that differs from the rest (a name gets
its first value there, or changes its shape). ``with L`` catches the request to trace again.
"""

from __future__ import annotations

import sys
from collections.abc import Generator, Iterable, Iterator
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, Any, NoReturn

from openpto.diagnostics import LoopFrame, PyptoError, Site, fail, forgive, portability
from openpto.diagnostics.boundary import stands_in
from openpto.ir.expr import Expr
from openpto.language.control import LoopRange
from openpto.language.symbolic import LoopInfo, SymbolicScalar

from .branches import Fork
from .carries import Carries
from .ranges import Range
from .slots import Plan
from .specs import LoopSpec
from .state import ActiveLoop, Retry, plain
from .values import Path, Poison, is_tensor, is_unset, leaves, place, unset

if TYPE_CHECKING:
    from .logic import Logic

Tracings = Generator[Any, None, bool]
"""Yields once per tracing of the body; its value tells whether the loop is recorded."""

MAX_ATTEMPTS = 40
"""More tracings of one body would mean that the assumptions never settle."""


class ForLoop:
    """An ordinary ``for``: counts iterations, nothing else."""

    managed = False

    def __init__(self, machine: Logic, iterable: Iterable[Any]) -> None:
        self.machine = machine
        self.iterator = iter(iterable)

    @stands_in
    def __iter__(self) -> Iterator[Any]:
        for item in self.iterator:
            self.machine.step()
            yield item

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, error: BaseException | None, traceback: TracebackType | None) -> bool | None:
        return None

    def head(self) -> tuple[Any, ...]:
        """The names at the start of the body."""
        raise AssertionError

    def tail(self) -> None:
        """The end of the body."""
        raise AssertionError

    def exit(self) -> tuple[Any, ...]:
        """The names after the loop."""
        raise AssertionError


def new_loop(machine: Logic, iterable: Any, spec: LoopSpec, frame: FrameType) -> ForLoop:
    """The iterator of a ``for`` statement."""
    iterable = plain(iterable)
    if isinstance(iterable, LoopRange):
        return RunTimeLoop(machine, iterable, spec, frame)
    no_sequence = not (hasattr(iterable, "__iter__") or hasattr(iterable, "__getitem__"))
    if isinstance(iterable, (SymbolicScalar, Poison)) or is_tensor(iterable) or no_sequence:
        if isinstance(iterable, Poison):
            iterable.refuse()
        got = type(iterable).__name__
        fail("PTO152", site=machine.site(spec.span), got=got, also=f"{got} is not iterable.")
    if machine.kind_of_code(frame.f_code) != "helper":
        _check_iterable(machine, iterable, spec)
    return ForLoop(machine, iterable)


def _check_iterable(machine: Logic, iterable: Any, spec: LoopSpec) -> None:
    """Report what the older front end does not unroll: other objects, nothing, lists of tuples (PTO675 to PTO677)."""
    site = machine.site(spec.span)
    if not isinstance(iterable, (range, list, tuple, enumerate, zip)):
        portability("PTO675", site=site, got=type(iterable).__name__)
    elif isinstance(iterable, (list, tuple)) and not iterable:
        portability("PTO676", site=site, value="()" if isinstance(iterable, tuple) else "[]")
    elif isinstance(iterable, (list, tuple)) and spec.pattern not in (0, len(iterable)):
        portability("PTO677", site=site, count=len(iterable), names=spec.pattern)


class RunTimeLoop(ForLoop):
    """A ``pypto.loop`` or ``pypto.loop_unroll``."""

    managed = True

    def __init__(self, machine: Logic, bounds: LoopRange, spec: LoopSpec, frame: FrameType) -> None:
        self.machine = machine
        self.trace = machine.trace
        self.bounds = bounds
        self.spec = spec
        self.site = machine.site(spec.span)
        number = machine.next_loop()
        self.name = bounds.name or f"loop_{number}"
        self.index_name = bounds.idx_name or f"loop_idx_{number}"
        self._check()
        self.values = self._read(frame)
        self.outside = frozenset(name for name, value in self.values.items() if not is_unset(value))
        self.carries: Carries | None = None
        self.peeled = False
        self.straight = False  # one iteration: no loop is recorded
        self.waiting = False
        self.again = False
        self.given: dict[str, Any] = {}

    def _check(self) -> None:
        spec, machine = self.spec, self.machine
        if spec.jumps:
            jump, span = spec.jumps[0]
            at = Site(span, self.site.chain, self.site.loops, self.site.kernel)
            fail("PTO114", site=at, jump=jump, statement=jump.capitalize())
        if self.bounds.pairs and spec.pattern != 2:
            fail("PTO154", site=self.site, target=", ".join(spec.targets))
        if not self.bounds.pairs and spec.pattern:
            fail("PTO153", site=self.site, target=", ".join(spec.targets), first=spec.targets[0])
        if self.bounds.parallel and any(active.parallel for active in machine.loops):
            outer = next(active.name for active in machine.loops if active.parallel)
            fail("PTO151", site=self.site, name=self.name, outer=outer)
        if not spec.called:
            portability("PTO681", site=self.site, name=self.name)
        if self.bounds.idx_name and any(active.index_name == self.index_name for active in machine.loops):
            portability("PTO662", site=self.site, name=self.index_name)

    def _read(self, frame: FrameType) -> dict[str, Any]:
        space = frame.f_locals
        return {name: space[name] for name in self.spec.names if name in space}

    # -- what the rewritten code calls ---------------------------------------------------------------------------

    def __enter__(self) -> None:
        self.again = False

    def __exit__(self, kind: Any, error: BaseException | None, traceback: TracebackType | None) -> bool | None:
        if isinstance(error, Retry) and error.loop is self:
            self.again = True
            return True
        if not isinstance(error, PyptoError) or self.carries is None or not self.carries.stop_guessing():
            return False
        forgive(error)
        return True

    def head(self) -> tuple[Any, ...]:
        values = self.given
        return tuple(self.machine.value_of(name, values) for name in self.spec.names)

    def tail(self) -> None:
        self.values = self._read(sys._getframe(1))
        if self.carries is not None:
            self.carries.close(self.values)

    def exit(self) -> tuple[Any, ...]:
        if not self.straight:
            for name in self.spec.names:
                if name in self.spec.read and name not in self.outside and name in self.values:
                    portability("PTO680", site=self.site, name=name)
        names = [self.machine.value_of(name, self.values) for name in self.spec.names]
        targets = [Poison("PTO123", name, loop_line=place(self.spec.span)) for name in self.spec.targets]
        return (*names, *targets)

    # -- tracing -------------------------------------------------------------------------------------------------

    def __iter__(self) -> Iterator[Any]:
        bounds = Range(self.bounds.start, self.bounds.stop, self.bounds.step)
        notes = self.machine.trace.notes
        notes["loops"] = True
        self.straight = bounds.count() == 1
        if bounds.count() == 0:
            notes["empty_loop"] = True  # the checks cannot know what its body reads and writes
        if bounds.count() == 1 and self.bounds.submit_before_loop:
            notes.setdefault("submitting", set()).add(self.name)
        if not self.bounds.pairs:
            yield from self._range(bounds, bounds, None)
            return
        for piece, factor in bounds.unrolled(self.bounds.unroll or (1,)):
            whole = Range(bounds.start, bounds.stop, piece.step)
            yield from self._range(piece, whole, factor)

    def _range(self, piece: Range, whole: Range, factor: int | None) -> Iterator[Any]:
        count = piece.count()
        if count == 0:
            return
        if count == 1:
            yield from self._once(piece.start, whole, factor)
        elif self._first_differs() or not (yield from self._region(piece, whole, factor, None)):
            yield from self._peel(piece, whole, factor)

    def _first_differs(self) -> bool:
        """Whether a name that the body reads and stores is None: its first iteration is traced apart."""
        return not self.peeled and any(
            leaf is None
            for name in self.spec.inside
            if name in self.values and name in self.spec.names
            for _, leaf in leaves(plain(self.values[name]))
        )

    def _peel(self, piece: Range, whole: Range, factor: int | None) -> Iterator[Any]:
        """Trace the first iteration as straight-line code, then a loop over the rest."""
        if self.bounds.parallel:
            self.refuse_dependence([name for name in self.spec.names if name in self.spec.inside])
        self.peeled = True
        fork = None
        before = dict(self.values)
        if not piece.surely_runs():
            fork = Fork(self.machine, piece.not_empty(), self.site, sys._getframe(), before)
        yield from self._once(piece.start, whole, factor)
        rest = piece.rest()
        count = rest.count()
        self.machine.silent += 1  # what the body prints was printed
        if count == 1:
            yield from self._once(rest.start, whole, factor)
        elif count != 0:
            done = yield from self._region(rest, whole, factor, False)
            assert done
        self.machine.silent -= 1
        if fork is not None:
            fork.turn(dict(self.values))
            self.values = fork.close(before, self._one_sided, first_only=True)
        self.peeled = False

    def needs_later(self, name: str) -> bool:
        """Whether what the body leaves in a name can be read: after the loop, or in the part for the next factor."""
        return name in self.spec.after or (self.bounds.pairs and name in self.spec.inside)

    def refuse_dependence(self, names: list[str]) -> NoReturn:
        """An iteration of a parallel loop needs what another one left (PTO157)."""
        fail("PTO157", site=self.site, names=", ".join(names), loop=self.name)

    def _one_sided(self, name: str, path: Path, a: Any, b: Any) -> Any:
        return a if isinstance(a, Poison) else unset(name)

    def _index(self, index: Expr, whole: Range, factor: int | None, first: bool | None) -> Any:
        info = LoopInfo(whole.start, whole.stop, whole.step, first)
        scalar = SymbolicScalar.of(index, info)
        return scalar if factor is None else (scalar, factor)

    def _enter_loop(self, index: Expr) -> None:
        parallel = self.bounds.parallel
        shown = self.bounds.idx_name or self.spec.index or self.index_name
        frame = LoopFrame(self.name, shown, index.concrete())
        active = ActiveLoop(self.name, self.index_name, frame, parallel, self.site, index)
        self.machine.loops.append(active)

    def _once(self, index: Expr, whole: Range, factor: int | None) -> Iterator[Any]:
        """One iteration as straight-line code; tile shapes set inside are gone after it."""
        self.carries, self.given = None, dict(self.values)
        scope, depth = self.trace.scope, len(self.machine.loops)
        self._enter_loop(index)
        yield self._index(index, whole, factor, None)
        del self.machine.loops[depth:]
        self.trace.scope = scope

    def _region(self, piece: Range, whole: Range, factor: int | None, first: bool | None) -> Tracings:
        """Record a loop, tracing the body until the assumptions hold; false if the first iteration differs."""
        machine, silent = self.machine, self.machine.silent
        plan, before = Plan(), dict(self.values)
        boxes = machine.boxes(sys._getframe(), before)
        depth = machine.depth()
        try:
            for _ in range(MAX_ATTEMPTS):
                carries = self.carries = Carries(machine, self, plan, before, boxes)
                loop = carries.open(piece, self._attributes())
                self.given = carries.given
                self._enter_loop(loop.index)
                self.waiting = not self.peeled
                yield self._index(loop.index, whole, factor, first)
                self.waiting, self.carries = False, None
                machine.back_to(depth)
                if carries.holds:
                    self.values = carries.finish()
                    return True
                carries.undo()
                if self.again or carries.must_peel:
                    self.values = before
                    return False
                machine.silent = silent + 1  # what the body prints was printed by the first tracing
            raise AssertionError(f"the carried names of loop {self.name} do not settle")
        finally:
            machine.silent = silent

    def _attributes(self) -> dict[str, Any]:
        bounds = self.bounds
        return {
            "name": self.name,
            "idx_name": self.index_name,
            "parallel": bounds.parallel,
            "submit_before_loop": bounds.submit_before_loop,
            "unroll_list": bounds.unroll,
        }
