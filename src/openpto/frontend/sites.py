"""Where the author's code is while it is traced: span, chain of helper calls, enclosing loops.

Works from Python's own frames, so recorded ops need not pass places around. Columns come from the positions that the
compiler keeps per instruction (3.11 and later); older interpreters give the statement.
"""

from __future__ import annotations

import ast
import linecache
import os
import sys
import threading
from collections.abc import Callable, Iterator
from types import CodeType, FrameType, FunctionType
from typing import TYPE_CHECKING

from openpto.diagnostics import Site, Span, file_origin, note_user_file, set_site_hook

if TYPE_CHECKING:
    from .context import Context

MAX_TABLES = 64
"""Functions whose positions are kept unpacked."""

_UNNAMED = ("<listcomp>", "<genexpr>", "<dictcomp>", "<setcomp>", "<lambda>")

Position = tuple[int | None, int | None, int | None, int | None]
"""First line, last line, first column, end column of an instruction; columns count bytes."""

_user_file: dict[str, bool] = {}
_user_folders: set[str] = set()
_spans: dict[int, tuple[CodeType, dict[int, Span]]] = {}  # by identity: equal code may stand in two files
_positions: dict[int, tuple[CodeType, tuple[Position, ...]]] = {}
_statements: dict[str, dict[int, Span]] = {}
_local = threading.local()


def machines() -> list[Context]:
    """Kernels being traced by this thread, innermost last."""
    stack: list[Context] | None = getattr(_local, "machines", None)
    if stack is None:
        stack = _local.machines = []
    return stack


def is_user_file(file: str) -> bool:
    """Whether a file holds code of the user (neither ours nor a library's)."""
    known = _user_file.get(file)
    if known is None:
        known = file_origin(file) == "user"
        if not known and file.startswith(tuple(_user_folders)):
            note_user_file(file)
            known = True
        known = _user_file.setdefault(file, known)
    return known


def declare_user_code(function: FunctionType) -> None:
    """A file that holds a kernel is the user's, wherever it is installed, and so is the package it belongs to."""
    file = function.__code__.co_filename
    if is_user_file(file) or file_origin(file) != "library":
        return
    note_user_file(file)
    package = sys.modules.get(function.__module__.partition(".")[0])
    _user_folders.update(os.path.join(path, "") for path in getattr(package, "__path__", ()))
    _user_file.clear()
    _user_file[file] = True


def user_frames(frame: FrameType | None, last: CodeType | None) -> Iterator[FrameType]:
    """The user's frames from ``frame`` outwards, up to the one that runs ``last``."""
    while frame is not None:
        if is_user_file(frame.f_code.co_filename):
            yield frame
        if frame.f_code is last:
            return
        frame = frame.f_back


def note_statements(file: str, node: ast.AST, span_of: Callable[[ast.AST], Span]) -> None:
    """Remember the statements of a function by line, for interpreters without instruction positions."""
    if sys.version_info >= (3, 11):
        return
    table = _statements.setdefault(file, {})
    for inner in ast.walk(node):
        if isinstance(inner, ast.stmt) and not hasattr(inner, "body"):
            span = span_of(inner)
            for line in range(span.line, (span.end_line or span.line) + 1):
                table.setdefault(line, span)


def span_of(frame: FrameType) -> Span:
    """The expression (or statement) that a frame is executing."""
    code = frame.f_code
    entry = _spans.get(id(code))
    if entry is None:
        entry = _spans.setdefault(id(code), (code, {}))
    offset = frame.f_lasti
    known = entry[1].get(offset)
    if known is None:
        known = entry[1].setdefault(offset, instruction_span(code, offset, frame.f_lineno))
    return known


def instruction_span(code: CodeType, offset: int, line: int | None) -> Span:
    """The expression (or statement) that an instruction belongs to, ``line`` where its columns are not known."""
    if sys.version_info >= (3, 11):
        table = _positions_of(code)
        number = offset // 2
        if 0 <= number < len(table):
            first, last, col, end_col = table[number]
            if first is not None and last is not None and col is not None and end_col is not None:
                file = code.co_filename
                return Span(file, first, _characters(file, first, col), last, _characters(file, last, end_col))
    line = line or code.co_firstlineno
    return _statements.get(code.co_filename, {}).get(line, Span(code.co_filename, line))


if sys.version_info >= (3, 11):

    def _positions_of(code: CodeType) -> tuple[Position, ...]:
        """The table of positions, unpacked once for the code that is traced now."""
        known = _positions.get(id(code))
        if known is None:
            if len(_positions) >= MAX_TABLES:
                _positions.clear()
            known = _positions.setdefault(id(code), (code, tuple(code.co_positions())))
        return known[1]


def _characters(file: str, line: int, byte: int) -> int:
    text = linecache.getline(file, line)
    return byte if text.isascii() else len(text.encode()[:byte].decode(errors="ignore"))


def locate(frame: FrameType | None, machine: Context | None) -> Site | None:
    """The site of what ``frame`` (or the user's code that called it) does now; None without any user code."""
    if machine is None:
        found = next(user_frames(frame, None), None)
        return None if found is None else Site(span_of(found))
    span, name, last, known = None, "", machine.kernel_code, _user_file
    chain = []
    while frame is not None and not known.get(frame.f_code.co_filename, True):  # nearly all frames are ours
        frame = frame.f_back
    while frame is not None:  # as user_frames, without a generator: this runs for every operation
        code = frame.f_code
        if is_user_file(code.co_filename):
            where = span_of(frame)
            if span is None:
                span = where
            elif name:
                chain.append((name, where))
            name = "" if code.co_name in _UNNAMED else code.co_name
        if code is last:
            break
        frame = frame.f_back
    return None if span is None else Site(span, tuple(chain), machine.loop_frames(), machine.name)


def here() -> Site | None:
    """The hook of diagnostics: the place of the user's code that is running in this thread."""
    stack = machines()
    return locate(sys._getframe(1), stack[-1] if stack else None)


set_site_hook(here)
