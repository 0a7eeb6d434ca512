"""The object that rewritten code talks to (``pto__``): one per kernel being traced.

Every question of control flow comes here at trace time and is answered with plain Python behaviour for values that
are known, or by recording a region of tile IR for values that are not.
"""

from __future__ import annotations

import sys
from typing import Any

from openpto.diagnostics import current_site, fail

from .branches import Branch
from .calls import Calls
from .loops import ForLoop, new_loop
from .specs import BranchSpec, LoopSpec
from .values import is_symbolic, place


class Machine(Calls):
    """Statements; the base classes add calls, logic and state. What rewritten code calls has short names."""

    def rebound(self, value: Any, name: str) -> None:
        """A parameter's name was stored: note it if it does not hold the parameter any more."""
        for var in self.trace.params:
            if var.name == name and getattr(value, "var", None) is not var:
                self.trace.notes.setdefault("rebound", {}).setdefault(name, current_site())

    def loop(self, iterable: Any, spec: LoopSpec) -> ForLoop:
        """The iterator of a ``for`` statement."""
        self.settle()
        return new_loop(self, iterable, spec, sys._getframe(1))

    def branch(self, test: Any, spec: BranchSpec) -> Branch:
        """The branches of an ``if`` statement."""
        self.settle()
        return Branch(self, test, spec, sys._getframe(1))

    def test(self, test: Any, spec: BranchSpec) -> bool:
        """The condition of an ``if`` that jumps out of a loop or function: must be known now."""
        if is_symbolic(test):
            jump, span = spec.jumps[0]
            fail("PTO115", site=self.site(spec.span), jump=jump, where=span.line)
        return self.truth(test, "if")

    def raising(self) -> None:
        """A ``raise`` statement is about to run."""
        if self.trace.region is self.trace.root:
            return
        branch = next((region for region in self.trace.open_regions() if region.kind in ("then", "else")), None)
        if branch is not None:
            fail("PTO117", condition=place(branch.site.span))
