"""Specialisations of one kernel: keys, guards, and the store that many threads share."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from typing import Any, Protocol

from openpto._forks import opened_in_child
from openpto._records import dataclass, field
from openpto.diagnostics import PyptoWarning
from openpto.frontend.guards import Watch
from openpto.ir.nodes import Kernel

MAX_SPECIALISATIONS = 1024
"""Kept per kernel; the one unused for longest goes first."""


class Guard(Protocol):
    """Something a trace relied on, such as the value of a global name."""

    def holds(self) -> bool:
        """Whether it still is as it was."""


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """Where a specialisation is kept on disk. Without a key it is not kept, and ``problem`` says why; ``guards`` are
    what its digest rests on."""

    key: str = ""
    problem: str = ""
    guards: tuple[Guard, ...] = ()

    def unless_changed(self) -> Place:
        """This place; none if what the digest rests on is not as it was: tracing, which changed it, has to be done."""
        if all(guard.holds() for guard in self.guards):
            return self
        return Place(problem="tracing it changes objects outside of it")


@dataclass(slots=True, eq=False)
class Compiled:
    """A specialisation.

    trace        gives its traced and checked kernel
    written      indices of the parameters that it writes
    warnings     what was noticed while it was compiled; belongs to every call
    place        where it is kept
    native       its machine code if that came from disk; the kernel is traced then only if something asks for it
    simple       whether it has vector operations only and no run-time loop
    """

    trace: Callable[[], Kernel]
    fingerprint: str
    written: tuple[int, ...]
    guards: tuple[Guard, ...]
    warnings: tuple[PyptoWarning, ...]
    seconds: float
    place: Place = field(default_factory=Place)
    native: Any = None
    simple: bool = False
    _kernel: Kernel | None = None
    _watch: Watch | None = None

    @property
    def kernel(self) -> Kernel:
        """The tile IR."""
        if self._kernel is None:
            self._kernel = self.trace()
        return self._kernel

    @property
    def origin(self) -> str:
        """Where it came from: "trace" or "disk"."""
        return "trace" if self.native is None else "disk"

    def valid(self) -> bool:
        """Whether everything outside of the key that the trace relied on is unchanged."""
        if self._watch is None:
            self._watch = Watch(self.guards)
        return self._watch.holds()


class Specialisations:
    """Compiled forms by key. One thread compiles a key while others that need the same key wait for it."""

    def __init__(self) -> None:
        self._lock = opened_in_child(threading.Lock())
        self._store: OrderedDict[Hashable, tuple[Compiled, ...]] = OrderedDict()
        self._building: dict[Hashable, threading.RLock] = {}
        self.compilations = 0

    def get(self, key: Hashable, build: Callable[[], Compiled]) -> tuple[Compiled, bool]:
        """The compiled form of ``key`` and whether it was built by this call. A failed build leaves nothing."""
        found = self._find(key)
        if found is not None:
            return found, False
        with self._lock:
            gate = self._building.setdefault(key, opened_in_child(threading.RLock()))
        try:
            with gate:
                found = self._find(key)
                if found is not None:
                    return found, False
                made = build()
                self._add(key, made)
                return made, True
        finally:
            with self._lock:
                self._building.pop(key, None)

    def _find(self, key: Hashable) -> Compiled | None:
        with self._lock:
            candidates: Sequence[Compiled] = self._store.get(key, ())
            if candidates:
                self._store.move_to_end(key)
        return next((c for c in reversed(candidates) if c.valid()), None)

    def _add(self, key: Hashable, made: Compiled) -> None:
        with self._lock:
            self.compilations += 1
            kept = self._store.get(key, ())[-7:]  # a name that changes back and forth finds its trace again
            self._store[key] = (*kept, made)
            while len(self._store) > MAX_SPECIALISATIONS:
                self._store.popitem(last=False)
