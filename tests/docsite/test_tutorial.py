"""The tutorial: its programs run, print what it shows, and are the same in both languages."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

import guide_blocks
from openpto.diagnostics.language import Language

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGES: dict[Language, Path] = {"en": DOCS / "tutorial.md", "zh": DOCS / "zh" / "tutorial.md"}


def body(language: Language) -> str:
    return PAGES[language].read_text(encoding="utf-8")


@pytest.mark.skipif(sys.version_info < (3, 11), reason="older interpreters point at the statement")
@pytest.mark.parametrize("language", PAGES)
def test_programs_do_what_the_page_says(language: Language) -> None:
    steps = list(guide_blocks.run_body(body(language), language))
    assert len(steps) == 9
    for step in steps:
        assert step.told.codes == step.block.promised, step.told.shown
        assert step.agrees, step.told.shown


def test_both_languages_have_the_same_steps() -> None:
    found = [re.findall(r"^```(?:python|sh|console)\n.*?^```$", body(language), re.M | re.S) for language in PAGES]
    assert found[0] == found[1]
    headings = [re.findall(r"^#+ ", body(language), re.M) for language in PAGES]
    assert headings[0] == headings[1]


def test_no_block_is_taken_for_prose() -> None:
    for language in PAGES:
        assert {block.language for block in guide_blocks.blocks(body(language))} == {"python", "sh", "text", "console"}
