"""Where the text of a page comes from, and how links between files become links between pages.

A page of the site has one path in both languages. A page written by hand is `docs/PATH` in English and `docs/zh/PATH`
in Chinese; where there is no Chinese text the Chinese site shows the English one and says so.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Container, Mapping
from dataclasses import dataclass
from pathlib import Path

from docsite.blocks import outside_blocks
from docsite.translations import BEHIND, DOCS, behind, with_anchors
from openpto.diagnostics import RULES
from openpto.diagnostics.language import Language

ROOT = Path(__file__).resolve().parents[2]

ENGLISH_ONLY = '!!! note "本页只有英文"\n\n    这一页还没有中文版本，下面是英文原文。\n\n'
"""Stands before an English text in the Chinese site."""

_LINK = re.compile(r"(?<!\\)\]\(([^)\s]+)\)")
_NOT_HERE = "not-here:"
_WORDS_ALONE = re.compile(rf"\[([^\[\]]*)\]\({_NOT_HERE}\)")
_LINK_OR_SPAN = re.compile(r"(!?\[[^\]]*\]\([^)]*\)|(?<!`)`+(?!`).+?(?<!`)`+(?!`))")
_CODE = re.compile(r"(?<![\w/.-])PTO\d{3}(?![\w/-])")


@dataclass(frozen=True, slots=True)
class Source:
    """The text of a page and the file that it stands in, relative to the root: links are relative to that file."""

    file: str
    text: str


def read(file: str) -> Source:
    """A file of the repository."""
    return Source(file, (ROOT / file).read_text(encoding="utf-8"))


def written(path: str, language: Language) -> Source:
    """A page that is written by hand."""
    if language == "en":
        return read(f"docs/{path}")
    if (DOCS / "zh" / path).exists():
        source, original = read(f"docs/zh/{path}"), read(f"docs/{path}")
        source = Source(source.file, with_anchors(source.text, original.text))
        return noted(source, BEHIND) if behind(path) else source
    return noted(read(f"docs/{path}"), ENGLISH_ONLY)


def noted(source: Source, note: str) -> Source:
    """A text with a note below its headline."""
    headline, _, rest = source.text.partition("\n")
    return Source(source.file, f"{headline}\n\n{note}{rest.lstrip()}")


def place(file: str, elsewhere: Mapping[str, str]) -> str | None:
    """The path in the site of a file of the repository: ``elsewhere`` knows those outside of docs/. None: not there."""
    for beginning, path in (("docs/rules/zh/", "rules/"), ("docs/zh/", ""), ("docs/", "")):
        if file.startswith(beginning):
            return path + file[len(beginning) :]
    return elsewhere.get(file)


def relinked(
    source: Source, page: str, elsewhere: Mapping[str, str], without_anchors: Container[str] = frozenset()
) -> str:
    """The text with links to files of the repository turned into links between pages.

    Of a link to a file of the repository that the site does not have only the words stay. Links to what is nowhere
    stay as they are; a strict build stops at them. Links to a page of ``without_anchors`` lead to its top.
    """

    def changed(match: re.Match[str]) -> str:
        address, mark, anchor = match[1].partition("#")
        if not address or ":" in address:
            return match[0]
        file = posixpath.normpath(posixpath.join(posixpath.dirname(source.file), address))
        path = place(file, elsewhere)
        if path is None:
            return f"]({_NOT_HERE})" if (ROOT / file).exists() else match[0]
        return f"]({relative(page, path)})" if path in without_anchors else f"]({relative(page, path)}{mark}{anchor})"

    return outside_blocks(source.text, lambda text: _WORDS_ALONE.sub(r"\1", _LINK.sub(changed, text)))


def with_codes_linked(text: str, page: str) -> str:
    """The text with every code of a rule turned into a link to its page, except in headlines and on that page."""

    def link(code: str, shown: str) -> str:
        path = f"rules/{code}.md"
        return shown if code not in RULES or path == page else f"[{shown}]({relative(page, path)})"

    def line(text: str) -> str:
        if text.startswith("#"):
            return text
        pieces = _LINK_OR_SPAN.split(text)
        for number, piece in enumerate(pieces):
            if number % 2 == 0:
                pieces[number] = _CODE.sub(lambda code: link(code[0], code[0]), piece)
            elif _CODE.fullmatch(piece.strip("`")):
                pieces[number] = link(piece.strip("`"), piece)
        return "".join(pieces)

    return outside_blocks(text, lambda prose: "\n".join(map(line, prose.split("\n"))))


def relative(page: str, path: str) -> str:
    """The link from one page to another, or from one address below the root to another."""
    return posixpath.relpath(path or ".", posixpath.dirname(page) or ".")
