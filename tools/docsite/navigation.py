"""The order of pages. A page of docs/ that no section names stands under tools, so none can be forgotten."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import rule_pages
from docsite.op_pages import family_members, path_of
from docsite.words import FAMILIES
from openpto.diagnostics import RULES, T
from openpto.diagnostics.language import Language
from openpto.guide.leaves.tree import AREAS

HOME = T("Home", "首页")
SECTIONS: tuple[tuple[T, tuple[str, ...]], ...] = (
    (T("Start", "入门"), ("tutorial.md", "tutorial-operator.md")),
    (T("Guide", "排错指南"), ("guide/",)),
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
Group = tuple[T, list[str]]


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
    """The pages of a folder with its own page first, the others under the titles of their groups if it has some."""
    own = [path for path in paths if path in (f"{folder}index.md", f"{folder}README.md")]
    others = [path for path in paths if path not in own]
    if folder in NESTED:
        return [{NESTED[folder].in_language(language): own + others}]
    if folder not in GROUPED:
        return own + others
    made: list[Entry] = list(own)
    for title, members in GROUPED[folder]():
        found = [path for path in members if path in others]
        if found:
            made.append({title.in_language(language): found})
    return made


def _rules() -> Iterator[Group]:
    for digit, title in rule_pages.GROUPS.items():
        codes = sorted(code for code in RULES if code[3] == digit)
        yield T(f"PTO{digit}xx {title.en}", f"PTO{digit}xx {title.zh}"), [f"rules/{code}.md" for code in codes]


def _operations() -> Iterator[Group]:
    for letter, members in family_members().items():
        yield FAMILIES[letter], [path_of(decl) for decl in members]


def _guide() -> Iterator[Group]:
    for area in AREAS:
        yield area.answer, [f"guide/{key}.md" for key in area.leaves]


NESTED = {"decisions/": T("Decisions", "决策记录")}
"""Folders that stand among other pages."""

GROUPED: dict[str, Callable[[], Iterator[Group]]] = {"rules/": _rules, "api/": _operations, "guide/": _guide}
"""Folders with many pages, and what makes their groups."""
