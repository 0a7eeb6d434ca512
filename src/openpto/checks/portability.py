"""What runs here and is refused or means something else elsewhere.

Purpose: warn (or refuse, under a chosen target) where a tensor is read after it was moved into another, and where a
part of a tensor is read and a part of the same tensor is written from it in one straight line.
Precondition: a verified kernel. Postcondition: nothing is changed.
Non-goals: what the front end sees while tracing (helpers, names, scalars) is reported there.
"""

from __future__ import annotations

from dataclasses import dataclass

from openpto.checks.access import VIEWS, access
from openpto.diagnostics import Site, portability
from openpto.ir.nodes import Block, If, Kernel, Loop, Op, Value


@dataclass(frozen=True)
class Portability:
    """The pass; see the module's header."""

    def run(self, kernel: Kernel) -> None:
        """Check one kernel. Reports PTO610 and PTO611."""
        _check_moved(kernel.body, {})
        _check_round_trips(kernel.body)


# -- reads of a tensor that was moved away ----------------------------------------------------------------------------


def _check_moved(block: Block, moved: dict[Value, Site]) -> dict[Value, Site]:
    """Report reads of values that a `move` emptied on the device; returns the emptied values at the end."""
    moved = dict(moved)
    for stmt in block.body:
        if isinstance(stmt, Op):
            _check_moved_op(stmt, moved)
        elif isinstance(stmt, Loop):
            # The second walk sees what an earlier iteration moved; a place is reported once only.
            moved = _check_moved(stmt.body, _check_moved(stmt.body, moved))
        elif isinstance(stmt, If):
            moved = {**_check_moved(stmt.then, moved), **_check_moved(stmt.other, moved)}
    return moved


def _check_moved_op(op: Op, moved: dict[Value, Site]) -> None:
    parts = access(op)
    for value in parts.reads:
        if value in moved:
            portability("PTO610", site=op.site, name=value.name or "the tensor", line=_line(moved[value]))
    if op.name == "move":
        moved.update((value, op.site) for value in parts.reads)


# -- part read, part written ------------------------------------------------------------------------------------------


def _check_round_trips(block: Block) -> None:
    """Report stores into part of a tensor whose data came from a part of the same tensor in the same straight line."""
    sources: dict[Value, frozenset[int]] = {}
    for stmt in block.body:
        if isinstance(stmt, Op):
            _check_round_trip_op(stmt, sources)
        elif isinstance(stmt, Loop):
            sources.clear()  # a loop is a function of its own on the device: the straight line ends
            _check_round_trips(stmt.body)
        elif isinstance(stmt, If):
            _check_round_trips(stmt.then)
            _check_round_trips(stmt.other)


def _check_round_trip_op(op: Op, sources: dict[Value, frozenset[int]]) -> None:
    """`sources` tells for each value of which objects a part went into it."""
    parts = access(op)
    flowing = frozenset().union(*(sources.get(value, frozenset()) for value in parts.reads))
    if op.name == "assemble" and parts.target is not None:
        if parts.target.var in flowing:
            portability("PTO611", site=op.site, name=parts.target.name or "the tensor")
        return
    if op.name == "view":
        flowing |= {value.var for value in parts.reads if _is_part(op, value)}
    for result in op.results:
        if isinstance(result, Value) and flowing:
            sources[result] = flowing


def _is_part(op: Op, source: Value) -> bool:
    """True unless the view shows the whole tensor."""
    result = op.results[0]
    return not isinstance(result, Value) or op.name not in VIEWS or result.type.shape != source.type.shape


def _line(site: Site) -> str:
    return f"line {site.span.line}" if site.span is not None else "an earlier line"
