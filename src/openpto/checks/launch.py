"""What compiles everywhere and is known to fail, or to go wrong, when a device launches it.

Purpose: warn of tiles longer than their axes, in-place reshapes beside other operations, dynamic kernels without a
loop, cumsum in the branch of the last iteration, and scalars read before a device has computed them.
Precondition: a verified kernel and the trace it was built from; the trace's notes may hold `loops` (the kernel has a
pypto.loop, possibly of one iteration), `submitting` (names of loops of one iteration that submit what precedes them)
and `renamed` (in-place reshapes as (Var, Site, number of nodes of the kernel's body before it)).
Postcondition: nothing is changed. Every finding is a warning, under any target: the kernel has a meaning here. Dynamic
kernels without a loop are reported under a target only.
Non-goals: what only run-time sizes show. The evidence for each threshold is in docs/decisions/0025.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from openpto._records import dataclass
from openpto.checks.access import core, line_of, looks_only, operations, recorded_access
from openpto.checks.buffers import numbers, tiled_shape
from openpto.device import align
from openpto.diagnostics import LoopFrame, Site, current_target, warn
from openpto.ir.expr import Dim, Expr, postorder
from openpto.ir.nodes import Kernel, Loop, Op, Value
from openpto.ir.trace import Region, TAssign, TIf, TLoop, TOp, Trace, Var

RANK = 4
"""Tiles longer than an axis were seen to fail with tensors of this many axes, and to work with fewer."""
PADDING = 32
"""Elements to which the last axis of a tile is rounded up at most: whole blocks of 32 bytes."""

BY_CONTROL_CORE = frozenset({"alloc", "write_scalar"})
"""Operations after which an element can be read at once: the core that reads scalars does them itself."""

Made = tuple[str, Site]
"""The operation that computes a tensor, and where."""


@dataclass(frozen=True)
class Launch:
    """The pass; see the module's header."""

    trace: Trace

    def run(self, kernel: Kernel) -> None:
        """Check one kernel. Warns PTO621 and PTO623 to PTO626."""
        _check_tiles(kernel)
        _check_renamed(self.trace)
        _check_dynamic(self.trace)
        _check_tails(self.trace.root)
        if _computes_what_is_read(self.trace.root):
            _Reads(self.trace).region(self.trace.root, {})


def is_simple(kernel: Kernel) -> bool:
    """True for a kernel of vector operations and moves whose loops run once: on a device one root function."""
    straight = not any(isinstance(stmt, Loop) for stmt in kernel.body.body)
    return straight and all(core(op.name) != "cube" for op in operations(kernel.body))


# -- tiles ------------------------------------------------------------------------------------------------------------


def _check_tiles(kernel: Kernel) -> None:
    """Report tiles that are longer than an axis of every operation they are in force for (PTO621).

    A tile that suits one operation is often in force for others whose axis is shorter, such as the result of a sum.
    """
    groups: dict[tuple[int, ...], list[Op]] = {}
    for op in operations(kernel.body):
        shape = tiled_shape(op) if core(op.name) == "vector" else None
        if shape is not None and len(shape) >= RANK and op.scope.vec is not None and len(op.scope.vec) >= len(shape):
            groups.setdefault(op.scope.vec[: len(shape)], []).append(op)
    for tile, uses in groups.items():
        shapes = [shape for op in uses for shape in _shapes(op, len(tile))]
        longest = [_longest(shape[axis] for shape in shapes) for axis in range(len(tile))]
        suits = [most is None or value <= most for value, most in zip(tile, longest, strict=True)]
        last = longest[-1]
        suits[-1] = suits[-1] or (last is not None and tile[-1] <= align(last, PADDING))
        if not all(suits):
            axis = suits.index(False)
            op = uses[0]
            fitting = [v if fits else most for v, fits, most in zip(tile, suits, longest, strict=True)]
            name, extent = op.called, longest[axis]
            suggest = numbers(tuple(v for v in fitting if v is not None))
            warn("PTO621", site=op.site, op=name, tile=numbers(tile), axis=axis, extent=extent, suggest=suggest)


def _shapes(op: Op, rank: int) -> Iterator[tuple[Dim, ...]]:
    """The shapes of what an operation reads and makes, as far as they have so many axes."""
    for value in (*op.operands, *op.results):
        if isinstance(value, Value) and value.type.rank == rank:
            yield value.type.shape


def _longest(extents: Iterable[Dim]) -> int | None:
    """The longest of the extents; None if one of them is known at run time only."""
    known = [extent.concrete() if isinstance(extent, Expr) else extent for extent in extents]
    return None if None in known else max(extent for extent in known if extent is not None)


# -- loops that a device wants ----------------------------------------------------------------------------------------


def _check_renamed(trace: Trace) -> None:
    """Report parameters that are reshaped in place in one straight line with operations (PTO623)."""
    body = trace.root.body
    for var, site, before in trace.notes.get("renamed", ()):
        if var.kind != "param" or site.loops:
            continue
        beside = next((node for node in _straight_line(body, before) if _computes(node)), None)
        if beside is not None:
            name, line = beside.called, line_of(beside.site)
            warn("PTO623", site=site, name=var.shown, op=name, line=line)


def _straight_line(body: list[object], at: int) -> Iterator[TOp]:
    """The operations before and after a position up to the next loop, branch, or loop of one iteration."""
    for nodes in (body[at:], reversed(body[:at])):
        for node in nodes:
            if isinstance(node, (TLoop, TIf)) or getattr(node, "site", Site(None)).loops:
                break
            if isinstance(node, TOp):
                yield node


def _computes(op: TOp) -> bool:
    return core(op.name) in ("vector", "cube") or op.name in ("assemble", "move")


def _check_dynamic(trace: Trace) -> None:
    """Report a kernel with a dynamic parameter and no loop at all, where the checks of a target count (PTO624)."""
    if trace.notes.get("loops") or current_target() is None:
        return
    dynamic = {var for var in trace.params if not var.type.is_static}
    for node in _nodes(trace.root):
        used = next((v for v in _touched(node) if v in dynamic), None) if isinstance(node, TOp) else None
        if used is not None:
            warn("PTO624", site=node.site, name=used.name)
            return


def _touched(node: TOp) -> tuple[Var, ...]:
    found = recorded_access(node)
    return found.reads if found.target is None else (*found.reads, found.target)


def _nodes(region: Region) -> Iterator[TOp | TAssign]:
    for node in region.body:
        if isinstance(node, TLoop):
            yield from _nodes(node.region)
        elif isinstance(node, TIf):
            yield from _nodes(node.then)
            yield from _nodes(node.other)
        elif isinstance(node, (TOp, TAssign)):
            yield node


# -- the last iteration -----------------------------------------------------------------------------------------------


def _check_tails(region: Region) -> None:
    """Report cumsum in branches that run in the last iteration of a loop (PTO625)."""
    for node in region.body:
        if isinstance(node, TLoop):
            _check_tails(node.region)
        elif isinstance(node, TIf):
            tail = _tail_of(node)
            for op in _nodes(tail) if tail is not None else ():
                if isinstance(op, TOp) and op.name == "cumsum":
                    warn("PTO625", site=op.site, line=line_of(node.site))
            _check_tails(node.then)
            _check_tails(node.other)


def _tail_of(node: TIf) -> Region | None:
    """The branch that belongs to the last iteration of a loop, if the condition asks for it."""
    cond, negated = node.cond, False
    while cond.op == "not":
        cond, negated = cond.args[0], not negated
    if not any(part.op == "loop_end" for part in postorder(cond)):
        return None
    return node.other if negated else node.then


# -- scalars ----------------------------------------------------------------------------------------------------------


def _computes_what_is_read(root: Region) -> bool:
    """Whether anything writes a tensor that a scalar is read from; indices and lengths mostly come from outside."""
    written: set[object] = set()
    read: set[object] = set()
    waiting = [root]
    while waiting:
        for node in waiting.pop().body:
            if isinstance(node, TOp):
                if node.name == "read_scalar":
                    read.update(node.operands)
                else:
                    written.update(node.results)
            elif isinstance(node, TAssign):
                written.add(node.dst)
            elif isinstance(node, TLoop):
                waiting.append(node.region)
            elif isinstance(node, TIf):
                waiting += (node.then, node.other)
    return not read.isdisjoint(written)


class _Reads:
    """A walk in program order that knows which tensors a device may still be computing (PTO626)."""

    def __init__(self, trace: Trace) -> None:
        self.submitting: frozenset[str] = frozenset(trace.notes.get("submitting", ()))
        self.around: tuple[LoopFrame, ...] = ()

    def region(self, region: Region, open_: dict[Var, Made]) -> dict[Var, Made]:
        """Judge a region; ``open_`` are the tensors that are being computed at its begin, returned those at its end."""
        open_ = dict(open_)
        for node in region.body:
            if isinstance(node, TLoop):
                if node.attrs.get("submit_before_loop"):
                    open_.clear()
                after = self.region(node.region, open_)
                if not after.keys() <= open_.keys():  # what an earlier iteration computes
                    after = self.region(node.region, {**open_, **after})
                open_ = {**open_, **after}
            elif isinstance(node, TIf):
                open_ = {**self.region(node.then, open_), **self.region(node.other, open_)}
            elif isinstance(node, (TOp, TAssign)):
                self._node(node, open_)
        return open_

    def _node(self, node: TOp | TAssign, open_: dict[Var, Made]) -> None:
        entered = [frame for frame in node.site.loops if frame not in self.around]
        self.around = node.site.loops
        if any(frame.name in self.submitting for frame in entered):
            open_.clear()
        if isinstance(node, TAssign):
            self._assign(node, open_)
        elif node.name == "read_scalar":
            var = next(operand for operand in node.operands if isinstance(operand, Var))
            if var in open_:
                op, site = open_[var]
                warn("PTO626", site=node.site, name=var.shown, op=op, line=line_of(site))
        elif node.name not in BY_CONTROL_CORE:
            self._compute(node, open_)

    def _assign(self, node: TAssign, open_: dict[Var, Made]) -> None:
        if not isinstance(node.dst, Var):
            return
        if isinstance(node.src, Var) and node.src in open_:
            open_[node.dst] = open_[node.src]
        else:
            open_.pop(node.dst, None)

    def _compute(self, node: TOp, open_: dict[Var, Made]) -> None:
        found = recorded_access(node)
        made = node.called, node.site
        if looks_only(node.name):
            source = next((open_[var] for var in found.reads if var in open_), None)
            if source is None:
                return
            made = source
        for result in node.results:
            if isinstance(result, Var):
                open_[result] = made
