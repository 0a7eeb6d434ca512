"""Prose and fenced blocks of a Markdown text."""

from __future__ import annotations

import re
from collections.abc import Callable

_BLOCK = re.compile(r"(^(?:```|~~~).*?^(?:```|~~~)[ \t]*$)", re.M | re.S)


def outside_blocks(text: str, change: Callable[[str], str]) -> str:
    """The text with everything changed but its fenced blocks."""
    return "".join(piece if number % 2 else change(piece) for number, piece in enumerate(_BLOCK.split(text)))
