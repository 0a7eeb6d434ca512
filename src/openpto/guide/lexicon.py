"""What words mean to the search: lexicon.txt, read when this module is imported, and ways to write code.

The sections of the file: irregular forms of words, stems without weight, stems that any log has, Chinese words without
weight, and concepts. A concept has wordings in both languages, so that a complaint in one finds a page in the other.
"""

from __future__ import annotations

from importlib.resources import files

FORMS_OF_CODE = (
    ("@rebinding", r"(?<![\w\].:])[a-z]\w* = (?!pypto\.(?:Tensor|view|loop))(?:pypto\.)?[a-z]\w*(?:\(| ?[-+*/])"),
    ("@augmented", r"(?<![\w\]])[a-z]\w* [-+*/]= "),
    ("@move", r"\w\[:\] ?= ?\w+(?![\w.\[ ]*[-+*/(])"),
    ("@slice", r"\w\[[^\]\n]*\w:(?![^\]\n]*\w\])"),
    ("@window", r"\w\[\w+ ?: ?\w+ ?\+ ?\w+"),
    ("@step", r"\w\[[^\]\n]*::"),
    ("@declared", r"= ?pypto\.Tensor\("),
    ("@long", r"(?<![\w.])(?:6553[6-9]|6[6-9]\d{3}|[7-9]\d{4}|\d{6,})(?![\w.])"),
    ("@range", r"in range\("),
    ("@arrow", r"-> ?\w+"),
    ("@tolerance", r"\b\d(?:\.\d+)?e-\d+\b|\b[ar]tol\b"),
    ("@huge", r"\b\d(?:\.\d+)?e\+?[12]\d\b"),
    ("@extreme", r"(?<![\w.])(?:min|max)\("),
    ("@quotient", r"loop\([^)\n]*[^/]/[^/]"),
    ("@number-first", r"(?<![\w.\])\[,:(-])(?<! )\d+(?:\.\d+)? ?[-/] ?[a-z](?!\w*[\])])|^\d+(?:\.\d+)? ?[-/] ?[a-z]\b"),
    ("@transposed", r"\.T\b|\.permute\(|\.transpose\(|\.t\(\)"),
    ("@two-shapes", r"\[\d+(?:, ?\d+)+\][^\[\n]{1,30}\[\d+(?:, ?\d+)+\]"),
    ("@and", r"\bif\b.* (?:and|or) |用 ?(?:and|or)\b"),
)
"""Ways to write code that tell what a text is about, as patterns of plain text."""


def _sections() -> dict[str, list[str]]:
    """The lines of each section of the file; a line that begins with a blank is part of the one before it."""
    found: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in (files("openpto.guide") / "lexicon.txt").read_text(encoding="utf-8").split("\n"):
        if line.startswith("["):
            lines = found.setdefault(line.strip("[]"), [])
        elif line.startswith(" "):
            lines[-1] += " " + line.strip()
        elif line and not line.startswith("#"):
            lines.append(line)
    return found


def _listed(text: str) -> tuple[str, ...]:
    return tuple(filter(None, map(str.strip, text.split(","))))


_SECTIONS = _sections()

FORMS: dict[str, str] = {
    form: word for line in _SECTIONS["forms"] for word, _, forms in [line.partition(": ")] for form in _listed(forms)
}
"""What an irregular form counts as."""

STOP = frozenset(" ".join(_SECTIONS["stop"]).split())
"""Stems without weight."""

ANYWHERE = frozenset(" ".join(_SECTIONS["generic"]).split())
"""Words and concepts that any program's log has."""

FILLERS = tuple(" ".join(_SECTIONS["fillers"]).split())
"""Chinese words without weight."""

CONCEPTS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    name: (_listed(english), _listed(chinese))
    for line in _SECTIONS["concepts"]
    for name, _, wordings in [line.partition(": ")]
    for english, _, chinese in [wordings.partition("|")]
}
"""The English and the Chinese wordings of each concept."""
