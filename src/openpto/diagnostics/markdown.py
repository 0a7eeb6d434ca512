"""Pages of rules as Markdown: for docs/rules and for editors."""

from __future__ import annotations

import re
from collections.abc import Iterator

from openpto.diagnostics.language import Language
from openpto.diagnostics.pages import Part, heading_line, parts
from openpto.diagnostics.registry import Rule


def page(rule: Rule, language: Language, below: str = "") -> str:
    """The page of a rule; `below` is a line under its title."""
    lines = [f"# {escaped(heading_line(rule, language))}"]
    if below:
        lines += ["", below]
    for part in parts(rule, language):
        lines += ["", *_lines(part)]
    return "\n".join(lines) + "\n"


def _lines(part: Part) -> Iterator[str]:
    if part.heading:
        yield from (f"## {part.heading[0].upper()}{part.heading[1:]}", "")
    if part.kind == "prose":
        yield escaped(part.text)
    elif part.kind == "list":
        yield from (f"- {code(entry)}" for entry in part.text.split("\n"))
    else:
        yield from ("```python" if part.kind == "program" else "```text", *part.text.split("\n"), "```")


def code(text: str) -> str:
    """Text as code, whatever backticks it has."""
    return f"`` {text} ``" if "`" in text else f"`{text}`"


def escaped(text: str) -> str:
    """Prose as Markdown that shows it as it is: what stands in backticks is code, the rest has no markup."""
    pieces = text.split("`")
    if len(pieces) % 2 == 0:
        return _plain(text)
    return "`".join(piece if number % 2 else _plain(piece) for number, piece in enumerate(pieces))


def _plain(text: str) -> str:
    return re.sub(r"([\\*_<>\[\]#`])", r"\\\1", text)
