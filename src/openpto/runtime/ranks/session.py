"""One call of a kernel by one rank: what its distributed operations do. Both engines come here.

Offsets count from the origin of the shared block. Every function names ``site``, the place of the statement that runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import numpy as np

from openpto.diagnostics import Site, T, fault
from openpto.ir.dtypes import DataType
from openpto.runtime.boxes import Box, box_text
from openpto.runtime.places import shown

from .launch import described, here
from .segments import Access, Array, Combine, Mask
from .windows import Arrival, Form, Window
from .world import Member, Waiting, World, place_text

_MOST_SHOWN = 4
_ACTIONS = {"read": "reads", "write": "writes", "add": "adds to"}


class Session:
    """The windows that one call has opened; a ticket is the number of one."""

    __slots__ = ("member", "windows", "world")

    def __init__(self, world: World, member: Member) -> None:
        self.world = world
        self.member = member
        self.windows: list[Window] = []

    @classmethod
    def begin(cls, op: str, site: Site) -> Session:
        """The session of a call by the present rank (PTO470 if this is none)."""
        found = here()
        if found is None:
            fault("PTO470", site=site, op=op)
        return cls(found.world, found.member)

    def close(self, error: BaseException | None = None) -> None:
        """The call has ended, with ``error`` if it is given: who waits for this rank does so no longer."""
        with self.world.lock:
            self.world.left(self.member, self.windows, "" if error is None else described(error))

    # -- groups and windows --------------------------------------------------------------------------------------

    def pe(self, group: str, site: Site) -> int:
        """The number of this rank in a group."""
        return self.world.group(group, self.member.number, site).members.index(self.member.number)

    def create(self, group: str, n_pes: int, dtype: DataType | None, shape: tuple[int, ...], site: Site) -> int:
        """Open the next window of a group; returns its ticket."""
        found = self.world.group(group, self.member.number, site)
        place = sum(window.group == found for window in self.windows)
        with self.world.lock:
            self.windows.append(self.world.open(found, self.member, place, Form(n_pes, dtype, shape), site))
        return len(self.windows) - 1

    def _own(self, window: Window) -> int:
        return window.group.members.index(self.member.number)

    def _known_pe(self, window: Window, pe: int, what: str, site: Site) -> int:
        if not 0 <= pe < window.group.size:
            fault("PTO471", site=site, what=what, pe=pe, name=window.group.name, size=window.group.size)
        return pe

    # -- data ----------------------------------------------------------------------------------------------------

    def put(
        self,
        ticket: int,
        pe: int,
        origin: Sequence[int],
        offsets: Sequence[int],
        limit: tuple[int, ...],
        data: Array,
        defined: Mask | None,
        combine: Combine | None,
        site: Site,
    ) -> None:
        """Elements go to a PE, at ``offsets`` of a window of extents ``limit`` at ``origin``: they take the place of
        those there, or are added to them by ``combine``."""
        window = self.windows[ticket]
        self._known_pe(window, pe, "dst_pe", site)
        _box(window, limit, offsets, data.shape, site)
        start = [a + b for a, b in zip(origin, offsets, strict=True)]
        box = _box(window, window.form.shape, start, data.shape, site)
        with self.world.lock:
            self.world.going_on(self.member)
            if not data.size:
                return
            self._touch(window, pe, "write" if combine is None else "add", box, site)
            segment = window.segment(pe)
            if combine is None:
                segment.write(box, data, True if defined is None else defined)
            else:
                segment.add(box, data, defined, combine, (sum(self.member.clock), self.member.number))

    def get(
        self, ticket: int, pe: int, offsets: Sequence[int], extents: Sequence[int], site: Site
    ) -> tuple[Array, Mask]:
        """Copies of the elements of a PE and of their marks."""
        window = self.windows[ticket]
        self._known_pe(window, pe, "src_pe", site)
        box = _box(window, window.form.shape, offsets, extents, site)
        with self.world.lock:
            self.world.going_on(self.member)
            if 0 in extents:
                return np.empty(tuple(extents), window.segment(pe).data.dtype), np.empty(tuple(extents), np.bool_)
            self._touch(window, pe, "read", box, site)
            return window.segment(pe).read(box)

    def clear_data(self, ticket: int, offsets: Sequence[int], extents: Sequence[int], site: Site) -> None:
        """Zeros in the own block."""
        window = self.windows[ticket]
        box = _box(window, window.form.shape, offsets, extents, site)
        with self.world.lock:
            self.world.going_on(self.member)
            if 0 not in extents:
                self._touch(window, self._own(window), "write", box, site)
                window.segment(self._own(window)).write(box, 0, True)

    def _touch(self, window: Window, pe: int, kind: str, box: Box, site: Site) -> None:
        """Note an access; one that nothing orders with an earlier one is a fault (PTO476)."""
        mine = self.member
        access = Access(mine.number, kind, box, mine.clock[mine.number], site)
        other = window.segment(pe).note(access, mine.clock, self.world.knows(window))
        if other is not None:
            fault(
                "PTO476", site=site, rank=mine.number, action=_ACTIONS[kind], box=box_text(box), pe=pe,
                window=str(window), other=other.rank, other_action=_ACTIONS[other.kind],
                other_box=box_text(other.box), place=place_text(other.site),
            )  # fmt: skip

    # -- signals -------------------------------------------------------------------------------------------------

    def signal(
        self,
        ticket: int,
        source: int,
        target: int | None,
        offsets: Sequence[int],
        extents: Sequence[int],
        value: int,
        add: bool,
        site: Site,
    ) -> None:
        """Tell ``target`` (None: everybody) something about ``source``."""
        window = self.windows[ticket]
        self._known_pe(window, source, "src_pe", site)
        if target is not None:
            self._known_pe(window, target, "target_pe", site)
        box = _box(window, window.form.shape, offsets, extents, site)
        with self.world.lock:
            self.world.going_on(self.member)
            told = self.member.release()
            for owner in range(window.group.size) if target is None else (target,):
                window.signals_of(owner, source).change(box, value, told, add=add)
                self.world.changed(window)

    def wait(
        self,
        ticket: int,
        source: int,
        offsets: Sequence[int],
        extents: Sequence[int],
        value: int,
        clear: bool,
        site: Site,
    ) -> None:
        """Go on when the own signals about ``source`` are ``value``; with ``clear`` they are 0 then."""
        window, member = self.windows[ticket], self.member
        self._known_pe(window, source, "src_pe", site)
        box = _box(window, window.form.shape, offsets, extents, site)
        with self.world.lock:
            signals = window.signals_of(self._own(window), source)

            def attempt() -> bool:
                if 0 in extents:
                    return True
                if not signals.are(box, value):
                    return False
                member.learn(signals.clock(box))
                if clear:
                    signals.change(box, 0, member.clock, add=False)
                return True

            def now() -> T:
                return _values_text(list(signals.values(box)))

            where = "" if box == window.whole else f" {box_text(box)}"
            what = T(
                f"the signal of PE {source} in {window}{where} is {value}",
                f"{window}{where} 中 PE {source} 的信号为 {value}",
            )
            self.world.wait(member, Waiting(window, site, attempt, what, now))

    def clear_signals(self, ticket: int, site: Site) -> None:
        """Zero all own signals."""
        window = self.windows[ticket]
        with self.world.lock:
            self.world.going_on(self.member)
            for source in range(window.group.size):
                window.signals_of(self._own(window), source).change(window.whole, 0, self.member.clock, add=False)

    def barrier(self, ticket: int, site: Site) -> None:
        """Go on when every PE has come."""
        window = self.windows[ticket]
        with self.world.lock:
            self.world.going_on(self.member)
            arrival = Arrival(self.member, self.member.release())
            window.arrived[self._own(window)] = arrival
            if len(window.arrived) == window.group.size:
                all_here, window.arrived = list(window.arrived.values()), {}
                for one in all_here:
                    for other in all_here:
                        one.member.learn(other.clock)
                    one.passed = True
                self.world.changed(window)
                return
            what = T(f"all PEs are in the barrier of {window}", f"所有 PE 到达 {window} 的屏障")
            self.world.wait(self.member, Waiting(window, site, lambda: arrival.passed, what, lambda: _missing(window)))


@contextmanager
def ended(session: Callable[[], Session | None]) -> Iterator[None]:
    """Tell the other ranks how the call in the block ended, if it took part in something."""
    try:
        yield
    except BaseException as error:
        if (found := session()) is not None:
            found.close(error)
        raise
    if (found := session()) is not None:
        found.close()


def _box(window: Window, shape: tuple[int, ...], offsets: Sequence[int], extents: Sequence[int], site: Site) -> Box:
    """The elements that a statement touches, which lie inside a block of this shape (PTO477)."""
    stops = tuple(o + n for o, n in zip(offsets, extents, strict=True))
    for axis, (low, high, extent) in enumerate(zip(offsets, stops, shape, strict=True)):
        if (low < 0 or high > extent) and 0 not in extents:
            fault(
                "PTO477", site=site, axis=axis, low=low, high=high, extent=extent, extents=shown(extents),
                window=str(window),
            )  # fmt: skip
    return tuple(offsets), stops


def _values_text(values: Sequence[tuple[Box, int]]) -> T:
    """The signals that are there."""
    if len(values) == 1:
        return T(f"it is {values[0][1]}", f"当前为 {values[0][1]}")
    listed = ", ".join(f"{box_text(box)}: {value}" for box, value in sorted(values)[:_MOST_SHOWN])
    more = ", ..." if len(values) > _MOST_SHOWN else ""
    return T(f"they are {listed}{more}", f"当前为 {listed}{more}")


def _missing(window: Window) -> T:
    missing = ", ".join(str(pe) for pe in range(window.group.size) if pe not in window.arrived)
    return T(f"missing: PE {missing}", f"未到达：PE {missing}")
