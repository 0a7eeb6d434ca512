"""Places in user source: what a diagnostic points at."""

from __future__ import annotations

from openpto._records import dataclass


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of source text.

    Lines count from 1, columns from 0 in characters (not bytes). `end_line == 0` means that the columns are not known;
    the whole statement on `line` is meant then.
    """

    file: str
    line: int
    col: int = 0
    end_line: int = 0
    end_col: int = 0

    @property
    def has_columns(self) -> bool:
        """True if `col`, `end_line` and `end_col` say where the text begins and ends."""
        return self.end_line > 0


@dataclass(frozen=True, slots=True)
class LoopFrame:
    """One enclosing `pypto.loop`: its name, the name of its index, and the index where it is known (run time)."""

    name: str
    index_name: str
    value: int | None = None


@dataclass(frozen=True, slots=True)
class Site:
    """A place in a kernel together with the way that led there.

    `chain` lists the helper calls, innermost first: (name of the helper that was called, span of the call).
    `loops` lists the enclosing loops, outermost first. `kernel` is the name of the kernel, if known. `asked` is the
    operation that the author called there, which may be recorded as others.
    """

    span: Span | None
    chain: tuple[tuple[str, Span], ...] = ()
    loops: tuple[LoopFrame, ...] = ()
    kernel: str = ""
    asked: str = ""

    @property
    def place(self) -> tuple[str, int, int]:
        """What makes two sites the same place of the source: file, line, column."""
        if self.span is None:
            return ("", 0, 0)
        return (self.span.file, self.span.line, self.span.col)


NOWHERE = Site(None)
"""The site of a diagnostic that belongs to no line of a kernel."""
