"""docs/rules says what the rules say, in both languages, and what is written there is text and not markup."""

from __future__ import annotations

import re

import pytest

import rule_pages
from openpto.diagnostics import RULES
from openpto.diagnostics.markdown import escaped


def test_pages_are_current() -> None:
    assert rule_pages.stale() == [], "run `make docs-tables`"


def test_every_rule_has_a_page_in_both_languages_and_a_group() -> None:
    pages = rule_pages.pages()
    assert set(pages) == {f"{folder}{name}.md" for folder in ("", "zh/") for name in ("index", *RULES)}
    for folder in ("", "zh/"):
        index = pages[f"{folder}index.md"]
        assert [code for code in RULES if f"| [{code}]({code}.md) |" not in index] == []


def test_links_lead_to_pages() -> None:
    pages = rule_pages.pages()
    for name, text in pages.items():
        folder = name.rpartition("/")[0]
        prose = re.sub(r"(?s)```.*?```|`[^`\n]*`", "", text)
        for target in re.findall(r"(?<!\\)\]\(([^)]*)\)", prose):
            parts = [*([folder] if folder else []), *target.split("/")]
            while ".." in parts:
                at = parts.index("..")
                del parts[at - 1 : at + 1]
            assert "/".join(parts) in pages, (name, target)


@pytest.mark.parametrize(
    ("text", "shown"),
    [("*args and a_b", r"\*args and a\_b"), ("write `o[:] = *x`", "write `o[:] = *x`"), ("a ` b", r"a \` b")],
)
def test_prose_has_no_markup_but_code(text: str, shown: str) -> None:
    assert escaped(text) == shown
