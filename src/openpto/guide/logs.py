"""What counts in a pasted text: its lines, weighted by what they are in a log.

A log of megabytes is read once, line by line. Lines that nothing points at are dropped as they come; of those that are
alike the first is kept. In a chain of tracebacks the first one is the cause and the later ones follow from it, so its
last line weighs most; the source lines of its frames tell where it happened.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

ROOT, ERROR, FOLLOWING, PLAIN, FRAME, WARNING, NEAR = 4.0, 2.5, 1.2, 1.0, 0.7, 0.5, 0.4
"""Weights: the line that names the cause, an error, an error that follows from another, a line of a short text,
source text in a traceback, a warning, lines beside one of these."""

SHORT = 40
"""A text of so many lines is no log: all of its lines count."""
MOST_LINES = 4000
"""So many different lines of a log are looked at; errors behind them still count."""
_AFTER = 4
"""Lines behind an error that belong to its message: the toolchains write code, message and place in lines of their
own."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line that counts: its number in the text from 1, its text without colours and time, its weight."""

    number: int
    text: str
    weight: float


@dataclass(slots=True)
class Digest:
    """What is left of a text: the lines that count, and how many it had."""

    lines: list[Line] = field(default_factory=list)
    total: int = 0
    is_log: bool = False


_COLOUR = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ufffd]+")
_TIME = re.compile(
    r"^[\s\[(]*(?:\d{4}[-/.]\d\d?[-/.]\d\d?[T_ -]?)?(?:\d\d?:\d\d(?::\d\d)?(?:[.,:]\d+)*)"
    r"(?:Z|[+-]\d\d:?\d\d)?[\])]?[\s:|-]*"
)
_PLACE = re.compile(
    r",? ?(?:func \w+|file [\w./+-]+\.(?:cpp|cc|h|hpp)|line \d+)(?=$|[\s,.])|(?<![\w.])(?:/[\w.+-]+){2,}"
)

_CLASS = re.compile(r"\b(?:[a-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Warning)\b:?")

_ERROR_MARKS = (
    "error", "exception", "errcode", "fail", "fatal", "abort", "segfault", "segmentation", "assert", "exceed",
    "unsupported", "not support", "cannot", "can not", "undefined", "undeclared", "signal", "killed", "timeout",
    "timed out", "deadlock", "must ", "not found", "no such", "not set", "invalid", "illegal", "refuse",
    "错误", "失败", "异常", "超时", "非法", "不支持", "溢出", "无法", "超出", "越界", "报错", "卡死", "崩溃",
)  # fmt: skip
_SURE_MARKS = ("error", "errcode", "exception", "fatal", "check failed", "assert failed", "错误", "异常")
_WARNING_MARKS = ("warn", "警告")
_BENIGN = re.compile(
    r"(?i)\b(?:0|no|without|zero) (?:errors?|failures?|exceptions?|warnings?)\b"
    r"|\b(?:errors?|failed|failures?) ?[=:] ?0\b|ignored|error (?:bound|budget|rate)|max.?error|abs.?error"
    r"|_error_|error\.(?:py|log)"
)
_CODED = re.compile(
    r"(?<![0-9A-Za-z_])(?:PTO[1-9][0-9]{2}|F[0-9A-F]{5}|50701[0-9]|107[0-9]{3}|E[EZIH][0-9]{4})(?![0-9A-Za-z_])"
)

_TRACEBACK = re.compile(r"Traceback \(most recent call last\)")
_RAISED = re.compile(
    r"^(?:E\s+)?(?:[A-Za-z_][\w.]*\.)?([A-Z]\w*(?:Error|Exception|Warning|Interrupt|Exit|Stop)|error\[PTO\d{3}\]|PyptoError)\b:?"
)
_CHAINED = re.compile(r"(?:direct cause of the following exception|During handling of the above exception)")
_FRAME = re.compile(r'^\s+File "|^\s*(?:>|\d+ \|)|^\s{2,}\S')


def read(chunks: Iterable[bytes]) -> Digest:
    """The digest of a text that comes in lines of bytes: UTF-8, UTF-16 with its mark, or GB 18030."""
    return digest(_decoded(chunks))


def _decoded(chunks: Iterable[bytes]) -> Iterator[str]:
    lines = iter(chunks)
    first = next(lines, b"")
    if first.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        yield from (first + b"".join(lines)).decode("utf-16", errors="replace").splitlines()
        return
    yield _text(first.removeprefix(codecs.BOM_UTF8))
    for line in lines:
        yield _text(line)


def _text(line: bytes) -> str:
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError:
        pass
    try:
        return line.decode("gb18030")
    except UnicodeDecodeError:
        return line.decode("utf-8", errors="replace")


def plain(line: str) -> str:
    """A line as it is read: no colours, what a progress bar left last, no control characters, no time at its start.

    >>> plain("\\x1b[31m2026-01-02 10:00:01.123 [ERROR] tile\\x1b[0m")
    '[ERROR] tile'
    """
    if "\x1b" in line:
        line = _COLOUR.sub("", line)
    line = line.rstrip("\r\n")
    if "\r" in line:
        line = line.rpartition("\r")[2]
    line = _CONTROL.sub(" ", line).expandtabs(4).rstrip()
    return _TIME.sub("", line) if line[:1] in "[( 0123456789" and not line.startswith("    ") else line


def digest(lines: Iterable[str]) -> Digest:
    """The digest of a text that comes in lines.

    >>> text = ["Traceback (most recent call last):", "  File 'k.py'", "ValueError: no"]
    >>> [line.weight for line in digest(text).lines]
    [0.7, 4.0]
    """
    reader = _Reader()
    for number, line in enumerate(lines, 1):
        reader.take(number, line)
    return reader.done()


class _Reader:
    """Takes a text line by line and keeps what counts."""

    def __init__(self) -> None:
        self.kept: list[Line] = []
        self.beginning: list[Line] = []  # all of a short text
        self.seen: set[str] = set()
        self.total = 0
        self.errors = 0
        self.message = 0  # so many lines may still belong to the message of the last error
        self.weight = PLAIN  # of that message
        self.in_frames = False
        self.follows = False  # the next traceback follows from one before it
        self.before: Line | None = None
        self.is_log = False

    def take(self, number: int, raw: str) -> None:
        """Look at one line."""
        self.total = number
        if len(raw) > 2000:
            raw = f"{raw[:1000]} ... {raw[-1000:]}"
        lower = raw.lower()
        marked = self.in_frames or self.message > 0 or any(mark in lower for mark in _ERROR_MARKS)
        if (
            not marked
            and number > SHORT
            and not _CODED.search(raw)
            and not any(mark in lower for mark in _WARNING_MARKS)
        ):
            self.before = Line(number, raw, NEAR)
            return
        text = plain(raw)
        if number <= SHORT:
            self.beginning.append(Line(number, text, PLAIN))
        weight = self._weight(text, lower)
        if weight >= ERROR and self.before is not None and self.before.number == number - 1:
            self._keep(Line(self.before.number, plain(self.before.text), NEAR))
        if weight:
            self._keep(Line(number, text, weight))
        self.before = None

    def done(self) -> Digest:
        """What was kept; of a short text every line, with at least the weight of plain text outside of tracebacks."""
        if self.total > SHORT:
            return Digest(self.kept, self.total, True)
        light = (NEAR, WARNING) if not self.errors else (NEAR,)  # alone, a warning is what the text is about
        weights = {line.number: line.weight for line in self.kept if line.weight not in light}
        lines = [
            Line(line.number, line.text, weights.get(line.number, PLAIN))
            for line in self.beginning
            if line.text.strip()
        ]
        return Digest([line for line in lines if not _TRACEBACK.search(line.text)], self.total, self.is_log)

    def _keep(self, line: Line) -> None:
        if not line.text.strip() or len(self.kept) > MOST_LINES * (2 if line.weight >= ERROR else 1):
            return
        form = re.sub(r"0x[0-9a-fA-F]+|\d+", "#", line.text).strip()
        if form not in self.seen:
            self.seen.add(form)
            self.kept.append(line)

    def _weight(self, text: str, lower: str) -> float:
        """What the line weighs; 0 if it says nothing."""
        if _CHAINED.search(text):
            self.follows, self.in_frames, self.message = True, False, 0
            return 0
        if _TRACEBACK.search(text):
            self.in_frames, self.message, self.is_log = True, 0, True
            return 0
        raised = _RAISED.match(text)
        if raised:
            self.in_frames, self.message, self.is_log = False, _AFTER, True
            warns = raised[1].endswith("Warning")
            self.weight = WARNING if warns else FOLLOWING if self.follows else ROOT if not self.errors else ERROR
            self.errors += not warns
            self.follows = False
            return self.weight
        if self.in_frames:
            if _FRAME.match(text) or not text.strip():
                return FRAME if text.strip(" ^~-") else 0
            self.in_frames = False
        return self._of_message(text, lower)

    def _of_message(self, text: str, lower: str) -> float:
        if any(mark in lower for mark in _WARNING_MARKS):
            self.message = 0
            return WARNING
        benign = _BENIGN.search(text)
        if (any(mark in lower for mark in _SURE_MARKS) and not benign) or _CODED.search(text):
            self.weight = max(1.5, ERROR - 0.05 * self.errors)
            self.errors += 1
            self.message = _AFTER
            return self.weight
        if self.message and text.strip():
            self.message -= 1
            return self.weight
        self.message = 0
        return NEAR if not benign and any(mark in lower for mark in _ERROR_MARKS) else 0


def words_of(line: str) -> str:
    """A line without classes of exceptions and places in other people's sources, which say little about the mistake."""
    return _PLACE.sub(" ", _CLASS.sub(" ", line))
