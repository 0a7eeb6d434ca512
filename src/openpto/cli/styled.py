"""Lines of styled texts on a terminal, and the same lines without colours elsewhere."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TextIO

Line = list[tuple[str, str]]
"""Texts with the name of their style, "" for none."""


def write(lines: Iterable[Line], out: TextIO) -> None:
    """Write lines, with colours where the stream is a terminal."""
    if not out.isatty():
        for line in lines:
            print("".join(text for text, _ in line).rstrip(), file=out)
        return
    from rich.console import Console
    from rich.text import Text

    console = Console(file=out, highlight=False)
    for line in lines:
        console.print(Text.assemble(*line), soft_wrap=True)
