"""What a call is busy with, shown on the terminal once it takes long.

A thread of its own looks now and then; a call only notes what it does. Nothing is shown where standard error is not a
terminal, and the line is gone before the call returns.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from types import TracebackType

from openpto._forks import opened_in_child
from openpto._records import dataclass, field

PATIENCE = 2.0
"""Seconds before anything is shown."""
GLANCE = 0.2
"""Seconds between two looks."""


@dataclass(slots=True, eq=False)
class _Activity:
    """What one thread does: ``verb`` changes on the way. ``gone`` is set when the line that shows it was removed."""

    verb: str
    name: str
    begin: float = field(default_factory=time.monotonic)
    shown: bool = False
    gone: threading.Event = field(default_factory=threading.Event)

    def text(self) -> str:
        """The line."""
        return f"{self.verb} {self.name}: {time.monotonic() - self.begin:.0f} s"


_active: dict[int, _Activity] = {}
_lock = opened_in_child(threading.Lock())
_watching = 0  # the process that has the watching thread; a forked child has none


class busy:  # noqa: N801 - reads as a statement
    """``with busy("compiling", kernel.name):`` notes what the block does. An inner block changes the verb."""

    __slots__ = ("activity", "name", "outer", "verb")

    def __init__(self, verb: str, name: str) -> None:
        self.verb = verb
        self.name = name
        self.outer = ""
        self.activity: _Activity | None = None

    def __enter__(self) -> busy:
        known = _active.get(threading.get_ident())
        if known is not None:
            self.outer, known.verb = known.verb, self.verb
            self.activity = known
        elif _on_terminal():
            self.activity = _active[threading.get_ident()] = _Activity(self.verb, self.name)
            _watch()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.activity is None:
            return
        if self.outer:
            self.activity.verb = self.outer
            return
        with _lock:
            _active.pop(threading.get_ident(), None)
            shown = self.activity.shown
        if shown:
            self.activity.gone.wait(1.0)


def _on_terminal() -> bool:
    try:
        return sys.stderr.isatty()
    except (AttributeError, ValueError):  # no stream, or a closed one
        return False


def _watch() -> None:
    """Start the thread that looks, once a process."""
    global _watching
    if _watching != os.getpid():
        _watching = os.getpid()
        threading.Thread(target=_look, name="openpto-progress", daemon=True).start()


def _look() -> None:
    while True:
        time.sleep(GLANCE)
        for thread, activity in list(_active.items()):
            if time.monotonic() - activity.begin < PATIENCE:
                continue
            with _lock:
                if _active.get(thread) is not activity:
                    continue
                activity.shown = True
            try:
                _show(thread, activity)
            finally:
                activity.gone.set()


def _show(thread: int, activity: _Activity) -> None:
    """Keep a line on the terminal as long as the activity lasts."""
    from rich.console import Console
    from rich.live import Live
    from rich.spinner import Spinner

    spinner = Spinner("dots", activity.text())

    def line() -> Spinner:
        spinner.update(text=activity.text())
        return spinner

    with Live(get_renderable=line, console=Console(stderr=True), transient=True, refresh_per_second=5):
        while _active.get(thread) is activity:
            time.sleep(GLANCE / 4)


__all__ = ["busy"]
