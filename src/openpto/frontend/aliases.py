"""One tensor under two names: where run-time choice meets writing in place.

A name that a loop carries or a branch merges is recorded as a copy, although for the author it *is* the tensor it was
bound to. The copy and the original only part when one of them is written in place and the other is read afterwards.

Purpose: refuse exactly that (PTO145). Precondition: a finished trace; ``copies`` are the ids of the assignments that
the front end made. Postcondition: nothing is changed.
Method: walk the trace in program order with two relations: ``same`` (may be one tensor, since where) and ``stale``
(was written under another name). Loops are walked until nothing is new, branches joined. It errs on the side of
refusing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from openpto._records import dataclass, field
from openpto.diagnostics import Site, fail
from openpto.ir.trace import TAssign, TIf, TLoop, TOp, Trace, Var

from .ranges import Range
from .values import place


@dataclass(frozen=True, slots=True)
class _Write:
    """A write under another name: which, where, and since when both are one tensor."""

    through: Var
    site: Site
    since: Site


@dataclass
class _State:
    same: dict[Var, dict[Var, Site]] = field(default_factory=dict)
    stale: dict[Var, _Write] = field(default_factory=dict)

    def copy(self) -> _State:
        return _State({var: dict(others) for var, others in self.same.items()}, dict(self.stale))

    @property
    def facts(self) -> tuple[dict[Var, set[Var]], set[Var]]:
        """What is known, without the places."""
        return {var: set(others) for var, others in self.same.items() if others}, set(self.stale)

    def join(self, other: _State) -> _State:
        """What may hold after either of two paths."""
        both = self.copy()
        for var, others in other.same.items():
            both.same[var] = {**others, **both.same.get(var, {})}
        both.stale = {**other.stale, **both.stale}
        return both

    def forget(self, var: Var) -> None:
        """The Var stands for a new tensor from now on."""
        if var in self.same:
            for other in self.same.pop(var):
                self.same.get(other, {}).pop(var, None)
        self.stale.pop(var, None)

    def link(self, dst: Var, src: Var, site: Site) -> None:
        """``dst`` now names the tensor that ``src`` names."""
        stale = self.stale.get(src)
        others = dict(self.same.get(src, {}))
        self.forget(dst)
        for other, since in {src: site, **others}.items():
            if other is not dst:
                self.same.setdefault(dst, {})[other] = since
                self.same.setdefault(other, {})[dst] = since
        if stale is not None:
            self.stale[dst] = stale

    def write(self, var: Var, site: Site) -> None:
        """The tensor is written under this name."""
        for other, since in self.same.get(var, {}).items():
            self.stale.setdefault(other, _Write(var, site, since))


def check(trace: Trace, copies: set[int]) -> None:
    """Refuse reading a tensor that was written under another name (PTO145)."""
    if not copies:
        return
    walker = _Walker(copies)
    end = walker.block(trace.root.body, _State())
    for param in trace.params:
        walker.read(param, end, None)


class _Walker:
    def __init__(self, copies: set[int]) -> None:
        self.copies = copies

    def read(self, var: Var, state: _State, site: Site | None) -> None:
        """The tensor is read under this name."""
        write = state.stale.get(var)
        if write is not None:
            self._refuse(var, write, site or write.site)

    def _refuse(self, var: Var, write: _Write, site: Site) -> None:
        name, other = var.shown, write.through.shown
        line, since = place(write.site.span), place(write.since.span)
        fail("PTO145", site=site, name=name, other=other, since=since, written=other, line=line)

    def block(self, body: Sequence[Any], state: _State) -> _State:
        """The state after statements; ``state`` is changed."""
        for node in body:
            if isinstance(node, TOp):
                self._op(node, state)
            elif isinstance(node, TAssign):
                self._assign(node, state)
            elif isinstance(node, TLoop):
                state = self._loop(node, state)
            elif isinstance(node, TIf):
                then = self.block(node.then.body, state.copy())
                state = self.block(node.other.body, state).join(then)
        return state

    def _loop(self, node: TLoop, state: _State) -> _State:
        """The state after any number of iterations: what may hold at the head grows until nothing is new."""
        while True:
            end = self.block(node.region.body, state.copy())
            grown = state.join(end)
            if grown.facts == state.facts:
                return end if Range(node.start, node.stop, node.step).surely_runs() else grown
            state = grown

    def _op(self, node: TOp, state: _State) -> None:
        if state.stale and node.name != "valid_of":
            for operand in node.operands:
                if isinstance(operand, Var):
                    self.read(operand, state, node.site)
        for result in node.results:
            if isinstance(result, Var):
                if node.attrs.get("inplace"):
                    state.write(result, node.site)
                else:
                    state.forget(result)

    def _assign(self, node: TAssign, state: _State) -> None:
        if not isinstance(node.dst, Var):
            return
        if not isinstance(node.src, Var):
            state.forget(node.dst)
        elif id(node) in self.copies:
            state.link(node.dst, node.src, node.site)
        else:  # the author's whole-tensor store
            self.read(node.src, state, node.site)
            state.stale.pop(node.dst, None)
            state.write(node.dst, node.site)
