"""All pages of the site in one language, by path."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection

import rule_pages
from docsite.blocks import outside_blocks
from docsite.contract_pages import PATH as CONTRACT_OPS
from docsite.contract_pages import contract_ops
from docsite.guide_pages import guide_pages, guide_places
from docsite.gym_pages import gym_pages, gym_places
from docsite.op_pages import op_pages
from docsite.sources import DOCS, Source, read, relinked, with_codes_linked, written
from docsite.translations import behind, translated
from openpto.diagnostics.language import Language

OUTSIDE = {
    "README.md": "index.md",
    "README.zh-CN.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
}
"""Where files outside of docs/ are in the site."""

_CHINESE_BREAK = re.compile(r"(?<=[\u3000-\u9fff\uff00-\uffef])\n *(?=[\u3000-\u9fff\uff00-\uffef])")
_SWITCH = re.compile(r"\[(?:中文|English)\]\([^)]*\)(?: · )?")


def site_pages(language: Language, only: Collection[str] | None = None) -> dict[str, str]:
    """The Markdown of every page, or of those that ``only`` names."""
    elsewhere = {**OUTSIDE, **gym_places(), **guide_places()}
    found = sources(language, only)
    other_anchors = found.keys() - _anchors_of_the_original() if language == "zh" else set()
    made = {}
    for path, source in found.items():
        made[path] = with_codes_linked(joined(relinked(source, path, elsewhere, other_anchors)), path)
    return made


def _anchors_of_the_original() -> set[str]:
    """Chinese pages with the anchors of the English ones: those written, but for translations that are behind."""
    return set(written_paths()).difference(filter(behind, translated()))


def joined(text: str) -> str:
    """The text without line breaks between Chinese characters, which a browser would show as spaces."""
    return outside_blocks(text, lambda prose: _CHINESE_BREAK.sub("", prose))


def sources(language: Language, only: Collection[str] | None = None) -> dict[str, Source]:
    """The sources of all pages, or of those that ``only`` names."""
    made = {path: written(path, language) for path in written_paths()}
    for file in ("CONTRIBUTING.md", "CHANGELOG.md"):
        made[OUTSIDE[file]] = read(file)
    for beginning, pages in GENERATED.items():
        if only is None or any(path.startswith(beginning) for path in only):
            made |= pages(language)
    return made if only is None else {path: made[path] for path in only}


def written_paths() -> list[str]:
    """Pages of docs/ that are no pages of rules; in order of their names."""
    found = (path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md"))
    return sorted(path for path in found if not path.startswith(("rules/", "zh/")))


def assets() -> list[str]:
    """Pictures, by path below docs/."""
    return sorted(path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.svg"))


def rules(language: Language) -> dict[str, Source]:
    """The pages of rules, without the links between languages, which the site has in its header."""
    folder = "" if language == "en" else "zh/"
    made = {}
    for name, text in rule_pages.pages().items():
        if name.startswith("zh/") == bool(folder):
            made[f"rules/{name.removeprefix(folder)}"] = Source(f"docs/rules/{name}", _SWITCH.sub("", text, count=1))
    return made


GENERATED: dict[str, Callable[[Language], dict[str, Source]]] = {
    CONTRACT_OPS: lambda language: {CONTRACT_OPS: contract_ops(language)},
    "rules/": rules,
    "api/": op_pages,
    "guide/": guide_pages,
    "gym/": gym_pages,
}
"""Pages that are made of declarations, by the beginning of their paths."""
