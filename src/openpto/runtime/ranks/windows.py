"""Memory that the ranks of a group share during one call of a kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING

from openpto._records import dataclass, field
from openpto.diagnostics import Site
from openpto.ir.dtypes import DataType
from openpto.runtime.boxes import Box

from .clocks import Clock
from .segments import Segment
from .signals import Signals

if TYPE_CHECKING:
    from .world import Member


@dataclass(frozen=True, slots=True)
class Group:
    """Ranks that communicate under one name; the PE of a rank is its place in ``members``."""

    name: str
    members: tuple[int, ...]

    @property
    def size(self) -> int:
        """Number of PEs."""
        return len(self.members)


@dataclass(frozen=True, slots=True)
class Form:
    """What every rank asks for; they have to agree. ``dtype`` is None for signals without data."""

    n_pes: int
    dtype: DataType | None
    shape: tuple[int, ...]

    def __str__(self) -> str:
        kind = "signals only" if self.dtype is None else f"{self.dtype.short}{list(self.shape)}"
        return f"{kind} for {self.n_pes} PEs"


@dataclass(eq=False, slots=True)
class Arrival:
    """A rank in a barrier, and what it knows; ``passed`` once all have come."""

    member: Member
    clock: Clock
    passed: bool = False


@dataclass(eq=False, slots=True)
class Window:
    """The memory that the ranks of a group get for their ``number``-th request, the ``place``-th in their kernel.

    opened    where the first rank asked for it
    arrived   the PEs that wait in the barrier
    left      PEs whose kernel has ended; once all have, the memory goes
    failed    why a PE ended its kernel with an error, "" if none did
    """

    group: Group
    number: int
    place: int
    form: Form
    opened: Site
    ranks: int
    segments: dict[int, Segment] = field(default_factory=dict)
    signals: dict[tuple[int, int], Signals] = field(default_factory=dict)
    arrived: dict[int, Arrival] = field(default_factory=dict)
    left: set[int] = field(default_factory=set)
    failed: str = ""

    @property
    def whole(self) -> Box:
        """All elements."""
        return (0,) * len(self.form.shape), self.form.shape

    def segment(self, pe: int) -> Segment:
        """The data of a PE."""
        if pe not in self.segments:
            assert self.form.dtype is not None
            self.segments[pe] = Segment(self.form.shape, self.form.dtype)
        return self.segments[pe]

    def signals_of(self, owner: int, source: int) -> Signals:
        """What the PE ``owner`` has been told about the PE ``source``."""
        found = self.signals.get((owner, source))
        if found is None:
            found = self.signals[owner, source] = Signals(self.form.shape, self.ranks)
        return found

    def leave(self, pe: int, failed: str) -> None:
        """A PE has ended its kernel."""
        self.left.add(pe)
        self.failed = self.failed or failed
        if len(self.left) == self.group.size:
            self.segments.clear()
            self.signals.clear()

    def __str__(self) -> str:
        return f"{self.group.name}#{self.place}"
