"""What runs here and is refused or means something else elsewhere.

Purpose: warn (or refuse, under a chosen target) where a tensor is read after it was moved into another or added to by
index_add, and where a part of a tensor is read and a part of the same tensor is written from it in one straight line.
Precondition: a finished trace, where tensor objects still exist; SSA keeps only their states.
Postcondition: nothing is changed.
Non-goals: what the front end sees while tracing (helpers, names, scalars) is reported there.
"""

from __future__ import annotations

from collections.abc import Mapping

from openpto._records import dataclass
from openpto.checks.access import is_move, line_of, recorded_access
from openpto.diagnostics import Site, portability
from openpto.ir import affine
from openpto.ir import expr as ex
from openpto.ir.expr import Expr
from openpto.ir.trace import Region, TAssign, TIf, TLoop, TOp, Trace, Var

ADDS = "index_add"
"""The operation that leaves its operand alone here and changes it in the toolchains."""

Moved = dict[Var, Site]
"""Objects that were moved away, and where."""
Known = Mapping[Expr, bool]
"""Conditions whose value is known."""
Parts = dict[Var, frozenset[Var]]
"""For each object, the tensors of which a part went into its data."""


@dataclass(frozen=True)
class Portability:
    """The pass; see the module's header."""

    trace: Trace

    def run(self) -> None:
        """Check one trace. Reports PTO610 to PTO612."""
        _Moves().check(self.trace.root, {}, {})
        _check_round_trips(self.trace.root, {})


# -- reads of a tensor that was moved away ----------------------------------------------------------------------------


class _Moves:
    """Reads of objects that a move emptied on the device. Loops ask four times about their bodies, and those inside of
    them four times each time; nearly always the same is known, and the answer is remembered."""

    def __init__(self) -> None:
        self.conditions: dict[Region, frozenset[Expr]] = {}
        self.ends: dict[tuple[object, ...], tuple[Moved, bool]] = {}

    def check(self, region: Region, moved: Moved, known: Known, say: bool = True) -> Moved:
        """Report reads of emptied objects; returns those at the end. ``known`` has conditions whose value is known
        where the region runs; without ``say`` nothing is reported."""
        deciding = [(cond, known[cond]) for cond in self.asked(region) if cond in known]
        key = (region, frozenset(deciding), frozenset((var, id(site)) for var, site in moved.items()))
        end, said = self.ends.get(key, ({}, None))
        if said is None or (say and not said):
            end = self.walk(region, dict(moved), known, say)
            self.ends[key] = end, say
        return dict(end)

    def asked(self, region: Region) -> frozenset[Expr]:
        """Conditions that decide branches of a region, at any depth."""
        found = self.conditions.get(region)
        if found is None:
            inside: set[Expr] = set()
            for node in region.body:
                if isinstance(node, TLoop):
                    inside |= self.asked(node.region)
                elif isinstance(node, TIf):
                    inside |= {_positive(node.cond), *self.asked(node.then), *self.asked(node.other)}
            found = self.conditions[region] = frozenset(inside)
        return found

    def walk(self, region: Region, moved: Moved, known: Known, say: bool) -> Moved:
        """Every node in order; changes ``moved``."""
        for node in region.body:
            if isinstance(node, (TOp, TAssign)):
                _check_moved_node(node, moved, say)
            elif isinstance(node, TLoop):
                moved = self.loop(node, moved, known, say)
            elif isinstance(node, TIf):
                both = ((True, node.then), (False, node.other))
                taken = [branch for value, branch in both if _may_be(node.cond, value, known)]
                ends = [self.check(branch, moved, known, say) for branch in taken]
                moved = {var: site for end in ends for var, site in end.items()}
        return moved

    def loop(self, node: TLoop, moved: Moved, known: Known, say: bool) -> Moved:
        """The first iteration, then what a later one finds that at least one earlier iteration has left."""
        begin = ex.loop_begin(node.index, node.start)
        end = ex.loop_end(node.index, node.start, node.stop, node.step)
        once = _runs_once(node)
        after = self.check(node.region, moved, {**known, begin: True, **({end: True} if once else {})}, say)
        if not once:
            second = self.check(node.region, moved, {**known, begin: True, end: False}, say=False)
            third = self.check(node.region, second, {**known, begin: False, end: False}, say=False)
            after |= self.check(node.region, second | third, {**known, begin: False}, say)
        return after


def _runs_once(node: TLoop) -> bool:
    """Whether no iteration can follow another one."""
    step = node.step.concrete()
    if step is None or step == 0:
        return False
    following = ex.binary("add", node.start, node.step)
    return affine.provable_ge(following, node.stop) if step > 0 else affine.provable_ge(node.stop, following)


def _may_be(cond: Expr, value: bool, known: Known) -> bool:
    """Whether a condition can be true, or false."""
    if cond.op == "not":
        return _may_be(cond.args[0], not value, known)
    return known.get(cond, value) is value


def _positive(cond: Expr) -> Expr:
    """What a condition says something about."""
    while cond.op == "not":
        cond = cond.args[0]
    return cond


def _check_moved_node(node: TOp | TAssign, moved: Moved, say: bool) -> None:
    if moved:
        for var in _reads(node):
            if var not in moved or (_adds_to_copy(moved[var]) and node.site.asked == ADDS):
                continue
            code = "PTO612" if _adds_to_copy(moved[var]) else "PTO610"
            if say:
                portability(code, site=node.site, name=var.shown, line=line_of(moved[var]))
        for var in _writes(node):
            moved.pop(var, None)
    if isinstance(node, TOp) and node.name == "clone":
        if _adds_to_copy(node.site):
            for var in _reads(node):
                if var.kind == "param" and say:
                    portability("PTO612", site=node.site, name=var.name, line=line_of(node.site))
                moved[var] = node.site
    elif is_move(node):
        moved.update((var, node.site) for var in _reads(node))


def _adds_to_copy(site: Site) -> bool:
    return site.asked == ADDS


def _reads(node: TOp | TAssign) -> tuple[Var, ...]:
    if isinstance(node, TAssign):
        return (node.src,) if isinstance(node.src, Var) else ()
    if node.name == "valid_of" or "inplace" in node.attrs:
        return recorded_access(node).reads
    return tuple([operand for operand in node.operands if isinstance(operand, Var)])


def _writes(node: TOp | TAssign) -> tuple[Var, ...]:
    written = node.results if isinstance(node, TOp) else (node.dst,)
    return tuple([var for var in written if isinstance(var, Var)])


# -- part read, part written ------------------------------------------------------------------------------------------


def _check_round_trips(region: Region, parts: Parts) -> None:
    """Report stores into part of a tensor of data that came from a part of the same tensor in one straight line."""
    parts = dict(parts)
    for node in region.body:
        if isinstance(node, (TOp, TAssign)):
            _check_round_trip(node, parts)
        elif isinstance(node, TLoop):
            parts.clear()  # a loop is a function of its own on the device: the straight line ends
            _check_round_trips(node.region, parts)
        elif isinstance(node, TIf):
            _check_round_trips(node.then, parts)
            _check_round_trips(node.other, parts)


def _check_round_trip(node: TOp | TAssign, parts: Parts) -> None:
    reads = _reads(node)
    flowing = frozenset[Var]().union(*[parts[var] for var in reads if var in parts])
    if isinstance(node, TOp) and node.name == "assemble":
        target = recorded_access(node).target
        if target in flowing:
            portability("PTO611", site=node.site, name=target.shown)
        return
    if isinstance(node, TOp) and node.name == "view":
        flowing |= {var for var in reads if node.types[0][0].shape != var.type.shape}
    for var in _writes(node):
        parts[var] = flowing
