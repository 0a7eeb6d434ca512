"""What a process makes once, also when several threads ask for it first."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import TypeVar

from openpto._forks import awaited_by_fork

T = TypeVar("T")

_lock = awaited_by_fork(threading.RLock())


def once(make: Callable[[], T]) -> Callable[[], T]:
    """Decorator: ``make`` runs once a process. ``functools.cache`` may run it in several threads at a time and give
    each of them a result of its own, all but one of which go away with their machine code."""
    made: list[T] = []

    @functools.wraps(make)
    def given() -> T:
        if not made:
            with _lock:
                if not made:
                    made.append(make())
        return made[0]

    return given
