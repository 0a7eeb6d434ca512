"""Pages of codes."""

import pytest

from openpto.cli.explain import page
from openpto.diagnostics import RULES, pages, set_language
from openpto.diagnostics.source import cell_width


@pytest.mark.parametrize("code", list(RULES))
def test_every_code_has_a_page(code):
    text, found = page(code.lower())
    assert found
    assert text.startswith(f"{code}: {RULES[code].title.en}")
    assert "= help: " in text
    lines = {line.removeprefix("    ") for line in text.split("\n")}
    assert set(pages.template(RULES[code], "en").split("\n")) <= lines


def test_a_vendor_code_lists_what_it_stands_for():
    text, found = page("F21004")
    assert found
    assert "PTO301  tile shape not set" in text


def test_an_unknown_code_names_near_ones():
    text, found = page("PTO39")
    assert not found
    assert "near ones: PTO" in text


@pytest.mark.parametrize(
    "words",
    [
        "tile-shape-not-set",
        "no vector tile is in force",
        "op [ADDS]tile shape not set, func GetVecTile",
    ],
)
def test_words_of_a_message_find_the_rule(words):
    text, found = page(words)
    assert found
    assert "PTO301" in text


def test_a_message_with_its_values_finds_the_rule():
    text, found = page("Tile shape size 1 is not matched the output shape size 2")
    assert found
    assert text.startswith("PTO303: ")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_prose_of_pages_fits_the_terminal(language):
    set_language(language)
    try:
        for code in RULES:
            prose = page(code)[0].split("\n\n")[1]
            assert max(map(cell_width, prose.split("\n"))) <= 80, prose
    finally:
        set_language(None)


def test_pages_come_in_chinese():
    set_language("zh")
    try:
        assert "= 建议：" in page("PTO301")[0]
    finally:
        set_language(None)
