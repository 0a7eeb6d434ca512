"""Locks in a process that forks while some of its threads hold them.

A forked child has one thread, so a lock that another thread held at that moment would stay closed for ever.
"""

from __future__ import annotations

import os
import time
import weakref
from typing import Any, TypeVar

Lock = TypeVar("Lock", bound=Any)

_opened: weakref.WeakSet[Any] = weakref.WeakSet()
_awaited: weakref.WeakSet[Any] = weakref.WeakSet()
_taken: list[Any] = []
PATIENCE = 60.0
"""Seconds that a fork waits."""


def opened_in_child(lock: Lock) -> Lock:
    """``lock``, which will be open in a forked child. For data that no thread leaves half changed where another one
    could fork: the child goes on with what is there."""
    _opened.add(lock)
    return lock


def awaited_by_fork(lock: Lock) -> Lock:
    """``lock``, which a fork waits for, so that the child finds what it guards at rest."""
    _awaited.add(lock)
    return opened_in_child(lock)


def _before() -> None:
    """Take all awaited locks or none, since threads may take several of them in an order of their own. The one that
    was not free is waited for, because a thread that only looks now and then may never find it free."""
    end = time.monotonic() + PATIENCE
    locks = list(_awaited)
    first: list[Any] = []
    while True:
        got = [*first, *(lock for lock in locks if lock not in first and lock.acquire(blocking=False))]
        missing = [lock for lock in locks if lock not in got]
        left = end - time.monotonic()
        if not missing or left <= 0:
            _taken.extend(got)
            return
        for lock in got:
            lock.release()
        first = missing[:1] if missing[0].acquire(timeout=left) else []


def _in_parent() -> None:
    while _taken:
        _taken.pop().release()


def _in_child() -> None:
    _taken.clear()
    for lock in list(_opened):
        lock._at_fork_reinit()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before, after_in_parent=_in_parent, after_in_child=_in_child)
