"""Pages of codes."""

import pytest

from openpto.cli.explain import page
from openpto.diagnostics import RULES, set_language


@pytest.mark.parametrize("code", list(RULES))
def test_every_code_has_a_page(code):
    text, found = page(code.lower())
    assert found
    assert text.startswith(f"{code}: {RULES[code].title.en}")
    assert "what to do" in text


def test_a_vendor_code_lists_what_it_stands_for():
    text, found = page("F21004")
    assert found
    assert "PTO301  tile shape not set" in text


def test_an_unknown_code_names_near_ones():
    text, found = page("PTO39")
    assert not found
    assert "near ones: PTO" in text


def test_pages_come_in_chinese():
    set_language("zh")
    try:
        assert "如何处理" in page("PTO301")[0]
    finally:
        set_language(None)
