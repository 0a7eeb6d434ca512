"""The line that says what a long call does: on a terminal only, after a while, gone at the end."""

from __future__ import annotations

import io
import sys
import threading
import time

import pytest

from openpto.runtime import progress
from openpto.runtime.progress import busy


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def on_terminal(monkeypatch) -> Terminal:
    """Standard error from now on. Not a fixture: between a fixture and its test, pytest sets the stream anew."""
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(progress, "PATIENCE", 0.3)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "80")
    return stream


def wait_for(stream: Terminal, text: str) -> bool:
    end = time.monotonic() + 20
    while time.monotonic() < end:
        if text in stream.getvalue():
            return True
        time.sleep(0.02)
    return False


def test_a_long_call_is_named_and_the_line_goes_before_it_returns(monkeypatch):
    terminal = on_terminal(monkeypatch)
    with busy("running", "softmax"):
        assert wait_for(terminal, "running softmax")
        with busy("compiling", "softmax"):
            assert wait_for(terminal, "compiling softmax")
    written = terminal.getvalue()
    assert written.rstrip().endswith(("\x1b[2K", "\x1b[?25h"))  # the line is erased, the cursor is back
    time.sleep(0.5)
    assert terminal.getvalue() == written


def test_a_short_call_shows_nothing(monkeypatch):
    terminal = on_terminal(monkeypatch)
    with busy("running", "softmax"):
        pass
    time.sleep(1.0)
    assert terminal.getvalue() == ""


def test_an_error_ends_it_too(monkeypatch):
    terminal = on_terminal(monkeypatch)

    def failing() -> None:
        with busy("running", "softmax"):
            assert wait_for(terminal, "running softmax")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        failing()
    assert progress._active == {}


def test_nothing_where_there_is_no_terminal(monkeypatch):
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    with busy("running", "softmax"):
        assert progress._active == {}
    monkeypatch.setattr(sys, "stderr", None)
    with busy("running", "softmax"):
        assert progress._active == {}


def test_threads_are_told_apart(monkeypatch):
    terminal = on_terminal(monkeypatch)
    started = threading.Event()
    end = threading.Event()

    def other() -> None:
        with busy("running", "other"):
            started.set()
            end.wait(20)

    thread = threading.Thread(target=other)
    thread.start()
    started.wait(20)
    with busy("running", "softmax"):
        assert len(progress._active) == 2
    assert wait_for(terminal, "running other")
    end.set()
    thread.join()
    assert progress._active == {}
