"""Source lines as they are shown under a diagnostic: display cells, tabs, wide characters, carets."""

from __future__ import annotations

import linecache
import os
import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from openpto._records import dataclass
from openpto.diagnostics.span import Span

TAB_CELLS = 4
"""Tab stops of the excerpt; the file's own setting is not known."""

MAX_CELLS = 120
"""Longer source lines are shown as a window around the marked part."""

_CUT = "..."


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A source line ready to print, and the cells that are marked: [start, start + length)."""

    text: str
    start: int
    length: int


def excerpt(span: Span, line: str | None = None) -> Excerpt | None:
    """The line of a span with its marked cells, or None where Python does not have the text.

    line    the text of the line where it is known to the caller; Python is not asked then
    """
    raw = (linecache.getline(span.file, span.line) if line is None else line).rstrip("\r\n")
    if not raw.strip():
        return None
    begin, end = _marked_characters(span, raw)
    positions = _cell_positions(raw)
    start, stop = positions[begin], positions[end]
    return _window(printable(_expand_tabs(raw)).rstrip(), start, max(stop - start, 1))


_ASSIGNED = re.compile(r"\s*([^\W\d]\w*)\s*=\s*\Z")


def assigned_name(span: Span | None) -> str:
    """The name that the statement gives to the whole expression at a place: `t` of `t = pypto.exp(x)`; or nothing."""
    if span is None or not span.has_columns:
        return ""
    before = _ASSIGNED.match(linecache.getline(span.file, span.line)[: span.col])
    if before is None:
        return ""
    behind = linecache.getline(span.file, span.end_line)[span.end_col :].partition("#")[0]
    return "" if behind.strip() else before[1]


def display_path(file: str) -> str:
    """The path as the user would type it: relative to the working directory where that is shorter."""
    if file.startswith("<"):  # <stdin>, <ipython-input-...>, <string>: names, not paths
        return printable(file)
    try:
        relative = os.path.relpath(file)
    except (ValueError, OSError):  # another drive; no working directory
        return printable(file)
    return printable(min(relative, file, key=len))


def printable(text: str) -> str:
    """The text with control characters as escapes, so that user text can neither colour nor move the cursor."""
    return text if text.isprintable() else "".join(_shown(character) for character in text)


def cell_width(text: str) -> int:
    """How many terminal cells the text takes."""
    return len(text) if is_plain(text) else sum(_cells(character) for character in text)


def is_plain(text: str) -> bool:
    """Whether every character takes one cell and prints as itself."""
    return text.isascii() and text.isprintable()


def _marked_characters(span: Span, raw: str) -> tuple[int, int]:
    """Character range to underline: the span's columns, or the statement without blanks and comment."""
    first = len(raw) - len(raw.lstrip())
    last = len(_without_comment(raw).rstrip())
    if not span.has_columns:
        return first, max(last, first + 1)
    begin = min(max(span.col, 0), len(raw) - 1)
    end = span.end_col if span.end_line == span.line else last
    return begin, min(max(end, begin + 1), len(raw))


def _without_comment(line: str) -> str:
    """The line up to a `#` outside of simple quotes; multi-line strings do not matter for an underline."""
    quote = ""
    for position, character in enumerate(line):
        if quote:
            quote = "" if character == quote else quote
        elif character in "'\"":
            quote = character
        elif character == "#" and line[:position].strip():
            return line[:position]
    return line


def _expand_tabs(line: str) -> str:
    if is_plain(line):
        return line
    cells = 0
    parts = []
    for character in line:
        if character == "\t":
            blanks = TAB_CELLS - cells % TAB_CELLS
            parts.append(" " * blanks)
            cells += blanks
        else:
            parts.append(character)
            cells += _cells(character)
    return "".join(parts)


def _cell_positions(line: str) -> Sequence[int]:
    """Cell where each character begins; one more entry for the end of the line."""
    if is_plain(line):
        return range(len(line) + 1)
    positions = [0]
    for character in line:
        here = positions[-1]
        positions.append(here + (TAB_CELLS - here % TAB_CELLS if character == "\t" else _cells(character)))
    return positions


def _shown(character: str) -> str:
    """The character, or its escape if printing it would do something else than print."""
    if character == " " or character.isprintable():
        return character
    if unicodedata.category(character) == "Zs":
        return " "
    return character.encode("unicode_escape").decode("ascii")


@lru_cache(maxsize=1024)
def _cells(character: str) -> int:
    if unicodedata.combining(character) or unicodedata.category(character) in ("Mn", "Me"):
        return 0
    if not character.isprintable():
        return len(_shown(character))
    return 2 if unicodedata.east_asian_width(character) in ("W", "F") else 1


def _window(text: str, start: int, length: int) -> Excerpt:
    """The part of a long line that holds the marked cells, cut ends shown as dots."""
    if cell_width(text) <= MAX_CELLS:
        return Excerpt(text, start, length)
    left = max(0, start - MAX_CELLS // 4)
    kept, cell, first = [], 0, None
    for character in text:
        if left <= cell < left + MAX_CELLS:
            first = cell if first is None else first
            kept.append(character)
        cell += _cells(character)
    offset = first or 0
    head = _CUT if offset else ""
    tail = _CUT if cell > left + MAX_CELLS else ""
    visible = min(length, max(left + MAX_CELLS - start, 1))
    return Excerpt(head + "".join(kept) + tail, start - offset + len(head), visible)
