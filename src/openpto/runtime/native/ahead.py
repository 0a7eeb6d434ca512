"""Modules that are compiled before somebody needs them, by a thread of their own.

While a kernel is traced and lowered, one thread computes; another one can make the object code of what the kernel is
going to call. Nothing is linked here, and what is wrong with a module finds out who needs it.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from contextlib import suppress

from openpto._forks import awaited_by_fork
from openpto._records import dataclass

from . import objects
from .targets import Target

_lock = awaited_by_fork(threading.Lock())
_begun: dict[tuple[Target, str], _Work] = {}


@dataclass(slots=True, eq=False)
class _Work:
    """What one thread does; ``codes`` has keys and object code by name."""

    codes: dict[str, tuple[str, bytes]]
    done: threading.Event
    process: int


def begin(goal: Target, modules: Mapping[str, str]) -> None:
    """Have a thread compile modules, by the names that :func:`taken` asks for; those that were begun are left out."""
    new = {name: text for name, text in modules.items() if (goal, name) not in _begun}
    if not new:
        return
    work = _Work({}, threading.Event(), os.getpid())

    def run() -> None:
        try:
            with _lock, suppress(Exception):
                found = objects.object_codes(goal, tuple(new.values()), 1)
                work.codes.update(zip(new, found, strict=True))
        finally:
            work.done.set()

    _begun.update(((goal, name), work) for name in new)
    try:
        threading.Thread(target=run, name="pypto-compiler").start()
    except RuntimeError:  # no more threads
        work.done.set()


def taken(goal: Target, name: str) -> tuple[str, bytes] | None:
    """Key and object code of a module that was begun, once for each; waits for them. None if there are none."""
    work = _begun.pop((goal, name), None)
    if work is None:
        return None
    if work.process == os.getpid():  # else the thread has stayed in the parent
        work.done.wait()
    return work.codes.get(name)


def is_begun(goal: Target, name: str) -> bool:
    """Whether a module was begun and not taken."""
    return (goal, name) in _begun


__all__ = ["begin", "is_begun", "taken"]
