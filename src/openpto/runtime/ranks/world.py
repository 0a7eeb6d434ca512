"""The ranks of one launch: what they know, who waits for what, and what becomes of those that wait in vain.

One lock guards everything. A rank that cannot go on leaves an attempt behind, which whoever changes something makes
again in its place, so that a value counts that was there for a moment only. A rank is lost when nobody can reach the
group it waits in any more: no member runs, and none waits for something that others may still bring.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence

from openpto._records import dataclass, field
from openpto.diagnostics import LoopFrame, Site, T, fault, make_error
from openpto.diagnostics.language import current_language, said
from openpto.diagnostics.source import display_path

from .clocks import Clock, joined
from .windows import Form, Group, Window

_STOPPED = T("rank {rank} ended with {why}", "rank {rank} 因 {why} 而结束")
_WAITS = T("rank {rank} at {place} waits until {what}; {now}", "rank {rank} 在 {place} 等待：{what}；{now}")
_ENDED = T("rank {rank} has ended", "rank {rank} 已结束")


@dataclass(frozen=True, slots=True)
class Waiting:
    """Why a rank does not go on. ``attempt`` makes it go on if it can; ``what`` and ``now`` are for messages."""

    window: Window
    site: Site
    attempt: Callable[[], bool]
    what: T
    now: Callable[[], T]


@dataclass(eq=False, slots=True)
class Member:
    """One rank. ``state`` is running, ended or failed; ``error`` is why it must stop."""

    number: int
    clock: Clock
    bell: threading.Condition
    state: str = "running"
    why: str = ""
    waiting: Waiting | None = None
    error: BaseException | None = None
    opened: dict[str, int] = field(default_factory=dict)

    def learn(self, clock: Clock) -> None:
        """Know what somebody else knew."""
        self.clock = joined([self.clock, clock])

    def release(self) -> Clock:
        """What others learn from something that this rank does now."""
        told = self.clock
        mine = self.number
        self.clock = (*told[:mine], told[mine] + 1, *told[mine + 1 :])
        return told


class World:
    """All ranks of one launch, and their groups and windows."""

    def __init__(self, ranks: int, groups: Mapping[str, Sequence[Sequence[int]]]) -> None:
        self.lock = threading.Lock()
        self.members = [
            Member(n, tuple(int(k == n) for k in range(ranks)), threading.Condition(self.lock)) for n in range(ranks)
        ]
        self._windows: dict[tuple[Group, int], Window] = {}
        self._everybody = Group("", tuple(range(ranks)))
        self._groups = {
            (name, rank): Group(name, tuple(part)) for name, parts in groups.items() for part in parts for rank in part
        }
        self._named = frozenset(groups)

    @property
    def size(self) -> int:
        """Number of ranks."""
        return len(self.members)

    def group(self, name: str, rank: int, site: Site) -> Group:
        """The group that a rank calls ``name``: as the launch says, else all ranks (PTO475)."""
        if name not in self._named:
            return Group(name, self._everybody.members)
        found = self._groups.get((name, rank))
        if found is None:
            why = T(f"rank {rank} is not one of its members", f"rank {rank} 不是它的成员")
            fault("PTO475", site=site, rank=rank, name=name, why=why)
        return found

    def open(self, group: Group, member: Member, place: int, form: Form, site: Site) -> Window:
        """The window that this rank's next request in a group stands for, its ``place``-th of this call.

        Raises:
            PyptoError: PTO474, another rank asked for something else; PTO475, the group has another size.
        """
        if form.n_pes != group.size:
            why = T(
                f"it has {group.size} members and n_pes is {form.n_pes}",
                f"它有 {group.size} 个成员，而 n_pes 为 {form.n_pes}",
            )
            fault("PTO475", site=site, rank=member.number, name=group.name, why=why)
        number = member.opened.get(group.name, 0)
        window = self._windows.get((group, number))
        if window is None:
            window = self._windows[group, number] = Window(group, number, place, form, site, self.size)
        elif window.form != form:
            fault(
                "PTO474", site=site, rank=member.number, name=group.name, number=place, have=str(form),
                want=str(window.form), place=place_text(window.opened),
            )  # fmt: skip
        member.opened[group.name] = number + 1
        return window

    def forget(self, window: Window) -> None:
        """Let go of a window that all have left."""
        if len(window.left) == window.group.size:
            self._windows.pop((window.group, window.number), None)

    def knows(self, window: Window) -> Clock:
        """What every member of the window's group knows."""
        return tuple(map(min, zip(*(self.members[r].clock for r in window.group.members), strict=True)))

    # -- waiting -------------------------------------------------------------------------------------------------

    def wait(self, member: Member, waiting: Waiting) -> None:
        """Go on as soon as the attempt succeeds. The lock is held.

        Raises:
            PyptoError: PTO472, it never will; PTO473, another rank of the group has failed.
        """
        self.going_on(member)
        if waiting.attempt():
            return
        why = self._failure(waiting.window)
        if why:
            fault("PTO473", site=waiting.site, rank=member.number, name=waiting.window.group.name, why=why)
        member.waiting = waiting
        self._look_for_lost()
        member.bell.wait_for(lambda: member.waiting is None or member.error is not None)
        member.waiting = None
        if member.error is not None:
            error, member.error = member.error, None
            raise error

    def changed(self, window: Window) -> None:
        """Let those try again that wait in ``window``."""
        for member in self.members:
            if member.waiting is not None and member.waiting.window is window and member.waiting.attempt():
                member.waiting = None
                member.bell.notify()

    def going_on(self, member: Member) -> None:
        """Stop if this rank was told to. One that does not wait goes on after another one has failed, so that its own
        errors do not depend on which of them is faster."""
        if member.error is not None:
            raise member.error

    def _failure(self, window: Window) -> str:
        failed = [m for m in (self.members[r] for r in window.group.members) if m.state == "failed"]
        return window.failed or next((m.why for m in failed), "")

    def left(self, member: Member, windows: Iterable[Window], failed: str) -> None:
        """A rank has ended a kernel; ``failed`` tells how if with an error."""
        why = said(_STOPPED, rank=member.number, why=failed) if failed else ""
        for window in windows:
            window.leave(window.group.members.index(member.number), why)
            self.forget(window)
        if failed:
            self._release_from_failed()

    def end(self, member: Member, failed: str = "") -> None:
        """A rank has ended; ``failed`` tells how if with an error."""
        member.state = "failed" if failed else "ended"
        member.why = said(_STOPPED, rank=member.number, why=failed) if failed else ""
        if failed:
            self._release_from_failed()
        self._look_for_lost()

    def interrupt(self, error: BaseException) -> None:
        """Stop everybody who waits."""
        for member in self.members:
            member.error = type(error)()
            member.bell.notify()

    def _release_from_failed(self) -> None:
        for member in self.members:
            waiting = member.waiting
            why = self._failure(waiting.window) if waiting is not None else ""
            if waiting is not None and why:
                name = waiting.window.group.name
                self._stop(member, "PTO473", {"rank": member.number, "name": name, "why": why})

    def _look_for_lost(self) -> None:
        """Stop the ranks that nobody can reach any more (PTO472)."""
        lost = self._lost()
        if not lost:
            return
        concerned = sorted({r for m in lost if m.waiting is not None for r in m.waiting.window.group.members})
        notes = tuple(_state_text(self.members[r]) for r in concerned)
        for member in lost:
            self._stop(member, "PTO472", {"rank": member.number, "count": len(lost), "notes": notes})

    def _lost(self) -> list[Member]:
        waiting = [m for m in self.members if m.waiting is not None and m.error is None]
        running = [m for m in self.members if m.state == "running"]
        going = {m.number for m in running if m.waiting is None or m.error is not None}
        while True:
            freed = [m for m in waiting if m.waiting is not None and going & set(m.waiting.window.group.members)]
            if not freed:
                return waiting
            going |= {m.number for m in freed}
            waiting = [m for m in waiting if m not in freed]

    def _stop(self, member: Member, code: str, fields: Mapping[str, object]) -> None:
        assert member.waiting is not None
        if member.error is None:
            member.error = make_error(code, site=member.waiting.site, fault=True, **fields)
            member.bell.notify()


# -- texts ------------------------------------------------------------------------------------------------------------


def place_text(site: Site) -> str:
    """File, line and loop indices.

    >>> from openpto.diagnostics import Span
    >>> place_text(Site(Span("ring.py", 18), (), (LoopFrame("L", "i", 3),)))
    'ring.py:18 (i = 3)'
    """
    place = f"{display_path(site.span.file)}:{site.span.line}" if site.span is not None else "?"
    indices = ", ".join(_index_text(frame) for frame in site.loops if frame.value is not None)
    return f"{place} ({indices})" if indices else place


def _index_text(frame: LoopFrame) -> str:
    return f"{frame.index_name or 'index'} = {frame.value}"


def _state_text(member: Member) -> str:
    waiting = member.waiting
    if waiting is None:
        return member.why or said(_ENDED, rank=member.number)
    language = current_language()
    what, now = waiting.what.in_language(language), waiting.now().in_language(language)
    return said(_WAITS, rank=member.number, place=place_text(waiting.site), what=what, now=now)
