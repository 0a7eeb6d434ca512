"""``if`` on a value known only at run time: both branches are recorded, what they leave is merged."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from types import FrameType
from typing import TYPE_CHECKING, Any

from openpto._records import replace
from openpto.diagnostics import Site, Span, fail, portability
from openpto.ir.expr import Expr
from openpto.ir.nodes import EMPTY
from openpto.ir.trace import ScalarVar, Var, VarState

from .memory import Box, boxes, completed, unchanged
from .specs import BranchSpec
from .state import Maybe, plain
from .values import (
    MISSING,
    Mismatch,
    Path,
    Poison,
    is_scalar,
    is_symbolic,
    is_tensor,
    is_unset,
    kind_of,
    leaves,
    pair,
    parts,
    path_text,
    place,
    rebuild,
    same,
    scalar_expr,
)

if TYPE_CHECKING:
    from .logic import Logic

Conflict = Callable[[str, Path, Any, Any], Any]
"""What to put where two branches leave values that do not merge: (name, path, then, other) to a value."""


class Pending:
    """A merged value that can be built once the branches are closed."""

    __slots__ = ("base", "cells", "doubt", "name", "other")

    def __init__(
        self, name: str, base: Any, other: Any, cells: dict[Path, Var | ScalarVar], doubt: ScalarVar | None = None
    ) -> None:
        self.name, self.base, self.other, self.cells, self.doubt = name, base, other, cells, doubt

    def finish(self, machine: Logic, site: Site) -> Any:
        """The value after the branches."""
        made = {}
        for path, cell in self.cells.items():
            made[path] = machine.handle(cell) if isinstance(cell, Var) else machine.read_cell(cell, site)
        value = rebuild(self.base, made) if made else self.base
        machine.kinship.copied(value, (self.base, self.other), self.name, site)
        return Maybe(value, self.doubt) if self.doubt is not None else value


class Fork:
    """Two branches being recorded, and the merge of names and containers. First branch, ``turn``, second, ``close``."""

    def __init__(
        self,
        machine: Logic,
        cond: Expr,
        site: Site,
        frame: FrameType,
        values: Mapping[str, Any] = EMPTY,
        ends: tuple[Mapping[str, Span], Mapping[str, Span]] = (EMPTY, EMPTY),
    ) -> None:
        self.machine = machine
        self.trace = machine.trace
        self.site = site
        self.ends = ends
        machine.refuse_changed_copies()
        self.families = machine.kinship.mark()
        self.boxes = machine.boxes(frame, values)
        self.parent = self.trace.region
        self.node = self.trace.begin_if(cond, site=site)
        self.then: dict[str, Any] = {}
        self.then_slots: list[dict[Any, Any]] = []
        self.then_boxes: list[Box] = []
        self.memory: dict[int, dict[Any, Any]] = {}
        self.left: dict[Var, VarState] = {}

    def turn(self, values: dict[str, Any]) -> None:
        """End the first branch, which leaves ``values`` in the names that matter."""
        self._end_side()
        self.then = values
        self.then_slots = [box.now() for box in self.boxes]
        self.then_boxes = boxes(values.items())  # also keeps them alive, so that ids stay theirs
        self.memory = {id(box.container): box.before for box in self.then_boxes}
        for box, slots in zip(self.boxes, self.then_slots, strict=True):
            self.memory[id(box.container)] = slots
        self.left = self.trace.begin_else(self.node)
        for box in self.boxes:
            box.restore()

    def _end_side(self) -> None:
        """What the branch relates among containers ends with it; the merge relates anew."""
        self.machine.refuse_changed_copies()
        self.machine.kinship.back_to(self.families)

    @property
    def is_empty(self) -> bool:
        """Whether neither branch has recorded anything but checks of expressions."""
        return self.trace.only_checks(self.node.then) and self.trace.only_checks(self.node.other)

    def drop(self) -> None:
        """Forget the branches (second one open, nothing recorded but checks)."""
        self.trace.abandon(self.node.other)

    def joined(self, value: Expr) -> Expr:
        """Drop the branches for ``value``, which evaluates what each of them holds where it is reached."""
        checked = bool(self.node.then.body or self.node.other.body)
        self.drop()
        if checked:
            self.trace.check(value, self.site)
        return value

    def close(
        self, values: dict[str, Any], conflict: Conflict, *, first_only: bool | frozenset[str] = False
    ) -> dict[str, Any]:
        """End the second branch; returns the names after the statement.

        With ``first_only`` (for all names, or some) a name that merges with nothing keeps the first branch's value
        and has none at run time when the second branch is taken.
        """
        self._end_side()
        pending: dict[str, Any] = {}
        for name in dict.fromkeys((*self.then, *values)):
            a, b = self.then.get(name, MISSING), values.get(name, MISSING)
            one_sided = name in first_only if isinstance(first_only, frozenset) else first_only
            pending[name] = self._merge(name, a, b, conflict, one_sided)
        sides = zip(self.boxes, self.then_slots, strict=True)
        slots = [self._merge_box(box, then, conflict) for box, then in sides]
        self.trace.end_if(self.node, self.left, self.site)
        for box, merged in zip(self.boxes, slots, strict=True):
            if merged is not None:
                box.before = {key: self._finish(value) for key, value in merged.items()}
                box.restore()
        return {n: self._finish(v) for n, v in pending.items() if v is not MISSING}

    def _finish(self, value: Any) -> Any:
        return value.finish(self.machine, self.site) if isinstance(value, Pending) else value

    # -- merging -------------------------------------------------------------------------------------------------

    def _merge(self, name: str, a: Any, b: Any, conflict: Conflict, first_only: bool) -> Any:
        if a is b:
            return a
        if is_unset(a) and is_unset(b):
            return a if isinstance(a, Poison) else b
        a, b = plain(a), plain(b)
        if isinstance(a, Poison) or isinstance(b, Poison) or a is MISSING or b is MISSING:
            if first_only and a is not MISSING and not isinstance(a, Poison):
                return self._first(name, a)
            return conflict(name, (), a, b)
        cells: dict[Path, Var | ScalarVar] = {}
        try:
            for path, x, y in list(pair(a, b, self.memory)):
                if not same(x, y):
                    self.machine.touch(a, name)
                    self.machine.touch(b, name)
                    cells[path] = self._cell(path_text(name, path), path, x, y)
        except Mismatch as found:
            return self._first(name, a) if first_only else conflict(name, found.path, found.a, found.b)
        return Pending(name, b, a, cells) if cells or parts(b) is not None else b

    def _cell(self, label: str, path: Path, x: Any, y: Any) -> Var | ScalarVar:
        if is_tensor(x) and is_tensor(y):
            before, after = self.left.get(x.cell, x.cell.state), y.cell.state
            if before.type == after.type and not before.poison and not after.poison:
                cell = self._tensor(label, x.cell)
                self.machine.copy(cell, y.cell, self.site)
                return cell
        elif is_scalar(x) and is_scalar(y):
            return self._scalar(label, scalar_expr(x), scalar_expr(y))
        raise Mismatch(path, x, y)

    def _tensor(self, label: str, then: Var) -> Var:
        """A Var that has the value of ``then`` after the first branch."""
        state = self.left.get(then, then.state)
        with self.machine.recording_in(self.parent):
            cell = self.trace.carry(state.type, state.valid, label, self.site)
        before = cell.state
        with self.machine.recording_in(self.node.then):
            self.machine.copy(cell, then, self.site)
        self.left[cell] = VarState(state.type, state.valid, state.written, None)
        cell.state = before
        return cell

    def _scalar(self, label: str, then: Expr, other: Expr | None) -> ScalarVar:
        with self.machine.recording_in(self.parent):
            cell = self.trace.scalar(label, self.site)
        with self.machine.recording_in(self.node.then):
            self.trace.set_scalar(cell, then, self._stored(0, label))
        if other is not None:
            self.trace.set_scalar(cell, other, self._stored(1, label))
        return cell

    def _stored(self, branch: int, name: str) -> Site:
        """Where a branch stores a name last; the statement if it is no plain name."""
        return replace(self.site, span=self.ends[branch].get(name, self.site.span))

    def _first(self, name: str, a: Any) -> Pending:
        """The first branch's value; at run time there is none after the second."""
        cells: dict[Path, Var | ScalarVar] = {}
        for path, leaf in leaves(a):
            if is_tensor(leaf):
                cells[path] = self._tensor(path_text(name, path), leaf.cell)
            elif is_symbolic(leaf):
                cells[path] = self._scalar(path_text(name, path), leaf.expr, None)
        return Pending(name, a, a, cells, self._scalar(name, scalar_expr(1), None))

    def _merge_box(self, box: Box, then: dict[Any, Any], conflict: Conflict) -> dict[Any, Any] | None:
        now = completed(box, box.now(), then)
        then = completed(box, then, now)
        if unchanged(then, now) and unchanged(now, box.now()):
            return None
        if list(now) != list(then):
            fail("PTO143", site=self.site, name=box.name, region="if", before=len(then), after=len(now))
        merged = {}
        for key, value in then.items():
            merged[key] = self._merge(box.slot_name(key), value, now[key], conflict, False)
        return merged


class Branch:
    """An ``if`` statement of the author; ``symbolic`` if both branches are recorded."""

    def __init__(self, machine: Logic, test: Any, spec: BranchSpec, frame: FrameType) -> None:
        self.machine = machine
        self.spec = spec
        test = plain(test)
        self.symbolic = is_symbolic(test)
        if not self.symbolic:
            self.chosen = machine.truth(test, "if")
            return
        site = machine.site(spec.span)
        self._portability(site, frame)
        self.before = self._values(frame)
        self.fork = Fork(machine, test.expr, site, frame, ends=spec.ends)

    def _portability(self, site: Site, frame: FrameType) -> None:
        kind = self.machine.kind_of_code(frame.f_code)
        if self.spec.marked and kind != "helper":
            portability("PTO660", site=site)
        elif not self.spec.marked and kind == "helper":
            portability("PTO661", site=site, name=frame.f_code.co_name)

    def _values(self, frame: FrameType) -> dict[str, Any]:
        space = frame.f_locals
        return {name: space[name] for name in self.spec.names if name in space}

    def _left(self, frame: FrameType) -> dict[str, Any]:
        """What a branch leaves in the names that are needed afterwards."""
        return {name: value for name, value in self._values(frame).items() if name in self.spec.after}

    def then(self) -> bool:
        """Whether the first branch runs now."""
        return self.symbolic or self.chosen

    def other(self) -> bool:
        """Whether the second branch runs now."""
        return self.symbolic or not self.chosen

    def end_then(self) -> None:
        """The first branch is recorded."""
        self.fork.turn(self._left(sys._getframe(1)))

    def restore(self) -> tuple[Any, ...]:
        """The names as they were before the statement."""
        return tuple(self.machine.value_of(name, self.before) for name in self.spec.names)

    def join(self) -> tuple[Any, ...]:
        """The second branch is recorded: the names after the statement."""
        after = self.fork.close(self._left(sys._getframe(1)), self._conflict)
        return tuple(self.machine.value_of(name, after) for name in self.spec.names)

    def _conflict(self, name: str, path: Path, a: Any, b: Any) -> Any:
        """What stands for a name whose branches leave different things."""
        for value, where in ((a, self.spec.other), (b, self.spec.then)):
            if isinstance(value, Poison) and value.code != "PTO120":
                return value
            if is_unset(value):
                loop = value.loop if isinstance(value, Poison) else None
                return Poison("PTO121", name, loop, set=place(where.get(name)), test=place(self.spec.span))
        then, other = self.spec.then.get(name, self.spec.span), self.spec.other.get(name, self.spec.span)
        return Poison(
            "PTO122",
            path_text(name, path),
            then_line=place(then),
            other_line=place(other),
            why=_difference(a, b),
        )


def _difference(a: Any, b: Any) -> str:
    """Why two leaves do not merge, with their types."""
    if is_tensor(a) and is_tensor(b):
        return f"{_type_text(a.cell)} and {_type_text(b.cell)}"
    return f"{kind_of(a)} and {kind_of(b)}"


def _type_text(var: Var) -> str:
    return f"a {list(var.type.shape)} {var.type.dtype.short} tensor"
