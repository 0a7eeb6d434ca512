"""The tutorial on a whole operator: its programs run and print what it shows, and both languages have the same ones."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

import guide_blocks
from openpto.diagnostics.language import Language

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGES: dict[Language, Path] = {"en": DOCS / "tutorial-operator.md", "zh": DOCS / "zh" / "tutorial-operator.md"}
_BEGINNINGS = r"sh\n(?:pytest|pypto verify|pypto shrink)|python\n# file: (?:steps|scorer)"
SLOW = re.compile(rf"^```(?:{_BEGINNINGS}).*?^```$", re.M | re.S)
"""What takes seconds and says in Chinese what it says in English."""
STEPS = 15


def body(language: Language) -> str:
    return PAGES[language].read_text(encoding="utf-8")


def run(text: str, language: Language) -> int:
    count = 0
    for step in guide_blocks.run_body(text, language):
        assert step.told.codes == step.block.promised or step.block.language != "python", step.told.shown
        assert step.agrees, step.told.shown
        count += 1
    return count


@pytest.mark.torch
@pytest.mark.skipif(sys.version_info < (3, 11), reason="older interpreters point at the statement")
def test_programs_do_what_the_page_says() -> None:
    pytest.importorskip("torch")
    assert run(body("en"), "en") == STEPS


@pytest.mark.skipif(sys.version_info < (3, 11), reason="older interpreters point at the statement")
def test_programs_do_what_the_translation_says() -> None:
    text = SLOW.sub("```console\n```", body("zh"))  # what they print stays, after a block that is only read
    assert run(text, "zh") == STEPS - 5


def test_both_languages_have_the_same_steps() -> None:
    found = [re.findall(r"^```(?:python|sh|json)\n.*?^```$", body(language), re.M | re.S) for language in PAGES]
    assert found[0] == found[1]
    headings = [re.findall(r"^#+ ", body(language), re.M) for language in PAGES]
    assert headings[0] == headings[1]


def test_no_block_is_taken_for_prose() -> None:
    for language in PAGES:
        assert {block.language for block in guide_blocks.blocks(body(language))} == {"python", "sh", "text", "json"}
