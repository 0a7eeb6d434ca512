"""The order of pages. A page of docs/ that no section names stands under tools, so none can be forgotten."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import rule_pages
from openpto.diagnostics import T
from openpto.diagnostics.language import Language

HOME = T("Home", "首页")
SECTIONS: tuple[tuple[T, tuple[str, ...]], ...] = (
    (T("Start", "入门"), ("tutorial.md", "guide/")),
    (T("Operations", "操作"), ("api/",)),
    (T("Contract", "契约"), ("contract.md", "contract-ops.md")),
    (T("Codes", "诊断代码"), ("rules/",)),
    (T("Tools", "工具"), ("lint.md", "*")),
    (T("Operators", "算子"), ("gym/",)),
    (
        T("Project", "项目"),
        ("architecture.md", "benchmarks.md", "contributing.md", "changelog.md", "decisions/"),
    ),
)
"""Sections with their pages: a path, a folder with all that is in it, or `*` for what no other section has."""

Entry = Any
"""A path, or a title with a list of entries."""


def navigation(paths: Iterable[str], language: Language) -> list[Entry]:
    """The `nav` of mkdocs for these pages."""
    left = sorted(set(paths) - {"index.md"})
    rest = [path for path in left if not any(_covers(entry, path) for _, entries in SECTIONS for entry in entries)]
    made: list[Entry] = [{HOME.in_language(language): "index.md"}]
    for title, entries in SECTIONS:
        chosen: list[Entry] = []
        for entry in entries:
            found = rest if entry == "*" else [path for path in left if _covers(entry, path)]
            chosen += _in_groups(entry, found, language)
        if chosen:
            made.append({title.in_language(language): chosen})
    return made


def _covers(entry: str, path: str) -> bool:
    return path == entry or (entry.endswith("/") and path.startswith(entry))


def _in_groups(folder: str, paths: list[str], language: Language) -> list[Entry]:
    """The pages of a folder with its own page first; those of rules by the first digit of their codes."""
    own = [path for path in paths if path in (f"{folder}index.md", f"{folder}README.md")]
    others = [path for path in paths if path not in own]
    if folder != "rules/":
        return own + others
    groups: list[Entry] = []
    for digit, title in rule_pages.GROUPS.items():
        members = [path for path in others if path.startswith(f"rules/PTO{digit}")]
        groups.append({f"PTO{digit}xx {title.in_language(language)}": members})
    return own + groups
