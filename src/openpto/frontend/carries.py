"""What one recorded loop hands from iteration to iteration.

Purpose: find, for every name and container slot that the body changes, how its value travels: not at all (it stays
the same object), as a tensor, or as a run-time integer.
Method: assume, trace the body, compare the end of the body with its head, and trace again where the assumption was
wrong (``Plan`` remembers what was learnt). A name that is stored before it is read needs no value at the head.
Postcondition of ``close``: either ``holds``, or the plan has grown, or the first iteration must be traced apart.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NoReturn

from openpto._records import replace
from openpto.diagnostics import fail, portability
from openpto.ir.trace import Region, ScalarVar, TLoop, Var

from .memory import Box, boxes, completed, refill_changed, unchanged
from .ranges import Range
from .slots import Key, Kind, Plan, Slot, at_path, only_tuples, shown, type_text
from .state import Mark, Maybe, plain
from .values import (
    MISSING,
    Mismatch,
    Path,
    Poison,
    is_float,
    is_scalar,
    is_symbolic,
    is_tensor,
    is_unset,
    leaves,
    pair,
    path_text,
    place,
    rebuild,
    same,
    scalar_expr,
    unset,
)

if TYPE_CHECKING:
    from .logic import Logic
    from .loops import RunTimeLoop


class Carries:
    """One tracing of a loop body."""

    def __init__(
        self, machine: Logic, loop: RunTimeLoop, plan: Plan, before: Mapping[str, Any], reach: list[Box]
    ) -> None:
        self.machine = machine
        self.trace = machine.trace
        self.loop = loop
        self.site = loop.site
        self.plan = plan
        self.boxes = reach
        self.names = {name: Slot(("name", name), name, before.get(name, MISSING)) for name in loop.spec.names}
        self.slots = self._known_slots()
        self.copies: list[Box] = []
        self.memory: dict[int, Mapping[Any, Any]] = {}
        self.given: dict[str, Any] = {}
        self.holds = False
        self.must_peel = False
        self._learnt = False
        self._guessed = False
        self._heads: set[Var] = set()

    def _known_slots(self) -> dict[Key, Slot]:
        """Container slots that an earlier tracing found to change."""
        found = {}
        wanted = {key for key, _ in self.plan.kinds}
        for box in self.boxes:
            for key, value in box.before.items():
                name = ("slot", id(box.container), key)
                if name in wanted:
                    found[name] = Slot(name, box.slot_name(key), value)
        return found

    # -- head ----------------------------------------------------------------------------------------------------

    def open(self, bounds: Range, attributes: dict[str, Any]) -> TLoop:
        """Record what the first iteration starts with, open the body, and decide what the head gives."""
        trace = self.trace
        self.machine.refuse_changed_copies()
        self.families = self.machine.kinship.mark()
        self.parent, self.length, self.ops, self.scope = trace.region, len(trace.region.body), trace.ops, trace.scope
        self.wrote = dict(self.parent.wrote)
        for slot in self._all_slots():
            self._prepare(slot)
        self.node = trace.begin_loop(
            bounds.start,
            bounds.stop,
            bounds.step,
            idx_name=self.loop.index_name,
            attrs=attributes,
            site=self.site,
        )
        for var in self.plan.general_vars:
            if var not in self.plan.unsure:
                trace.valid_of(var, self.site)
        for var, branch in self.plan.unsure.items():
            trace.make_unsure(var, branch)
        for slot in self._all_slots():
            self._give(slot)
        for box in self.boxes:
            slots = {key: self._slot_given(box, key, value) for key, value in box.before.items()}
            self.memory[id(box.container)] = slots
            refill_changed(box, slots)
        originals = {id(box.container) for box in self.boxes}
        rebuilt = [(slot.name, slot.given) for slot in self._all_slots() if slot.cells]
        self.copies = [box for box in boxes(rebuilt) if id(box.container) not in originals]
        self.memory.update((id(box.container), box.before) for box in self.copies)
        return self.node

    def _all_slots(self) -> Iterator[Slot]:
        yield from self.names.values()
        yield from self.slots.values()

    def _prepare(self, slot: Slot) -> None:
        """Cells for the leaves that travel, with the values from before the loop."""
        value = plain(slot.before)
        if is_unset(value) or isinstance(value, Poison):
            return
        for path, leaf in leaves(value):
            kind = self.plan.kinds.get((slot.key, path)) or self._guess(slot, path, leaf)
            label = path_text(slot.name, path)
            if kind != "same":
                self.machine.touch(slot.before, slot.name)
            if kind == "tensor" and is_tensor(leaf):
                cell = self.machine.carry(leaf.cell, label, self.site)
                self.machine.copy(cell, leaf.cell, self.site)
                slot.cells[path] = cell
                self._heads.add(cell)
            elif kind == "scalar" and is_scalar(leaf):
                slot.cells[path] = self._scalar_cell(label, leaf)

    def _guess(self, slot: Slot, path: Path, leaf: Any) -> Kind:
        """The likely way of a leaf; leaves inside of containers that can change in place are not guessed."""
        if slot.key[0] != "name" or not only_tuples(plain(slot.before), path):
            return "same"
        if is_tensor(leaf):
            return "tensor"
        if is_scalar(leaf) and not path and slot.name in self.loop.spec.counters and self.plan.guess:
            self._guessed = True
            return "scalar"
        return "same"

    def _scalar_cell(self, label: str, value: Any) -> ScalarVar:
        cell = self.trace.scalar(label, self.site)
        self.trace.set_scalar(cell, scalar_expr(value), self.site)
        return cell

    def _give(self, slot: Slot) -> None:
        """The value at the head, and a mark that tells later whether the body read it."""
        if is_unset(slot.before):
            slot.given = unset(slot.name, self.loop)
        else:
            made = {path: self._head_leaf(slot, path, cell) for path, cell in slot.cells.items()}
            slot.given = rebuild(plain(slot.before), made) if made else slot.before
            self.machine.kinship.copied(slot.given, (plain(slot.before),), slot.name, self.site)
        if slot.key[0] == "name":
            slot.mark = Mark(slot.given)
            self.machine.marks.setdefault((slot.name, id(slot.given)), []).append(slot.mark)
            self.given[slot.name] = slot.given

    def _head_leaf(self, slot: Slot, path: Path, cell: Var | ScalarVar) -> Any:
        if isinstance(cell, ScalarVar):
            return self.machine.read_cell(cell, self.site)
        if (slot.key, path) in self.plan.general:
            self.trace.valid_of(cell, self.site)
        return self.machine.handle(cell)

    # -- tail ----------------------------------------------------------------------------------------------------

    def stop_guessing(self) -> bool:
        """An error was raised under guesses: whether to trace again without them."""
        stop, self.plan.guess = self._guessed, self.plan.guess and not self._guessed
        return stop

    def close(self, values: Mapping[str, Any]) -> None:
        """Compare the end of the body with its head, and record what the next iteration gets."""
        self.must_peel = self._learnt = False
        if self.loop.peeled or self.machine.kinship.changed(self.families) is None:
            self.machine.refuse_changed_copies()
        else:
            self.must_peel = True
        assigned: list[tuple[Var | ScalarVar, Any]] = []
        for name, slot in self.names.items():
            self._compare(slot, plain(values.get(name, MISSING)), assigned)
        for box in self.boxes:
            self._compare_box(box, assigned)
        self._check_copies()
        if not (self.must_peel or self._learnt):
            self._store(assigned)
            self._check_extents()
        self.holds = not (self.must_peel or self._learnt)

    def _check_copies(self) -> None:
        """A container that the head of the body made anew for a name, and that the body changed in place: right from
        the second iteration on, if nothing else reaches the container that the name is bound to at the end."""
        changed = [box.name for box in self.copies if not unchanged(box.before, box.now())]
        if not changed:
            return
        if not self.loop.peeled:
            self.must_peel = True
            return
        owners: dict[int, set[str]] = {}
        reached = [(slot.name, slot.result) for slot in self._all_slots()]
        reached += [("", box.container) for box in self.boxes]
        for name, value in reached:
            for box in boxes([(name, value)]):
                owners.setdefault(id(box.container), set()).add(name)
        for names in owners.values():
            if len(names) > 1 and any(name.startswith(tuple(n for n in names if n)) for name in changed):
                fail("PTO146", site=self.site, name=changed[0], names=", ".join(sorted(names - {""})))

    def _compare(self, slot: Slot, tail: Any, assigned: list[tuple[Var | ScalarVar, Any]]) -> None:
        if isinstance(tail, Poison) and not is_unset(tail):
            self._compare_poison(slot, tail)
            return
        if is_unset(tail):
            slot.result = slot.before if is_unset(slot.before) else tail
            return
        if is_unset(slot.before):
            self._first_bound(slot, tail, assigned)
            return
        wrong: list[tuple[Path, Any, Any]] = []
        updates: list[tuple[Var | ScalarVar, Any]] = []
        copies = {id(box.container) for box in self.copies}
        try:
            changed = {path: (a, b) for path, a, b in pair(plain(slot.given), tail, self.memory, copies)}
            for path in {**slot.cells, **changed}:
                head, end = changed.get(path) or (None, at_path(tail, path))
                if not self._leaf(slot, path, head, end, updates):
                    wrong.append((path, head, end))
        except Mismatch as found:
            wrong.append((found.path, found.a, found.b))
        if wrong:
            self._mismatch(slot, tail, wrong[0], assigned)
            return
        assigned += updates
        slot.result = tail

    def _leaf(self, slot: Slot, path: Path, head: Any, end: Any, updates: list[tuple[Var | ScalarVar, Any]]) -> bool:
        """Note how one leaf travels; false if it cannot."""
        cell = slot.cells.get(path)
        if isinstance(cell, Var):
            if not is_tensor(end) or end.cell.type != cell.type:
                return False
            if end.cell is cell and self.plan.kinds.get((slot.key, path)) != "tensor":
                self._learn(slot, path, "same")  # the name was not stored on the path that was traced
            updates.append((cell, end.cell))
            return True
        if isinstance(cell, ScalarVar):
            if is_float(end):
                fail("PTO141", site=self.site, name=path_text(slot.name, path), stored=self._line(slot))
            if not is_scalar(end):
                return False
            updates.append((cell, scalar_expr(end)))
            return True
        if same(head, end):
            return True
        if is_tensor(head) and is_tensor(end) and head.cell.type == end.cell.type:
            self._learn(slot, path, "tensor")
            return True
        if is_scalar(head) and is_scalar(end):
            if slot.was_read:
                self._learn(slot, path, "scalar")
            else:  # only the last value matters: no need to trace again
                self.machine.touch(slot.before, slot.name)
                with self.machine.recording_in(self.parent):
                    slot.cells[path] = late = self._scalar_cell(path_text(slot.name, path), head)
                updates.append((late, scalar_expr(end)))
            return True
        if is_float(head) and is_float(end):
            fail("PTO141", site=self.site, name=path_text(slot.name, path), stored=self._line(slot))
        return False

    def _learn(self, slot: Slot, path: Path, kind: Kind) -> None:
        self.plan.kinds[slot.key, path] = kind
        self._learnt = True

    def _line(self, slot: Slot) -> str:
        return place(self.loop.spec.stores.get(slot.name, self.loop.spec.span))

    def _compare_poison(self, slot: Slot, tail: Poison) -> None:
        if slot.was_read and not is_unset(slot.before):
            tail.refuse(self.site)
        slot.result = tail

    def _compare_box(self, box: Box, assigned: list[tuple[Var | ScalarVar, Any]]) -> None:
        now = box.now()
        given = completed(box, {key: self._slot_given(box, key, value) for key, value in box.before.items()}, now)
        if list(now) != list(given):
            fail("PTO143", site=self.site, name=box.name, region="loop", before=len(given), after=len(now))
        for key, value in given.items():
            slot = self.slots.get(("slot", id(box.container), key))
            if slot is None and now[key] is value:
                continue
            if slot is None:
                slot = Slot(("slot", id(box.container), key), box.slot_name(key), box.before.get(key, value), value)
                self.slots[slot.key] = slot
            self._compare(slot, now[key], assigned)

    def _slot_given(self, box: Box, key: Any, value: Any) -> Any:
        slot = self.slots.get(("slot", id(box.container), key))
        return value if slot is None else slot.given

    # -- what cannot travel --------------------------------------------------------------------------------------

    def _mismatch(self, slot: Slot, tail: Any, wrong: tuple[Path, Any, Any], assigned: list[Any]) -> None:
        """The end of the body differs in kind or type from its head."""
        if not slot.was_read:
            self._first_bound(slot, tail, assigned)
        elif not self.loop.peeled:
            self.must_peel = True
        else:
            path, head, end = wrong
            name = path_text(slot.name, path)
            self._refuse_change(name, self._line(slot), plain(head), end)

    def _refuse_change(self, name: str, stored: str, head: Any, end: Any) -> NoReturn:
        code = "PTO140" if is_tensor(head) and is_tensor(end) else "PTO142"
        fail(code, site=self.site, name=name, stored=stored, head=shown(head), end=shown(end))

    def _first_bound(self, slot: Slot, tail: Any, assigned: list[tuple[Var | ScalarVar, Any]]) -> None:
        """A name that gets its first value in every iteration anew: only the last one matters, after the loop."""
        slot.result = tail
        slot.cells = {}
        if slot.key[0] == "name" and not self.loop.needs_later(slot.name):
            slot.result = MISSING
            return
        shapes = [leaf.cell.type.shape for _, leaf in leaves(tail) if is_tensor(leaf)]
        with self.machine.recording_in(self.parent):
            known = all(map(self.trace.visible, shapes))
        if not known:
            slot.result = Poison("PTO124", slot.name, loop_line=place(self.site.span))
            return
        for path, leaf in leaves(tail):
            label = path_text(slot.name, path)
            with self.machine.recording_in(self.parent):
                if is_tensor(leaf) and not self._is_outer(leaf.cell):
                    slot.outs[path] = self.machine.carry(leaf.cell, label, self.site)
                elif is_symbolic(leaf):
                    slot.outs[path] = self.trace.scalar(label, self.site)
            if path in slot.outs:
                assigned.append((slot.outs[path], leaf.cell if is_tensor(leaf) else leaf.expr))
        if not self._runs():
            with self.machine.recording_in(self.parent):
                slot.bound = self.trace.scalar(slot.name, self.site)
            assigned.append((slot.bound, scalar_expr(1)))

    def _is_outer(self, var: Var) -> bool:
        """Whether a tensor exists outside of the body and is one object in every iteration."""
        if var in self._heads:
            return False  # what the head got from the iteration before
        region: Region | None = self.parent
        while region is not None and region is not var.region:
            region = region.parent
        return region is not None

    def _runs(self) -> bool:
        return Range(self.node.start, self.node.stop, self.node.step).surely_runs()

    # -- recording the end ---------------------------------------------------------------------------------------

    def _store(self, assigned: list[tuple[Var | ScalarVar, Any]]) -> None:
        """All stores happen at once: what one overwrites and another reads is copied first."""
        targets = {cell for cell, _ in assigned if isinstance(cell, Var)}
        sources: list[Any] = []
        for cell, value in assigned:
            if isinstance(cell, Var) and value in targets and value is not cell:
                copy = self.machine.carry(value, value.name, self.site)
                self.machine.copy(copy, value, self.site)
                value = copy
            sources.append(value)
        for (cell, _), value in zip(assigned, sources, strict=True):
            if isinstance(cell, ScalarVar):
                span = self.loop.spec.ends.get(cell.name, self.site.span)
                self.trace.set_scalar(cell, value, replace(self.site, span=span))
            elif value is not cell:
                self.machine.copy(cell, value, self.site)

    def _check_extents(self) -> None:
        """Tensors whose type or valid shape differs at the end from the head."""
        cells = {cell: (slot, path) for slot in self._all_slots() for path, cell in slot.cells.items()}
        fresh = {cell for slot in self._all_slots() for cell in slot.outs.values()}
        general = {cell for cell, (slot, path) in cells.items() if (slot.key, path) in self.plan.general}
        settled: set[Any] = {*fresh, *general, *self.plan.general_vars}
        unsure = self.trace.unsure_at_loop_end(self.node)
        self.trace.check_operands([var for var in unsure if var in cells], self.site)
        if unsure.keys() - self.plan.unsure.keys() - fresh:
            self.plan.unsure.update({var: branch for var, branch in unsure.items() if var not in fresh})
            self._learnt = True
            return
        types, valids = self.trace.changed_at_loop_end(self.node, {*settled, *unsure})
        for var in types:
            if var in fresh or var in unsure:
                continue
            if not self.loop.peeled:
                self.must_peel = True
                return
            head = self.node.region.undo[var].type
            where = place(var.site.span)
            fail(
                "PTO140",
                site=self.site,
                name=var.shown,
                stored=where,
                head=type_text(head),
                end=type_text(var.type),
            )
        for var in valids:
            if var in cells:
                slot, path = cells[var]
                self.plan.general.add((slot.key, path))
            else:
                self.plan.general_vars[var] = None
            self._learnt = True

    # -- after ---------------------------------------------------------------------------------------------------

    def undo(self) -> None:
        """Forget this tracing."""
        trace = self.trace
        self.machine.kinship.back_to(self.families)
        trace.abandon(self.node.region)
        del self.parent.body[self.length :]
        self.parent.wrote = self.wrote
        trace.ops, trace.scope = self.ops, self.scope
        for box in self.boxes:
            box.restore()
        self._forget_marks()

    def finish(self) -> dict[str, Any]:
        """Close the loop; returns the names after it and fills the containers."""
        self._forget_marks()
        self.machine.kinship.back_to(self.families)
        carried = [slot.name for slot in self._all_slots() if slot.cells and slot.was_read]
        if carried and self.loop.bounds.parallel:
            self.loop.refuse_dependence(carried)
        if carried:
            portability("PTO668", site=self.site, names=", ".join(carried))
        self.trace.end_loop(self.node)
        self.trace.settle_after_loop(self.node, self.site)
        for box in self.boxes:
            slots = dict(box.now())
            for key in slots:
                slot = self.slots.get(("slot", id(box.container), key))
                if slot is not None:
                    slots[key] = self._after(slot)
            box.before = slots
            box.restore()
        values = {name: self._after(slot) for name, slot in self.names.items()}
        return {name: value for name, value in values.items() if not is_unset(value)}

    def _after(self, slot: Slot) -> Any:
        if isinstance(slot.result, Poison) or slot.result is MISSING:
            return slot.result
        made = {}
        for path, cell in {**slot.cells, **slot.outs}.items():
            made[path] = self.machine.handle(cell) if isinstance(cell, Var) else self.machine.read_cell(cell, self.site)
        value = rebuild(slot.result, made) if made else slot.result
        self.machine.kinship.copied(value, (slot.result, plain(slot.before)), slot.name, self.site)
        return Maybe(value, slot.bound) if slot.bound is not None else value

    def _forget_marks(self) -> None:
        for slot in self.names.values():
            marks = self.machine.marks.get((slot.name, id(slot.given)), [])
            if slot.mark in marks:
                marks.remove(slot.mark)
