"""Python's cyclic garbage collector rests while a kernel is compiled.

A compilation makes many small objects and keeps nearly all of them to its end. The collector walks them again and
again without finding anything, for a third of the time.
"""

from __future__ import annotations

import functools
import gc
import os
import threading
from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

_lock = threading.Lock()
_compilations = 0
_stopped = False


def rests(function: Callable[P, R]) -> Callable[P, R]:
    """Decorator: no garbage collection while ``function`` runs, in whichever thread; afterwards it is as it was."""

    @functools.wraps(function)
    def resting(*args: P.args, **kwargs: P.kwargs) -> R:
        _begin()
        try:
            return function(*args, **kwargs)
        finally:
            _end()

    return resting


def _begin() -> None:
    global _compilations, _stopped
    with _lock:
        if _compilations == 0:
            _stopped = gc.isenabled()
            gc.disable()
        _compilations += 1


def _end() -> None:
    global _compilations
    with _lock:
        _compilations = max(_compilations - 1, 0)  # 0: this thread forked in between
        if _compilations == 0 and _stopped:
            gc.enable()


def _after_fork() -> None:
    """The child has one thread, and compilations of the others do not go on in it."""
    global _lock, _compilations
    _lock = threading.Lock()
    if _compilations and _stopped:
        gc.enable()
    _compilations = 0


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
