"""Writes into a view that reach nobody.

Purpose: refuse a write into a view (or a reshaped, indexed or cloned tensor) when nothing reads that object after its
first write and nothing but the object itself depends on its data: the author meant to write the tensor behind it.
Precondition: a finished trace, where tensor objects still exist; SSA keeps only their states.
Postcondition: nothing is changed.
Non-goals: results of arithmetic and declared tensors, which are working memory; a last update that is not needed.
"""

from __future__ import annotations

from collections.abc import Iterator

from openpto._records import dataclass, field
from openpto.checks.access import is_move, line_of, looks_only, recorded_access
from openpto.diagnostics import fail
from openpto.ir.trace import Region, TAssign, TIf, TLoop, TOp, Trace, Var

Path = tuple[Region, ...]


@dataclass(slots=True)
class _History:
    """What happens to one object: where it came from, its writes and reads as (position, enclosing loops)."""

    origin: TOp | None = None
    writes: list[tuple[int, Path, TOp | TAssign]] = field(default_factory=list)
    reads: list[tuple[int, Path]] = field(default_factory=list)
    feeds: set[Var] = field(default_factory=set)


@dataclass(frozen=True)
class LostWrites:
    """The pass; see the module's header."""

    trace: Trace

    def run(self) -> None:
        """Check one trace. Raises PTO414."""
        histories = _histories(self.trace)
        for var, history in histories.items():
            if history.origin is None or not history.writes:
                continue
            if not _read_after_first_write(var, history) and not _reaches_others(var, histories):
                _refuse(history.origin, history.writes[-1][2])


def _histories(trace: Trace) -> dict[Var, _History]:
    histories: dict[Var, _History] = {}
    for position, (node, loops) in enumerate(_nodes(trace.root, ())):
        if isinstance(node, TOp):
            parts = recorded_access(node)
            results = [result for result in node.results if isinstance(result, Var)]
            own_copy = node.name == "clone" and node.site.asked  # an operation made it for itself
            if parts.target is None and looks_only(node.name) and results and not own_copy:
                histories.setdefault(results[0], _History()).origin = node
            if node.attrs.get("inplace"):
                _of(histories, results[0]).writes.append((position, loops, node))
            reads, outputs = parts.reads, results
            scalar = len(results) < len(node.results)
        else:
            if not isinstance(node.dst, Var) or not isinstance(node.src, Var):
                continue
            if is_move(node):
                _of(histories, node.dst).writes.append((position, loops, node))
            reads, outputs, scalar = (node.src,), [node.dst], False
        for var in reads:
            history = _of(histories, var)
            history.reads.append((position, loops))
            history.feeds.update(outputs)
            if scalar:
                history.feeds.update(trace.params[:1])  # a scalar may steer anything: count it as an effect
    return histories


def _of(histories: dict[Var, _History], var: Var) -> _History:
    return histories.setdefault(var, _History())


def _nodes(region: Region, loops: Path) -> Iterator[tuple[TOp | TAssign, Path]]:
    """Operations and assignments in program order, each with the loop bodies around it."""
    for node in region.body:
        if isinstance(node, (TOp, TAssign)):
            yield node, loops
        elif isinstance(node, TLoop):
            yield from _nodes(node.region, (*loops, node.region))
        elif isinstance(node, TIf):
            yield from _nodes(node.then, loops)
            yield from _nodes(node.other, loops)


def _read_after_first_write(var: Var, history: _History) -> bool:
    """Also in a later iteration of a loop that both are in and that the object outlives."""
    position, loops, _ = history.writes[0]
    outer = set(_around(var.region))
    for read_position, read_loops in history.reads:
        if read_position > position or any(loop in read_loops and loop not in outer for loop in loops):
            return True
    return False


def _around(region: Region | None) -> Iterator[Region]:
    while region is not None:
        yield region
        region = region.parent


def _reaches_others(var: Var, histories: dict[Var, _History]) -> bool:
    """Whether data of the object go into a parameter or a scalar."""
    seen = {var}
    waiting = [var]
    while waiting:
        history = histories.get(waiting.pop())
        for reached in history.feeds if history is not None else ():
            if reached.kind == "param":
                return True
            if reached not in seen:
                seen.add(reached)
                waiting.append(reached)
    return False


def _refuse(origin: TOp, write: TOp | TAssign) -> None:
    source = next((operand.name for operand in origin.operands if isinstance(operand, Var) and operand.name), "X")
    written = write.results[0] if isinstance(write, TOp) else write.dst
    assert isinstance(written, Var)
    fail("PTO414", site=write.site, name=written.name or "it", source=source, made=line_of(origin.site))
