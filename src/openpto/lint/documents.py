"""Documents beside a kernel file: their front matter, headings and blocks of Python."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

_ENTRY = re.compile(r"(?P<indent> *)(?P<dash>- )?(?:(?P<key>[\w.-]+)\s*:(?:\s+|$))?(?P<value>.*)$")
_WORD = re.compile(r"'[^']*'|\"[^\"]*\"|[A-Za-z_][\w./-]*")


@dataclass(frozen=True, slots=True)
class Document:
    """A markdown file. `matter` is its front matter, empty if there is none; `places` the lines of its keys."""

    path: Path
    text: str
    matter: Mapping[str, object]
    places: Mapping[str, int]

    @property
    def headings(self) -> list[tuple[int, str]]:
        """(line, text in lower case) of every heading."""
        lines = enumerate(self.text.splitlines(), 1)
        return [(number, line.lstrip("#").strip().lower()) for number, line in lines if line.startswith("#")]

    def has_section(self, words: tuple[str, ...]) -> bool:
        """Whether a heading holds one of the words."""
        return any(word in heading for _, heading in self.headings for word in words)

    def python(self) -> Iterator[tuple[int, str]]:
        """(first line, text) of every block of Python."""
        start = 0
        lines: list[str] = []
        for number, line in enumerate(self.text.splitlines(), 1):
            if start and line.startswith("```"):
                yield start, "\n".join(lines)
                start, lines = 0, []
            elif start:
                lines.append(line)
            elif line.startswith(("```python", "```py")):
                start = number + 1


def read(path: Path) -> Document | None:
    """The document, or None if there is none that can be read."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None
    lines = text.split("\n")
    if lines[0].strip() != "---" or "---" not in [line.strip() for line in lines[1:]]:
        return Document(path, text, {}, {})
    end = [line.strip() for line in lines[1:]].index("---") + 1
    matter, places = parse_matter(lines[1:end])
    return Document(path, text, matter, {key: line + 1 for key, line in places.items()})


def parse_matter(lines: list[str]) -> tuple[dict[str, object], dict[str, int]]:
    """Keys of the first level with their values, and the lines they stand in: scalars, lists and maps of scalars."""
    matter: dict[str, object] = {}
    places: dict[str, int] = {}
    current = ""
    for number, line in enumerate(lines, 1):
        match = _ENTRY.match(line.split(" #")[0].rstrip())
        if match is None or not line.strip() or line.lstrip().startswith("#"):
            continue
        if not match["indent"] and match["key"]:
            current = match["key"]
            matter[current] = value(match["value"]) if match["value"] else None
            places[current] = number
        elif current and match["dash"]:
            known = matter[current]
            entry: object = value(match["value"])
            if match["key"]:
                entry = {match["key"]: entry}
            matter[current] = [*known, entry] if isinstance(known, list) else [entry]
        elif current and match["key"]:
            known = matter[current]
            matter[current] = {**(known if isinstance(known, dict) else {}), match["key"]: value(match["value"])}
    return matter, places


def value(text: str) -> object:
    """A scalar, or a list or map in brackets; words need no quotes."""
    text = text.strip()
    if not text.startswith(("[", "{")) and " " in text:
        return text.strip("'\"")
    quoted = _WORD.sub(lambda word: _literal(word[0], text, word.start()), text)
    try:
        return ast.literal_eval(quoted)
    except (ValueError, SyntaxError):
        return text.strip("'\"")


def _literal(word: str, text: str, start: int) -> str:
    """A word of the text as Python writes it: numbers such as 1e-3 and quoted words stay."""
    before = text[start - 1] if start else ""
    if word[0] in "'\"" or before.isdigit() or before == ".":
        return word
    return {"true": "True", "false": "False", "null": "None"}.get(word.lower(), repr(word))
