"""Leaves are in order: whole in both languages, reached by exactly one answer, and their links lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import leaf_tables
import pytest

import guide_blocks
from openpto.diagnostics import RULES, T
from openpto.diagnostics.language import LANGUAGES
from openpto.guide.leaves import LEAVES
from openpto.guide.leaves.pages import parse
from openpto.guide.leaves.tree import AREAS

LINK = re.compile(r"\[[^\]]+\]\((\w+):([^)]+)\)")
CODE = re.compile(r"\bPTO\d{3}\b")
CHINESE = re.compile("[\u4e00-\u9fff]")
each_leaf = pytest.mark.parametrize("key", list(LEAVES))


def prose(body: str) -> str:
    return re.sub(r"^```.*?^```$", "", body, flags=re.M | re.S)


def test_every_page_is_a_leaf_and_every_leaf_has_one_answer():
    for language in LANGUAGES:
        assert sorted(path.stem for path in (guide_blocks.PAGES / language).glob("*.md")) == sorted(LEAVES)
    keys = [key for area in AREAS for key in area.leaves]
    assert keys == list(LEAVES)
    assert all(re.fullmatch("[a-z0-9]+(-[a-z0-9]+)*", key) for key in keys)


@each_leaf
def test_languages_have_one_structure(key):
    both = LEAVES[key].body.en, LEAVES[key].body.zh
    for pattern in (r"^#+ ", r"^\|", r"^- ", r"^\d+\. ", r"^```.*"):
        en, zh = (re.findall(pattern, body, re.M) for body in both)
        assert en == zh, pattern
    en, zh = ([b.text for b in guide_blocks.blocks(body) if b.language != "text"] for body in both)
    assert en == zh
    assert set(LINK.findall(both[0])) == set(LINK.findall(both[1]))
    assert set(CODE.findall(prose(both[0]))) == set(CODE.findall(prose(both[1])))


@each_leaf
def test_each_language_is_written_in_itself(key):
    leaf = LEAVES[key]
    for text in (leaf.title, leaf.situation, T(prose(leaf.body.en), prose(leaf.body.zh))):
        assert not CHINESE.search(text.en)
        assert CHINESE.search(text.zh)
    for paragraph in prose(leaf.body.zh).split("\n\n"):
        assert CHINESE.search(paragraph) or not paragraph.strip(), paragraph
    assert any(map(CHINESE.search, leaf.symptoms))


@each_leaf
def test_links_and_codes_lead_somewhere(key):
    leaf = LEAVES[key]
    assert set(leaf.see) <= set(RULES)
    assert len(set(leaf.see)) == len(leaf.see)
    for body in (leaf.body.en, leaf.body.zh):
        assert set(CODE.findall(body)) <= set(RULES)
        for kind, target in LINK.findall(prose(body)):
            known = {"rule": RULES, "guide": LEAVES, "https": {target}}
            assert target in known[kind], f"{kind}:{target}"
            assert target != key


@each_leaf
def test_bodies_are_plain_markdown(key):
    for body in (LEAVES[key].body.en, LEAVES[key].body.zh):
        text = prose(body)
        assert not re.search(r"^# ", text, re.M)
        assert not re.search(r"</?[a-z]+>", re.sub(r"`[^`]*`", "", text))
        assert {b.language for b in guide_blocks.blocks(body)} <= {"python", "sh", "text", "console"}
        assert body.count("\n```") % 2 == 0
        assert body.endswith("\n")
        assert max(len(line) for line in text.split("\n") if not line.startswith("|")) <= 132


def test_every_known_symptom_of_a_rule_has_a_leaf():
    seen = {code for leaf in LEAVES.values() for code in leaf.see}
    left = [(table, symptom) for table, symptom, rules, _ in leaf_tables.rows() if rules and not seen & set(rules)]
    assert left == []


def test_a_page_needs_its_head():
    good = "---\ntitle: A\nsituation: B\nsee:\nsymptoms:\n- c\n---\n\nbody\n"
    assert parse(good).see == ()
    for bad in (good[4:], good.replace("title: A\n", ""), good.replace("- c\n", "")):
        with pytest.raises(ValueError, match="head"):
            parse(bad, "page")


def test_pages_are_in_the_wheel():
    """The build takes whole packages, so that files beside the modules belong to it."""
    text = (Path(__file__).resolve().parents[2] / "pyproject.toml").read_text(encoding="utf-8")
    assert '"src/openpto"' in text
    assert (guide_blocks.PAGES.parent / "__init__.py").exists()
