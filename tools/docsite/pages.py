"""All pages of the site in one language, by path."""

from __future__ import annotations

import re

import rule_pages
from docsite.contract_pages import PATH as CONTRACT_OPS
from docsite.contract_pages import contract_ops
from docsite.guide_pages import guide_pages, guide_places
from docsite.gym_pages import gym_pages, gym_places
from docsite.op_pages import op_pages
from docsite.sources import DOCS, Source, outside_blocks, read, relinked, with_codes_linked, written
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


def site_pages(language: Language) -> dict[str, str]:
    """The Markdown of every page."""
    elsewhere = {**OUTSIDE, **gym_places(), **guide_places()}
    made = {}
    for path, source in sources(language).items():
        made[path] = with_codes_linked(joined(relinked(source, path, elsewhere)), path)
    return made


def joined(text: str) -> str:
    """The text without line breaks between Chinese characters, which a browser would show as spaces."""
    return outside_blocks(text, lambda prose: _CHINESE_BREAK.sub("", prose))


def sources(language: Language) -> dict[str, Source]:
    """The sources of all pages."""
    made = {path: written(path, language) for path in written_paths()}
    for file in ("CONTRIBUTING.md", "CHANGELOG.md"):
        made[OUTSIDE[file]] = read(file)
    made[CONTRACT_OPS] = contract_ops(language)
    return made | rules(language) | op_pages(language) | guide_pages(language) | gym_pages(language)


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
