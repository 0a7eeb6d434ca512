"""The corpus of pasted texts: blocks of files that begin with a line ``=== PAGE [PAGE]``; ``=== none`` has no page."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).with_name("corpus")


class Item(NamedTuple):
    """One pasted text and the pages that answer it."""

    file: str
    line: int
    accepted: tuple[str, ...]
    text: str


def items(pattern: str = "*.txt") -> list[Item]:
    """The items of the files of the corpus whose names match."""
    found = []
    for path in sorted(FOLDER.glob(pattern)):
        head, start, lines = "", 0, list[str]()
        for number, line in enumerate([*path.read_text(encoding="utf-8").split("\n"), "=== "], 1):
            if not line.startswith("=== "):
                lines.append(line)
                continue
            if head:
                found.append(Item(path.name, start, tuple(head.split()), "\n".join(lines).strip("\n")))
            head, start, lines = line[4:], number, []
    return found
