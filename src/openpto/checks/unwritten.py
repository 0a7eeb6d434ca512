"""Data that is missing, and writes that reach nobody.

Purpose: refuse a kernel that certainly reads a tensor before any write, that writes no parameter, that rebinds the
name of a parameter instead of writing it, or that writes into a view or an operation result nobody reads afterwards;
warn about parameters that are not used.
Precondition: a verified kernel. `attrs` of the kernel may hold `site` (its definition), `param_sites` and `rebound`
(both from parameter name to Site; `rebound` where a path that was traced binds the name to something else).
Postcondition: nothing is changed.
Non-goals: reads that are unwritten on some paths or sizes only; they are found when they happen (see runtime).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from openpto.checks.access import VIEWS, access, blocks, operations, runs_at_least_once, written_parameters
from openpto.diagnostics import Site, fail, warn
from openpto.ir.expr import Expr
from openpto.ir.nodes import Block, If, Kernel, Loop, Op, Value


@dataclass(frozen=True)
class Unwritten:
    """The pass; see the module's header."""

    def run(self, kernel: Kernel) -> None:
        """Check one kernel. Raises PTO410, PTO411, PTO412 or PTO414; warns PTO413."""
        _check_reads(kernel.body, {})
        _check_parameters(kernel)
        _check_lost_writes(kernel)


# -- reads before any write -------------------------------------------------------------------------------------------


def _check_reads(block: Block, empty: dict[Value, Site]) -> dict[Value, Site]:
    """Refuse certain reads of values without contents. `empty` maps such values to where their tensor was declared;
    returns those known at the end of the block."""
    empty = dict(empty)
    for stmt in block.body:
        if isinstance(stmt, Op):
            _check_op(stmt, empty)
        elif isinstance(stmt, Loop):
            inner = _empty_at_head(stmt, empty) if runs_at_least_once(stmt) else {}
            _check_reads(stmt.body, inner)
        elif isinstance(stmt, If):
            _check_reads(stmt.then, {})
            _check_reads(stmt.other, {})
    return empty


def _check_op(op: Op, empty: dict[Value, Site]) -> None:
    if op.name == "alloc":
        empty.update((result, op.site) for result in op.results if isinstance(result, Value))
        return
    for value in access(op).reads:
        if value not in empty:
            continue
        if op.name in VIEWS:
            empty.update((result, empty[value]) for result in op.results if isinstance(result, Value))
        else:
            fail("PTO410", site=op.site, op=op.name, name=value.name or "the tensor", declared=_line(empty[value]))


def _empty_at_head(loop: Loop, empty: Mapping[Value, Site]) -> dict[Value, Site]:
    """Values without contents in the first iteration: those from outside, and carries that start with one."""
    inner = dict(empty)
    for carry in loop.carries:
        if isinstance(carry.init, Value) and isinstance(carry.param, Value) and carry.init in empty:
            inner[carry.param] = empty[carry.init]
    return inner


# -- parameters -------------------------------------------------------------------------------------------------------


def _check_parameters(kernel: Kernel) -> None:
    written = written_parameters(kernel)
    read = _used_parameters(kernel)
    for name, site in kernel.attrs.get("rebound", {}).items():
        if name not in written and name not in read:
            fail("PTO412", site=site, name=name)
    if kernel.params and not written:
        fail("PTO411", site=kernel.attrs.get("site"), kernel=kernel.name)
    for param in kernel.params:
        if param.name not in written | read:
            warn("PTO413", site=kernel.attrs.get("param_sites", {}).get(param.name), name=param.name)


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


# -- writes that reach nobody -----------------------------------------------------------------------------------------


def _check_lost_writes(kernel: Kernel) -> None:
    """Refuse writes into a view or an operation result of which no later state is read."""
    origin = dict(_origins(kernel))
    read: dict[int, set[Value]] = {}
    for value in (*_read_by_operations(kernel), *_renamed(kernel.body)):
        read.setdefault(value.var, set()).add(value)
    stores: dict[int, list[Op]] = {}
    for op in operations(kernel.body):
        result = op.results[0] if op.results else None
        if op.attrs.get("inplace") and isinstance(result, Value) and result.var in origin:
            stores.setdefault(result.var, []).append(op)
    for var, writers in stores.items():
        before = {result for result in origin[var].results if isinstance(result, Value)}
        if read.get(var, set()) <= before:
            _refuse_lost_write(writers[-1], origin[var])


def _read_by_operations(kernel: Kernel) -> Iterator[Value]:
    for op in operations(kernel.body):
        yield from access(op).reads


def _renamed(block: Block) -> Iterator[Value]:
    """States that a carry or a merge hands to another object: they are read under that object's name."""
    for part in blocks(block):
        for stmt in part.body:
            pairs: list[tuple[object, object]] = []
            if isinstance(stmt, Loop):
                pairs = [(state, c.param) for c in stmt.carries for state in (c.init, c.yielded)]
            elif isinstance(stmt, If):
                pairs = [(state, m.result) for m in stmt.merges for state in (m.then, m.other)]
            for state, target in pairs:
                if isinstance(state, Value) and isinstance(target, Value) and state.var != target.var:
                    yield state


def _origins(kernel: Kernel) -> Iterator[tuple[int, Op]]:
    """The operation that made each object that is neither a parameter nor a declared local."""
    known = {param.value.var for param in kernel.params}
    for op in operations(kernel.body):
        for result in op.results:
            if isinstance(result, Value) and result.var not in known:
                known.add(result.var)
                if op.name not in ("alloc", "unset") and not op.attrs.get("inplace"):
                    yield result.var, op


def _refuse_lost_write(write: Op, origin: Op) -> None:
    source = next((operand.name for operand in origin.operands if isinstance(operand, Value) and operand.name), "")
    result = write.results[0]
    assert isinstance(result, Value)
    fail(
        "PTO414",
        site=write.site,
        name=result.name or "the tensor",
        origin="a view" if origin.name in VIEWS else f"the result of {origin.name}",
        target=source or "the tensor it came from",
        made=_line(origin.site),
    )


def _line(site: Site) -> str:
    return f"line {site.span.line}" if site.span is not None else "an earlier line"
