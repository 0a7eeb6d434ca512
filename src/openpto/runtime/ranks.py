"""Several ranks in one process: threads with symmetric memory, signals, and a report where they would wait for ever.

A :class:`World` holds what the ranks share. A rank that waits tells what for; if every rank that has not ended waits
and none of the conditions holds, nobody can change that, and all of them stop with the lines they wait at.
"""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from openpto.diagnostics import Site, fail
from openpto.ir.dtypes import DataType, numpy_dtype

Array = NDArray[Any]
R = TypeVar("R")
MOST_RANKS = 256


@dataclass(frozen=True, slots=True)
class Window:
    """The part of a symmetric tensor that one rank owns.

    data     elements
    defined  which of them have been written
    signals  a word per source rank and element; per source rank alone where there are no data
    """

    data: Array
    defined: NDArray[np.bool_]
    signals: NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Layout:
    """What the ranks of a group must agree on for one symmetric tensor; without ``dtype`` it has signals only."""

    group: str
    ranks: int
    dtype: DataType | None
    shape: tuple[int, ...]

    def window(self) -> Window:
        """Memory of one rank."""
        host = np.dtype(np.int8) if self.dtype is None else numpy_dtype(self.dtype)
        signals = np.zeros((self.ranks, *self.shape), np.int32)
        return Window(np.zeros(self.shape, host), np.zeros(self.shape, np.bool_), signals)


@dataclass(frozen=True, slots=True)
class Waiting:
    """What a rank waits for: whether it has come, what it is, and where."""

    ready: Callable[[], bool]
    what: Callable[[], str]
    site: Site


class World:
    """What the ranks of one run share, read and written under ``changed``. ``arrived`` counts, per symmetric tensor,
    how often each rank came to its barrier; ``blocked`` has a line per rank once no rank can go on."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.changed = threading.Condition()
        self.blocked: list[str] = []
        self._layouts: dict[tuple[str, int], Layout] = {}
        self._windows: dict[tuple[str, int], list[Window]] = {}
        self._made: list[dict[str, int]] = [{} for _ in range(size)]
        self.arrived: dict[int, list[int]] = {}
        self._waiting: dict[int, Waiting] = {}
        self._ended: set[int] = set()

    def windows(self, rank: int, layout: Layout) -> list[Window] | Layout:
        """The windows of the next symmetric tensor that ``rank`` makes in the group, one per rank; if another rank made
        it in another way, what that one made."""
        with self.changed:
            number = self._made[rank].get(layout.group, 0)
            self._made[rank][layout.group] = number + 1
            key = (layout.group, number)
            if key not in self._layouts:
                self._layouts[key] = layout
                self._windows[key] = [layout.window() for _ in range(layout.ranks)]
            known = self._layouts[key]
            return self._windows[key] if known == layout else known

    def wait(self, rank: int, waiting: Waiting) -> bool:
        """Sleep until what ``rank`` waits for has come; False if it never will. Called with ``changed`` held."""
        self._waiting[rank] = waiting
        self._look_for_deadlock()
        while not self.blocked and not waiting.ready():
            self.changed.wait()
        del self._waiting[rank]
        return not self.blocked

    def end(self, rank: int) -> None:
        """``rank`` has ended and will change nothing any more."""
        with self.changed:
            self._ended.add(rank)
            self._look_for_deadlock()
            self.changed.notify_all()

    def _look_for_deadlock(self) -> None:
        left = set(range(self.size)) - self._ended
        if self.blocked or not left or left - set(self._waiting):
            return
        if any(waiting.ready() for waiting in self._waiting.values()):
            return
        self.blocked = [_line(rank, self._waiting[rank]) for rank in sorted(left)]
        self.blocked += [f"rank {rank} has ended" for rank in sorted(self._ended)]
        self.changed.notify_all()

    def stop(self) -> None:
        """Wake every rank that waits; it stops."""
        with self.changed:
            self.blocked = self.blocked or ["the run was stopped"]
            self.changed.notify_all()


def _line(rank: int, waiting: Waiting) -> str:
    span = waiting.site.span
    place = "" if span is None else f" at {span.file}:{span.line}"
    return f"rank {rank} waits{place} for {waiting.what()}"


@dataclass(frozen=True, slots=True)
class Seat:
    """A rank of a world."""

    world: World
    rank: int


_seat: contextvars.ContextVar[Seat | None] = contextvars.ContextVar("rank", default=None)


def seat() -> Seat | None:
    """The rank that this thread runs as, None outside of :func:`run_ranks`."""
    return _seat.get()


@contextmanager
def seated(place: Seat) -> Iterator[None]:
    """Run as a rank."""
    token = _seat.set(place)
    try:
        yield
    finally:
        _seat.reset(token)


def run_ranks(count: int, function: Callable[[int], R]) -> list[R]:
    """Run ``function(rank)`` for the ranks 0 to ``count - 1`` at the same time, each in a thread, and give the results.

    Kernels that it calls see the rank as their processing element; groups of ``pypto.distributed`` have ``count`` of
    them. If ranks fail, the error of the one that failed first is raised; ranks that wait for it stop.

    Raises:
        ValueError: PTO474, a count that is no int in [1, 256].
    """
    if type(count) is not int or not 1 <= count <= MOST_RANKS:
        fail("PTO474", count=count, most=MOST_RANKS)
    world = World(count)
    results: dict[int, R] = {}
    errors: list[BaseException] = []

    def run(rank: int) -> None:
        try:
            with seated(Seat(world, rank)):
                results[rank] = function(rank)
        except BaseException as error:
            errors.append(error)
        finally:
            world.end(rank)

    threads = []
    for rank in range(count):
        context = contextvars.copy_context()
        threads.append(threading.Thread(target=context.run, args=(run, rank), name=f"rank {rank}", daemon=True))
    for thread in threads:
        thread.start()
    try:
        for thread in threads:
            thread.join()
    except BaseException:
        world.stop()
        raise
    if errors:
        raise errors[0]
    return [results[rank] for rank in range(count)]
