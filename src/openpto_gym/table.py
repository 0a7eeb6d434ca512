"""Results of cases as a table: with rich on a terminal, in plain columns elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TextIO

from openpto_gym.check import Result

HEADINGS = ("operator", "case", "dtype", "sizes", "output", "max abs", "max ULP", "tolerance", "time", "")
NOTE = (
    "ULP: of the golden, but at least of 1/16 of the largest golden of the case. "
    "Time: one call, of slow cases with its compilation."
)
_STYLES = {"ok": "green", "miss": "bold red", "error": "bold red", "skipped": "yellow"}


def cells(result: Result) -> tuple[str, ...]:
    """The texts of one line, in the order of HEADINGS."""
    found = result.found
    numbers = ("", "") if found is None else (f"{found.max_abs:.1e}", f"{found.max_scaled_ulp:.1f}")
    return (
        result.operator,
        result.case,
        result.dtype,
        result.sizes,
        result.output,
        *numbers,
        str(result.tolerance).replace("|golden|", "g"),
        f"{result.seconds:.3f} s" if found is not None else "",
        outcome(result),
    )


def outcome(result: Result) -> str:
    """The last cell: ok, how many elements are out, or why there is no comparison."""
    if result.found is not None:
        if result.verdict == "ok":
            return "ok" if result.found.elements else "ok (empty)"
        return f"MISS: {result.found.outside} of {result.found.elements} out"
    first, *_ = result.note.splitlines() or [""]
    return f"{result.verdict}: {first}"


def counts(results: Sequence[Result]) -> dict[str, int]:
    """How many results have each verdict; verdicts that do not occur are left out."""
    verdicts = [result.verdict for result in results]
    return {verdict: verdicts.count(verdict) for verdict in _STYLES if verdict in verdicts}


def write(results: Sequence[Result], stream: TextIO | None = None) -> None:
    """Write the table of the results."""
    out = stream or sys.stdout
    lines = [cells(result) for result in results]
    if out.isatty():
        _write_rich(results, lines, out)
        return
    for line in (*columns([HEADINGS, *lines]), NOTE):
        print(line, file=out)


def columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """A line of text per row, with the cells of a column below each other."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def _write_rich(results: Sequence[Result], lines: Sequence[tuple[str, ...]], out: TextIO) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(*HEADINGS, box=SIMPLE_HEAD, padding=0, pad_edge=False)
    for result, line in zip(results, lines, strict=True):
        *rest, last = (Text(cell) for cell in line)
        last.stylize(_STYLES[result.verdict])
        table.add_row(*rest, last)
    console = Console(file=out)
    console.print(table)
    console.print(Text(NOTE))
