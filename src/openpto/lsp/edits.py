"""Changes of a text: the smallest one that leads to another text, and the comment that silences a finding."""

from __future__ import annotations

import io
import re
import tokenize
from dataclasses import dataclass

from openpto.diagnostics.span import Span
from openpto.lint.source import NOQA


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace the characters from `start` to `end`, given as (line, column) that count from 0, by `text`."""

    start: tuple[int, int]
    end: tuple[int, int]
    text: str


def lines_of(text: str) -> list[str]:
    """The lines of a text without their ends, as both the protocol and Python's parser count them.

    `str.splitlines` would also end lines at form feeds and at separators of Unicode.
    """
    return re.split(r"\r\n|\n|\r", text)


def difference(old: str, new: str) -> Edit | None:
    """The one edit that turns a text into another one, as short as it can be; None if they are equal.

    >>> difference("y = x", "y[:] = x")
    Edit(start=(0, 1), end=(0, 1), text='[:]')
    """
    if old == new:
        return None
    shorter = min(len(old), len(new))
    head = next((i for i in range(shorter) if old[i] != new[i]), shorter)
    tail = next((i for i in range(shorter - head) if old[-1 - i] != new[-1 - i]), shorter - head)
    while head and old[head - 1] == "\r":  # a line end is not cut in two
        head -= 1
    while tail and old[len(old) - tail] == "\n" and tail < len(old) - head and old[len(old) - tail - 1] == "\r":
        tail -= 1
    return Edit(_place(old, head), _place(old, len(old) - tail), new[head : len(new) - tail])


def _place(text: str, offset: int) -> tuple[int, int]:
    lines = lines_of(text[:offset])
    return len(lines) - 1, len(lines[-1])


def silence(text: str, span: Span, code: str) -> Edit | None:
    """Write `# noqa: CODE` on the first line of a finding, or on its last one if no comment can stand there.

    None if neither can have a comment: both end inside of a string, or in a backslash.
    """
    lines = lines_of(text)
    closed = _without_comments(text)
    for number in dict.fromkeys((span.line, span.end_line or span.line)):
        if closed is None or number in closed or not 1 <= number <= len(lines):
            continue
        line = lines[number - 1]
        found = NOQA.search(line)
        if found and found["list"]:
            return Edit((number - 1, found.end()), (number - 1, found.end()), f", {code}")
        end = len(line.rstrip())
        return Edit((number - 1, end), (number - 1, len(line)), f"  # noqa: {code}")
    return None


def _without_comments(text: str) -> set[int] | None:
    """The lines (from 1) at whose end no comment can stand; None for a text that has no tokens."""
    lines = lines_of(text)
    closed = {number for number, line in enumerate(lines, 1) if line.endswith("\\")}
    try:
        for token in tokenize.generate_tokens(io.StringIO("\n".join(lines)).readline):
            if tokenize.tok_name[token.type].endswith(("STRING", "STRING_START", "STRING_MIDDLE", "STRING_END")):
                closed.update(range(token.start[0], token.end[0]))
    except (tokenize.TokenError, SyntaxError):
        return None
    return closed
