"""Leaves as files: pages/en/KEY.md and pages/zh/KEY.md, Markdown with a head of a few fields.

The head stands between two lines ``---``::

    title: Tile shape not set
    situation: A call stops because no vector tile is in force.
    see: PTO301, PTO306
    symptoms:
    - op [ADDS]tile shape not set

All four are needed; ``see`` may be empty. Both languages name the same rules.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files

from openpto.diagnostics import T
from openpto.diagnostics.language import LANGUAGES
from openpto.guide.leaves.leaf import Leaf

_FIELDS = ("title", "situation", "see", "symptoms")
_RULE = "---"


@dataclass(frozen=True, slots=True)
class Page:
    """A leaf in one language."""

    title: str
    situation: str
    see: tuple[str, ...]
    symptoms: tuple[str, ...]
    body: str


def read_leaf(key: str) -> Leaf:
    """The leaf of a key, from its two files. A page that is not in order is a mistake of ours (ValueError)."""
    en, zh = (parse(_text(language, key), f"{language}/{key}.md") for language in LANGUAGES)
    if en.see != zh.see:
        raise ValueError(f"{key}: the two languages see different rules")
    symptoms = tuple(dict.fromkeys((*en.symptoms, *zh.symptoms)))
    return Leaf(key, T(en.title, zh.title), T(en.situation, zh.situation), symptoms, T(en.body, zh.body), en.see)


def _text(language: str, key: str) -> str:
    return (files("openpto.guide") / "pages" / language / f"{key}.md").read_text(encoding="utf-8")


def parse(text: str, name: str = "page") -> Page:
    """The page that a file holds; `name` is for messages.

    >>> page = parse("---\\ntitle: A\\nsituation: B.\\nsee: PTO301\\nsymptoms:\\n- x: y\\n---\\n\\nbody\\n")
    >>> page.title, page.see, page.symptoms, page.body
    ('A', ('PTO301',), ('x: y',), 'body\\n')
    """
    head, mark, body = text.removeprefix(_RULE + "\n").partition(f"\n{_RULE}\n")
    if not mark or not text.startswith(_RULE):
        raise ValueError(f"{name}: the head between two lines {_RULE} is missing")
    fields: dict[str, str] = {}
    symptoms: list[str] = []
    for line in head.split("\n"):
        if line.startswith("- "):
            symptoms.append(line[2:].strip())
        else:
            field, _, value = line.partition(":")
            fields[field] = value.strip()
    if tuple(fields) != _FIELDS or not all((fields["title"], fields["situation"], symptoms)):
        raise ValueError(f"{name}: the head has to fill in {', '.join(_FIELDS)}, in this order")
    see = tuple(code.strip() for code in fields["see"].split(",") if code.strip())
    return Page(fields["title"], fields["situation"], see, tuple(symptoms), body.lstrip("\n"))
