"""Codes, ours and the toolchains', each have a page."""

from __future__ import annotations

import pytest
import vendor_codes

from openpto.diagnostics import RULES
from openpto.guide.clues import CLUES, FOLLOWS, TYPICAL
from openpto.guide.codes import FIRST, STAGES, codes_in, rules_of
from openpto.guide.leaves import LEAVES
from openpto.guide.search import search
from openpto.guide.symptoms import SYMPTOMS

PAGES = {*RULES, *LEAVES}


@pytest.mark.parametrize("code", list(RULES))
def test_our_codes_are_their_own_pages(code):
    answer = search(code.lower())
    assert answer.best is not None
    assert answer.best.key == code
    assert answer.near == []


@pytest.mark.parametrize(("code", "rules"), [(code, rules) for code, (rules, _) in vendor_codes.codes().items()])
def test_codes_of_the_toolchains_have_one_page(code, rules):
    answer = search(code)
    assert answer.best is not None
    assert answer.best.key in PAGES
    if rules and code not in ("FFFFFF", "F0FFFF"):
        assert set(answer.stands_for) >= set(rules)
        assert answer.best.key == answer.stands_for[0]
        assert [hit.key for hit in answer.near] == list(answer.stands_for[1:])


def test_tables_name_pages_and_rules_that_carry_the_codes():
    assert all(code in RULES[rule].aliases for code, rule in FIRST.items())
    assert set(STAGES.values()) <= PAGES
    assert set(CLUES) <= set(RULES)
    assert set(TYPICAL) <= PAGES
    assert FOLLOWS <= PAGES
    assert set(SYMPTOMS) <= PAGES


def test_every_code_of_several_rules_has_a_first_one():
    several = {alias for rule in RULES.values() for alias in rule.aliases if len(rules_of(alias)) > 1}
    undecided = sorted(code for code in several if code not in FIRST)
    assert undecided == []


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("Errcode: F21004!", ["F21004"]),
        ("ErrCode: FC0000! Enum", ["FC0000"]),
        ("errcode 0xF63001,", ["F63001"]),
        ("error[PTO301]: x", ["PTO301"]),
        ("error code is 507015.", ["507015"]),
        ("0x3FFFF UNKNOWN", []),
        ("sha F12345678 and REF21004", []),
        ("error code: 40005", ["F40005"]),
    ],
)
def test_codes_in_a_text(text, codes):
    assert codes_in(text) == codes


@pytest.mark.parametrize("query", ["PTO39", "F2100", "PTO999"])
def test_unknown_codes_have_no_page(query):
    assert search(query).best is None


@pytest.mark.parametrize(
    ("text", "page"),
    [
        ("F00002 Not concrete value\n    pypto.set_vec_tile_shapes(x.shape[0], 8)", "PTO286"),
        ("F00002 Not concrete value\n    m = max(a, b)", "PTO663"),
        ("F00002 Not concrete value\n    if pypto.is_loop_begin(i):", "PTO661"),
        ("F21004 view: shape and offsets have 2 and 4 entries", "PTO236"),
        ("F40005 L0A is too small for the cube tile", "PTO324"),
        ("F40005 MEM_UB", "PTO304"),
        ("launch aicpu failed: 107003, stitch_function_max_num=128", "PTO620"),
    ],
)
def test_the_text_beside_a_code_of_several_rules_decides(text, page):
    answer = search(text)
    assert answer.best is not None
    assert answer.best.key == page
