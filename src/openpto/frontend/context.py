"""State of one trace, and what every part of the machine needs: places, names, cells, containers."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import CodeType, FrameType
from typing import Any

from openpto.diagnostics import LoopFrame, Site, Span, fail
from openpto.ir import expr as ex
from openpto.ir.nodes import EMPTY
from openpto.ir.trace import Region, ScalarVar, Trace, Var
from openpto.language.symbolic import SymbolicScalar
from openpto.language.tensor import Tensor

from . import sites
from .guards import Guards
from .kinship import Kinship
from .memory import Box, boxes, roots
from .refuse import Note
from .state import ActiveLoop, Mark, Maybe, Retry
from .values import Poison, unset

MAX_STEPS = 2_000_000
"""Iterations of ordinary Python loops in one trace; more is taken for an endless loop."""


class Context:
    """What is known while one kernel is traced."""

    def __init__(self, trace: Trace, kernel_code: CodeType, name: str, guards: Guards) -> None:
        self.trace = trace
        self.kernel_code = kernel_code
        self.name = name
        self.guards = guards
        self.kinds: dict[CodeType, str] = {kernel_code: "kernel"}
        self.loops: list[ActiveLoop] = []
        self.marks: dict[tuple[str, int], list[Mark]] = {}
        self.copied: dict[int, Any] = {}  # by id; the nodes are kept, so that ids stay theirs
        self.confirmed: set[tuple[ScalarVar, Region]] = set()
        self.kinship = Kinship()
        self.notes: list[tuple[Note, str]] = []  # reported at the end, so that a refusal comes first
        self.loop_number = 0
        self.silent = 0
        self.steps = 0

    def kind_of_code(self, code: CodeType) -> str:
        """``kernel``, ``function`` (marked with frontend.function) or ``helper``."""
        return self.kinds.get(code, "helper")

    def step(self) -> None:
        """Count an iteration of an ordinary loop."""
        self.steps += 1
        if self.steps > MAX_STEPS:
            fail("PTO160", count=MAX_STEPS)

    # -- names ---------------------------------------------------------------------------------------------------

    def use(self, value: Any, name: str) -> Any:
        """The value of a name that regions store; refuses what has none."""
        self.settle()
        if isinstance(value, Poison):
            if value.loop is not None and value.loop.waiting:
                raise Retry(value.loop)
            value.refuse()
        self.touch(value, name)
        return self._confirm(value) if isinstance(value, Maybe) else value

    def settle(self) -> None:
        """Look at containers that a loop or branch copied, now that the names hold the copies."""
        if self.kinship.is_unsettled:
            frame = sys._getframe(1)
            self.kinship.settle(lambda: self.boxes(frame))

    def refuse_changed_copies(self, since: int = 0) -> None:
        """Stop if one of two containers that stand for the same was changed in place (PTO146)."""
        family = self.kinship.changed(since)
        if family is not None:
            names = ", ".join(box.name for box in family.members)
            fail("PTO146", site=family.site, name=family.name, names=names)

    def touch(self, value: Any, name: str) -> None:
        """Note that the value which a loop gave to a name at its head is needed."""
        for mark in self.marks.get((name, id(value)), ()):
            mark.read = True

    def _confirm(self, maybe: Maybe) -> Any:
        """Record the run-time check that a name is bound (once per region), then use its value."""
        key = (maybe.cell, self.trace.region)
        if key not in self.confirmed and maybe.cell.region in self.trace.open_regions():
            self.confirmed.add(key)
            site = self.site()
            bound = self.trace.get_scalar(maybe.cell, site)
            self.trace.let(ex.binary("mul", bound, 1), site, maybe.cell.name)  # an operator: copying would not ask
        return maybe.value

    # -- recording -----------------------------------------------------------------------------------------------

    def site(self, span: Span | None = None) -> Site:
        """The place of the running user code; with ``span`` that place in the innermost frame."""
        found = sites.locate(sys._getframe(1), self)
        if found is None:
            return Site(span, kernel=self.name)
        return found if span is None else Site(span, found.chain, found.loops, found.kernel)

    def loop_frames(self) -> tuple[LoopFrame, ...]:
        """The enclosing loops, outermost first."""
        return tuple([active.frame for active in self.loops])

    def boxes(self, frame: FrameType, values: Mapping[str, Any] = EMPTY) -> list[Box]:
        """Containers within reach of the traced functions that are running, and of ``values``."""
        return boxes((*values.items(), *roots(sites.user_frames(frame, self.kernel_code))))

    def next_loop(self) -> int:
        """The number of the next loop without a name."""
        self.loop_number += 1
        return self.loop_number

    @contextmanager
    def recording_in(self, region: Region) -> Iterator[None]:
        """Append nodes to another region for a moment (before an open region, or to a closed branch)."""
        here, self.trace.region = self.trace.region, region
        try:
            yield
        finally:
            self.trace.region = here

    def carry(self, like: Var, name: str, site: Site) -> Var:
        """A Var that takes over tensors like ``like`` from one region to the next."""
        return self.trace.carry(like.type, like.valid, name, site)

    def copy(self, dst: Var, src: Var, site: Site) -> None:
        """``dst`` takes the value of ``src``; for the author both are one object, which ``aliases.py`` watches."""
        self.trace.assign(dst, src, site)
        node = self.trace.region.body[-1]
        self.copied[id(node)] = node

    def read_cell(self, cell: ScalarVar, site: Site) -> SymbolicScalar:
        """The present value of a scalar cell."""
        return SymbolicScalar.of(self.trace.get_scalar(cell, site))

    def handle(self, var: Var) -> Any:
        """A new tensor object of the language for ``var``."""
        return Tensor.of(var)

    def value_of(self, name: str, values: dict[str, Any], loop: Any = None) -> Any:
        """``values[name]``, or what stands for an unbound name."""
        return values[name] if name in values else unset(name, loop)
