"""What a process makes once, also when several threads ask for it first."""

from __future__ import annotations

import functools
import os
import threading
from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")

_lock = threading.RLock()


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


def _forget() -> None:
    """In the child of a fork the lock may be held by a thread that does not exist."""
    global _lock
    _lock = threading.RLock()


_at_fork: Any = getattr(os, "register_at_fork", None)
if _at_fork is not None:
    _at_fork(after_in_child=_forget)
