"""Whether a Chinese text has the parts of its English original, so that a reader is told where it is behind."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from docsite.blocks import outside_blocks

DOCS = Path(__file__).resolve().parents[2] / "docs"

BEHIND = '!!! warning "英文版本较新"\n\n    本页的英文版本已有改动，中文版本尚未跟上；以英文版本为准。\n\n'
"""Stands below the headline of a text that lacks something."""

_BLOCK = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```[ \t]*$", re.M | re.S)
_HEADLINE = re.compile(r"^(#+) (.*)$", re.M)
_SHOWN = "text"
"""Blocks of this language are what programs show, in the language of the reader."""


def translated() -> list[str]:
    """Paths of the pages that have a Chinese text."""
    folder = DOCS / "zh"
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.md"))


def parts(text: str) -> dict[str, list[str] | list[int] | int]:
    """What a translation shares with its original: levels of headlines, programs, cells of rows, items, codes."""
    prose = _BLOCK.sub("", text)
    return {
        "headlines": re.findall(r"^#+(?= )", prose, re.M),
        "programs": [block for language, block in _BLOCK.findall(text) if language != _SHOWN],
        "cells": [len(re.findall(r"(?<!\\)\|", row)) for row in re.findall(r"^\|.*$", prose, re.M)],
        "items": len(re.findall(r"^ *(?:-|\d+\.) ", prose, re.M)),
        "codes": sorted(set(re.findall(r"(?:PTO|OL)\d+", prose))),
    }


def with_anchors(translation: str, original: str) -> str:
    """The translation with the anchors of its original on its headlines, so that links to them need no translation.

    Needs headlines that are alike; else the text stays as it is.
    """
    titles = iter(_HEADLINE.findall(_BLOCK.sub("", original)))
    if parts(translation)["headlines"] != parts(original)["headlines"]:
        return translation

    def anchored(headline: re.Match[str]) -> str:
        return f"{headline[0]} {{ #{anchor(next(titles)[1])} }}"

    return outside_blocks(translation, lambda prose: _HEADLINE.sub(anchored, prose))


def anchor(title: str) -> str:
    """The anchor that the site gives a headline: its words in small letters, joined by hyphens.

    >>> anchor("What is `pypto lint`, and why?")
    'what-is-pypto-lint-and-why'
    """
    return re.sub(r"\s+", "-", re.sub(r"[^\w\- ]", "", title.lower()).strip())


@cache
def behind(path: str) -> bool:
    """Whether the Chinese text of a page lacks a part of the English one, or has one that is gone."""
    original, translation = ((folder / path).read_text(encoding="utf-8") for folder in (DOCS, DOCS / "zh"))
    return parts(original) != parts(translation)
