"""Recording a kernel in program order.

While the kernel's Python code runs, every tensor object is a ``Var``: a cell that ops read and write. Nodes recorded
here use Vars where the SSA form (``nodes.py``) uses Values; ``ssa.py`` turns one into the other. Types and valid
shapes of Vars are tracked here, because the next statement's checks need them.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from openpto._records import dataclass, field
from openpto.diagnostics import Site, assigned_name, fail, warn
from openpto.diagnostics.source import display_path

from . import affine
from . import expr as ex
from .expr import Dim, Expr
from .nodes import EMPTY, Imm, Scope, TileType

WARN_OPS, MAX_OPS = 20_000, 200_000
READS_LOOKED_BACK = 64  # nodes; bounds the cost of a scalar read


class VarState(NamedTuple):
    """What tracing knows of a Var at one point. ``poison`` is the branch or loop after which its type is unsure."""

    type: TileType
    valid: tuple[Dim, ...]
    written: bool
    poison: Site | None


@dataclass(eq=False)
class Var:
    """A tensor object while tracing. ``type`` and ``valid`` describe its present value; ``written`` tells whether any
    write has certainly been recorded; ``region`` is where it was created."""

    uid: int
    trace: Trace
    region: Region
    type: TileType
    valid: tuple[Dim, ...]
    kind: str  # "param", "local" (declared, no contents), "result", "carry"
    name: str
    site: Site
    written: bool = True
    poison: Site | None = None

    def __repr__(self) -> str:
        return f"Var({self.name or self.uid}: {self.type})"

    @property
    def shown(self) -> str:
        """How messages call it: its name, or the one that the author gives to what made it."""
        return self.name or assigned_name(self.site.span) or "a tensor"

    @property
    def state(self) -> VarState:
        """The present state; assign it to go back."""
        return VarState(self.type, self.valid, self.written, self.poison)

    @state.setter
    def state(self, state: VarState) -> None:
        self.type, self.valid, self.written, self.poison = state


@dataclass(eq=False)
class ScalarVar:
    """A run-time int64 that changes while the program runs (carried or merged scalar)."""

    uid: int
    region: Region
    name: str
    site: Site


@dataclass(frozen=True, slots=True, eq=False)
class TOp:
    """A recorded operation; ``results`` may be existing Vars (in-place)."""

    name: str
    operands: tuple[Var | Imm | Expr, ...]
    results: tuple[Var | Expr, ...]
    types: tuple[tuple[TileType, tuple[Dim, ...]], ...]  # of the result Vars at this point
    attrs: Mapping[str, Any]
    site: Site
    scope: Scope

    @property
    def called(self) -> str:
        """The operation that the author called, which may be recorded as others: messages name it."""
        return self.site.asked or self.name


@dataclass(frozen=True, slots=True, eq=False)
class TAssign:
    """``dst`` takes the present value of ``src``; a Var takes a Var, a ScalarVar an Expr, None means no value."""

    dst: Var | ScalarVar
    src: Var | Expr | None
    site: Site
    type: TileType | None = None  # of a Var without a value: its type at this point


@dataclass(frozen=True, slots=True, eq=False)
class TGet:
    """``leaf`` becomes the present value of a ScalarVar, or (with ``expr``) of an expression."""

    leaf: Expr
    src: ScalarVar | Expr
    site: Site


@dataclass(eq=False, repr=False)
class Region:
    """A body being recorded. ``undo`` keeps the state of every outer Var as it was at entry, ``tail`` as it was at
    the end, ``wrote`` the Vars and ScalarVars assigned inside."""

    kind: str  # "kernel", "loop", "then", "else"
    parent: Region | None
    site: Site
    body: list[Any] = field(default_factory=list)
    undo: dict[Var, VarState] = field(default_factory=dict)
    wrote: dict[Var | ScalarVar, None] = field(default_factory=dict)
    scope: Scope = field(default_factory=Scope)
    leaves: set[Expr] = field(default_factory=set)
    tail: dict[Var, VarState] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class TLoop:
    """A recorded loop."""

    index: Expr
    start: Expr
    stop: Expr
    step: Expr
    region: Region
    attrs: Mapping[str, Any]
    site: Site
    scope: Scope


@dataclass(frozen=True, slots=True, eq=False)
class TIf:
    """A recorded branch."""

    cond: Expr
    then: Region
    other: Region
    site: Site
    attrs: Mapping[str, Any]


@dataclass(frozen=True)
class Checkpoint:
    """A point of a trace to which :meth:`Trace.rollback` returns."""

    region: Region
    length: int
    ops: int
    state: Mapping[Var, VarState]
    wrote: tuple[Var | ScalarVar, ...]
    undo: Mapping[Var, VarState]
    scope: Scope


class Trace:
    """One kernel being recorded. Not shared between threads."""

    def __init__(self, name: str, site: Site) -> None:
        self.name = name
        self.site = site
        self.root = Region("kernel", None, site)
        self.region = self.root
        self.params: list[Var] = []
        self.ops = 0
        self.scope = Scope()
        self.loops: list[TLoop] = []
        self.vars: list[Var] = []
        self.notes: dict[str, Any] = {}
        self.checks: set[Expr] = set()  # leaves of `check`
        self.follow: Callable[[TOp], None] | None = None  # is told of every operation with tensors as results
        self._uid = 0
        self._warned = False

    # -- variables and leaves ------------------------------------------------------------------------------------

    def uid(self) -> int:
        """The next number; unique in this trace."""
        self._uid += 1
        return self._uid

    def param(self, name: str, type: TileType, site: Site) -> Var:
        """Declare the next tensor parameter; fully valid and defined at entry."""
        var = Var(self.uid(), self, self.root, type, type.shape, "param", name, site)
        self.params.append(var)
        self.vars.append(var)
        return var

    def leaf(self, label: str = "") -> Expr:
        """A new scalar leaf, visible in the present region and inside it."""
        node = ex.ref(self.uid(), label)
        self.region.leaves.add(node)
        return node

    def _new(self, type: TileType, valid: tuple[Dim, ...], kind: str, name: str, site: Site) -> Var:
        valid = tuple([v if v.__class__ is int else ex.as_dim(v) for v in valid])
        var = Var(self.uid(), self, self.region, type, valid, kind, name, site)
        self.vars.append(var)
        return var

    # -- recording -----------------------------------------------------------------------------------------------

    def emit(
        self,
        name: str,
        operands: Sequence[Var | Imm | Expr],
        results: Sequence[tuple[TileType, Sequence[Dim]]],
        attrs: Mapping[str, Any] = EMPTY,
        *,
        site: Site,
        into: Var | None = None,
        label: str = "",
    ) -> list[Var]:
        """Record an op and return its result Vars.

        ``results`` gives type and valid shape per result. With ``into`` the single result is stored into that Var,
        which must also be the last Var operand if the op needs its old contents.
        """
        self.check_operands(operands, site)
        for value in attrs.values():
            if isinstance(value, tuple):
                for part in value:
                    if isinstance(part, Expr):
                        self._check_leaves(part, site)
        self._count(site)
        if into is None:
            kind = "local" if name == "alloc" else "result"
            outs = [self._new(t, tuple(v), kind, label, site) for t, v in results]
            if name == "alloc":
                outs[0].written = False
        else:
            assert len(results) == 1
            self.check_operands((into,), site)
            self.write(into, results[0][0], tuple(results[0][1]))
            outs = [into]
            attrs = {**attrs, "inplace": True}
        types = tuple((v.type, v.valid) for v in outs)
        node = TOp(name, tuple(operands), tuple(outs), types, attrs, site, self.scope)
        self.region.body.append(node)
        if self.follow is not None:
            self.follow(node)
        return outs

    def emit_scalar(self, name: str, attrs: Mapping[str, Any], *, site: Site, label: str = "") -> Expr:
        """Record an op without operands whose result is a run-time integer; returns the leaf that stands for it."""
        self._count(site)
        leaf = self.leaf(label)
        self.region.body.append(TOp(name, (), (leaf,), (), attrs, site, self.scope))
        return leaf

    def read_scalar(self, var: Var, indices: Sequence[Dim], site: Site) -> Expr:
        """Record the read of one element; returns the leaf that stands for it.

        An element that was read just before, with no write in between, keeps its leaf: the extent of
        ``t[n[0] : n[0] + 8]`` folds.
        """
        operands: tuple[Var | Expr, ...] = (var, *(ex.expr(i) for i in indices))
        self.check_operands(operands, site)
        known = self._read_before(operands)
        if known is not None:
            return known
        self._count(site)
        leaf = self.leaf(f"{var.name or 't'}_{self._uid}")
        self.region.body.append(TOp("read_scalar", operands, (leaf,), (), EMPTY, site, self.scope))
        return leaf

    def _read_before(self, operands: tuple[Var | Expr, ...]) -> Expr | None:
        """The leaf of the same read a few nodes back, if nothing in between can have changed a tensor."""
        for node in reversed(self.region.body[-READS_LOOKED_BACK:]):
            if isinstance(node, TGet):
                continue
            if not isinstance(node, TOp) or "inplace" in node.attrs:
                return None
            if node.name == "read_scalar" and all(a is b for a, b in zip(node.operands, operands, strict=True)):
                leaf = node.results[0]
                assert isinstance(leaf, Expr)
                return leaf
        return None

    def valid_of(self, var: Var, site: Site) -> tuple[Dim, ...]:
        """Replace the valid shape of ``var`` by leaves that read its run-time extents here; returns them."""
        leaves = []
        for axis in range(var.type.rank):
            leaf = self.leaf(f"valid{axis}_{var.name or var.uid}")
            self.region.body.append(TOp("valid_of", (var,), (leaf,), (), {"axis": axis}, site, self.scope))
            leaves.append(leaf)
        self._save(var)
        var.valid = tuple(leaves)
        return var.valid

    def let(self, value: Expr, site: Site, label: str = "") -> Expr:
        """Record ``leaf = value``: the expression is evaluated here, once."""
        self.check_operands((value,), site)
        leaf = self.leaf(label)
        self.region.body.append(TGet(leaf, value, site))
        return leaf

    def check(self, value: Expr, site: Site) -> None:
        """Record that an expression is evaluated here even if nothing uses it, because that may stop the run."""
        self.checks.add(self.let(value, site))

    def only_checks(self, region: Region) -> bool:
        """Whether nothing but :meth:`check` was recorded in a region."""
        return all(isinstance(node, TGet) and node.leaf in self.checks for node in region.body)

    def carry(self, type: TileType, valid: Sequence[Dim], name: str, site: Site) -> Var:
        """A Var without a value, to be assigned (carried and merged names)."""
        var = self._new(type, tuple(valid), "carry", name, site)
        self.region.body.append(TAssign(var, None, site, type))
        return var

    def assign(self, dst: Var, src: Var, site: Site) -> None:
        """``dst`` takes the present value of ``src``; no data move, later writes to either do not meet."""
        self.check_operands((src,), site)
        self._check_target(dst, site)
        self.write(dst, src.type, src.valid)
        dst.written = src.written
        self.region.body.append(TAssign(dst, src, site))

    def scalar(self, name: str, site: Site) -> ScalarVar:
        """A scalar cell without a value."""
        cell = ScalarVar(self.uid(), self.region, name, site)
        self.region.body.append(TAssign(cell, None, site))
        return cell

    def set_scalar(self, cell: ScalarVar, value: Expr, site: Site) -> None:
        """Store into a scalar cell."""
        self.check_operands((value,), site)
        self._wrote(cell)
        self.region.body.append(TAssign(cell, value, site))

    def get_scalar(self, cell: ScalarVar, site: Site) -> Expr:
        """The present value of a scalar cell, as a leaf."""
        leaf = self.leaf(cell.name)
        self.region.body.append(TGet(leaf, cell, site))
        return leaf

    def write(self, var: Var, type: TileType, valid: Sequence[Dim]) -> None:
        """Note that ``var`` has a new value of this type and valid shape."""
        self._save(var)
        self._wrote(var)
        var.state = VarState(type, tuple([v if v.__class__ is int else ex.as_dim(v) for v in valid]), True, None)

    def _save(self, var: Var) -> None:
        region: Region | None = self.region
        while region is not None and region is not var.region:
            region.undo.setdefault(var, var.state)
            region = region.parent

    def _wrote(self, cell: Var | ScalarVar) -> None:
        region: Region | None = self.region
        while region is not None and region is not cell.region:
            region.wrote.setdefault(cell)
            region = region.parent
        cell.region.wrote.setdefault(cell)

    def _count(self, site: Site) -> None:
        self.ops += 1
        if self.ops > WARN_OPS and not self._warned:
            self._warned = True
            warn("PTO181", site=site, count=WARN_OPS)
        if self.ops > MAX_OPS:
            fail("PTO182", site=site, count=MAX_OPS)

    # -- visibility ----------------------------------------------------------------------------------------------

    def open_regions(self) -> Iterator[Region]:
        """The region being recorded and everything around it, innermost first."""
        region: Region | None = self.region
        while region is not None:
            yield region
            region = region.parent

    def check_operands(self, operands: Sequence[Var | Imm | Expr], site: Site) -> None:
        """Refuse tensors and scalars of another trace (PTO172), of a region that is closed (PTO171), and tensors whose
        type depends on the branch taken (PTO173)."""
        for operand in operands:
            if isinstance(operand, Var):
                if operand.trace is not self:
                    fail("PTO172", site=site, name=operand.shown, created=_place(operand.site))
                if operand.poison is not None:
                    fail("PTO173", site=site, name=operand.shown, changed=_place(operand.poison))
                if operand.region is not self.region and not any(r is operand.region for r in self.open_regions()):
                    fail("PTO171", site=site, name=operand.shown, created=_place(operand.site))
            elif isinstance(operand, Expr):
                self._check_leaves(operand, site)

    def _check_target(self, dst: Var, site: Site) -> None:
        """A whole-tensor assignment ends a poison, but not the other rules."""
        poison, dst.poison = dst.poison, None
        try:
            self.check_operands((dst,), site)
        finally:
            dst.poison = poison

    def _check_leaves(self, node: Expr, site: Site) -> None:
        for leaf in node.leaves:
            if leaf.op in ("ref", "index") and not any(leaf in r.leaves for r in self.open_regions()):
                fail("PTO171", site=site, name=ex.text(leaf), created="a loop or branch that has ended")

    # -- regions -------------------------------------------------------------------------------------------------

    def begin_loop(
        self, start: Dim, stop: Dim, step: Dim, *, idx_name: str, attrs: Mapping[str, Any], site: Site
    ) -> TLoop:
        """Open a loop body; its index is ``.index``. Tile shapes set inside are gone after it."""
        first, last, stride = ex.expr(start), ex.expr(stop), ex.expr(step)
        self.check_operands((first, last, stride), site)
        index = ex.index(self.uid(), idx_name)
        region = Region("loop", self.region, site, scope=self.scope)
        region.leaves.add(index)
        loop = TLoop(index, first, last, stride, region, attrs, site, self.scope)
        self.region = region
        self.loops.append(loop)
        return loop

    def end_loop(self, loop: TLoop) -> None:
        """Close a loop body and record the loop in the region around it."""
        assert self.region is loop.region
        assert loop.region.parent is not None
        loop.region.tail = {v: v.state for v in loop.region.undo}
        self.loops.pop()
        self.scope = loop.region.scope
        self.region = loop.region.parent
        self.region.body.append(loop)

    def abandon(self, region: Region) -> None:
        """Throw an open region (and all inside it) away and restore the Vars it changed."""
        while True:
            current = self.region
            assert current.parent is not None
            self._restore(current)
            if self.loops and self.loops[-1].region is current:
                self.loops.pop()
            self.scope = current.scope
            self.region = current.parent
            if current is region:
                return

    def _restore(self, region: Region) -> None:
        for var, state in region.undo.items():
            var.state = state

    def changed_at_loop_end(self, loop: TLoop, general: Container[Var] = ()) -> tuple[list[Var], list[Var]]:
        """Outer Vars whose (type, valid shape) at the tail of the open body differ from its head: two lists.

        ``general`` are the Vars whose valid shape the head already reads at run time (:meth:`valid_of`)."""
        types, valids = [], []
        for var, head in loop.region.undo.items():
            if var.type != head.type:
                types.append(var)
            elif var not in general and not same_valid(var.valid, head.valid):
                valids.append(var)
        return types, valids

    def unsure_at_loop_end(self, loop: TLoop) -> dict[Var, Site]:
        """Outer Vars whose type depends on a branch at the tail of the open body and did not at its head, with the
        place of that branch."""
        ends = {var: var.poison for var, head in loop.region.undo.items() if head.poison is None}
        return {var: site for var, site in ends.items() if site is not None}

    def make_unsure(self, var: Var, site: Site) -> None:
        """The type of ``var`` depends on what an earlier iteration did, up to its next whole assignment."""
        self._save(var)
        var.poison = site

    def begin_if(self, cond: Expr, *, site: Site, attrs: Mapping[str, Any] = EMPTY) -> TIf:
        """Open the first branch of an ``if``."""
        self.check_operands((cond,), site)
        then = Region("then", self.region, site, scope=self.scope)
        other = Region("else", self.region, site, scope=self.scope)
        self.region = then
        return TIf(cond, then, other, site, attrs)

    def begin_else(self, branch: TIf) -> dict[Var, VarState]:
        """Close the first branch, open the second; returns what the first left in the Vars it changed."""
        assert self.region is branch.then
        left = {v: v.state for v in branch.then.undo}
        self._restore(branch.then)
        self.scope = branch.then.scope
        self.region = branch.other
        return left

    def end_if(self, branch: TIf, left: Mapping[Var, VarState], site: Site) -> list[Var]:
        """Close the second branch, record the ``if`` and merge Vars; returns Vars whose types differ (no merge)."""
        assert self.region is branch.other
        assert branch.other.parent is not None
        right = {v: v.state for v in branch.other.undo}
        self._restore(branch.other)
        self.scope = branch.other.scope
        self.region = branch.other.parent
        self.region.body.append(branch)
        conflicts, unsure = [], []
        for var in {**left, **right}:
            a, b = left.get(var, var.state), right.get(var, var.state)
            self._save(var)
            if a.type != b.type:
                var.poison = site
                conflicts.append(var)
                continue
            self._wrote(var)
            var.state = VarState(a.type, a.valid, a.written and b.written, a.poison or b.poison)
            if not same_valid(a.valid, b.valid) or not self.visible(a.valid):
                unsure.append(var)
        for var in unsure:
            self.valid_of(var, site)
        return conflicts

    def settle_after_loop(self, loop: TLoop, site: Site) -> None:
        """After :meth:`end_loop`: give the Vars it changed a valid shape that holds after any trip count."""
        for var, head in loop.region.undo.items():
            var.written = head.written
            if var.poison is not None:
                continue
            if not same_valid(var.valid, head.valid) or not self.visible(var.valid):
                self.valid_of(var, site)

    def visible(self, dims: Sequence[Dim]) -> bool:
        """Whether extents are made of nothing that belongs to a loop or branch which is closed here."""
        open_leaves = [r.leaves for r in self.open_regions()]
        refs = [leaf for d in dims if isinstance(d, Expr) for leaf in d.leaves if leaf.op in ("ref", "index")]
        return all(any(leaf in leaves for leaves in open_leaves) for leaf in refs)

    # -- going back ----------------------------------------------------------------------------------------------

    def checkpoint(self) -> Checkpoint:
        """Remember this point (inside the present region)."""
        state = {v: v.state for v in self.vars}
        region = self.region
        return Checkpoint(region, len(region.body), self.ops, state, tuple(region.wrote), dict(region.undo), self.scope)

    def rollback(self, point: Checkpoint) -> None:
        """Forget everything recorded since ``point``; its region must still be open."""
        while self.region is not point.region:
            self.abandon(self.region)
        del point.region.body[point.length :]
        self.ops, self.scope = point.ops, point.scope
        point.region.wrote = dict.fromkeys(point.wrote)
        point.region.undo = dict(point.undo)
        for var, state in point.state.items():
            var.state = state


def same_valid(a: Sequence[Dim], b: Sequence[Dim]) -> bool:
    """Whether two valid shapes are provably equal."""
    return len(a) == len(b) and all(affine.equal(x, y) for x, y in zip(a, b, strict=True))


def _place(site: Site) -> str:
    return f"{display_path(site.span.file)}:{site.span.line}" if site.span else "an unknown line"


class _Local(threading.local):
    """What a thread has of its own; asking for a name that a thread-local object lacks costs much."""

    stack: tuple[Trace, ...] = ()


_local = _Local()


def current() -> Trace | None:
    """The trace that this thread records, or None outside a kernel."""
    stack = _local.stack
    return stack[-1] if stack else None


@contextmanager
def recording(trace: Trace) -> Iterator[Trace]:
    """Make ``trace`` the current one of this thread."""
    before = _local.stack
    _local.stack = (*before, trace)
    try:
        yield trace
    finally:
        _local.stack = before
