"""Data that is missing.

Purpose: refuse a kernel that certainly reads a tensor before any write, that writes no parameter (unless it talks with
other ranks), or that rebinds the name of a parameter instead of writing it; warn about parameters that are not used.
Precondition: a verified kernel. `trace` gives the places of the definition and of the parameters; its notes may hold
`rebound`, from the name of a parameter to the Site of a statement that binds the name to something else, and
`empty_loop` if the body of a loop was not traced because it has no iteration; parameters are not judged then.
Postcondition: nothing is changed.
Non-goals: reads that are unwritten on some paths or for some sizes only; they are found when they happen.
"""

from __future__ import annotations

from collections.abc import Mapping

from openpto._records import dataclass
from openpto.checks.access import access, line_of, looks_only, operations, runs_at_least_once
from openpto.diagnostics import Site, assigned_name, fail, warn
from openpto.ir.expr import Expr
from openpto.ir.nodes import Block, If, Kernel, Loop, Op, Value
from openpto.ir.trace import Trace
from openpto.ops.shared_memory import COMMUNICATION


@dataclass(frozen=True)
class Unwritten:
    """The pass; see the module's header."""

    trace: Trace | None = None

    def run(self, kernel: Kernel) -> None:
        """Check one kernel. Raises PTO410, PTO411 or PTO412; warns PTO413."""
        _check_reads(kernel.body, {})
        self._check_parameters(kernel)

    def _check_parameters(self, kernel: Kernel) -> None:
        if self.trace is not None and self.trace.notes.get("empty_loop"):
            return
        written = {param.name for param in kernel.params if param.final is not param.value}
        read = _used_parameters(kernel)
        sites = {} if self.trace is None else {var.name: var.site for var in self.trace.params}
        rebound: Mapping[str, Site] = {} if self.trace is None else self.trace.notes.get("rebound", {})
        for name, site in rebound.items():
            if name not in written and name not in read:
                fail("PTO412", site=site, name=name)
        if kernel.params and not written and not any(op.name in COMMUNICATION for op in operations(kernel.body)):
            fail("PTO411", site=None if self.trace is None else self.trace.site, kernel=kernel.name)
        for param in kernel.params:
            if param.name not in written | read:
                warn("PTO413", site=sites.get(param.name), name=param.name)


def _check_reads(block: Block, empty: Mapping[Value, Site]) -> None:
    """Refuse certain reads of values without contents; `empty` maps such values to where their tensor was declared."""
    known = dict(empty)
    for stmt in block.body:
        if isinstance(stmt, Op):
            _check_op(stmt, known)
        elif isinstance(stmt, Loop):
            _check_reads(stmt.body, _empty_at_head(stmt, known) if runs_at_least_once(stmt) else {})
        elif isinstance(stmt, If):
            _check_reads(stmt.then, {})
            _check_reads(stmt.other, {})


def _check_op(op: Op, empty: dict[Value, Site]) -> None:
    if op.name == "alloc":
        empty.update((result, op.site) for result in op.results if isinstance(result, Value))
        return
    for value in access(op).reads:
        if value not in empty:
            continue
        if looks_only(op.name):
            empty.update((result, empty[value]) for result in op.results if isinstance(result, Value))
        else:
            declared = empty[value]
            name = value.name or assigned_name(declared.span) or "the tensor"
            fail("PTO410", site=op.site, op=op.called, name=name, declared=line_of(declared))


def _empty_at_head(loop: Loop, empty: Mapping[Value, Site]) -> dict[Value, Site]:
    """Values without contents in the first iteration: those from outside, and carries that start with one."""
    inner = dict(empty)
    for carry in loop.carries:
        if isinstance(carry.init, Value) and isinstance(carry.param, Value) and carry.init in empty:
            inner[carry.param] = empty[carry.init]
    return inner


def _used_parameters(kernel: Kernel) -> set[str]:
    """Parameters whose data or whose sizes something looks at, and those that share memory with another."""
    used: set[Value | Expr] = set()
    _collect_uses(kernel.body, used)
    sizes = {leaf.value[0] for leaf in used if isinstance(leaf, Expr) and leaf.op == "dim"}  # type: ignore[index]
    shared = set(kernel.attrs.get("alias", {}))
    return {p.name for p in kernel.params if p.value in used or p.name in sizes or p.name in shared}


def _collect_uses(block: Block, used: set[Value | Expr]) -> None:
    for stmt in block.body:
        if isinstance(stmt, Op):
            _use(stmt.operands, used)
            _use(tuple(stmt.attrs.values()), used)
        elif isinstance(stmt, Loop):
            _use((stmt.start, stmt.stop, stmt.step), used)
            for carry in stmt.carries:
                _use((carry.init, carry.yielded), used)
            _collect_uses(stmt.body, used)
        elif isinstance(stmt, If):
            _use((stmt.cond,), used)
            for merge in stmt.merges:
                _use((merge.then, merge.other), used)
            _collect_uses(stmt.then, used)
            _collect_uses(stmt.other, used)
        else:
            _use((stmt.value,), used)


def _use(things: tuple[object, ...], used: set[Value | Expr]) -> None:
    for thing in things:
        if isinstance(thing, Value):
            used.add(thing)
        elif isinstance(thing, Expr):
            used.update(thing.leaves)
        elif isinstance(thing, tuple):
            _use(thing, used)
