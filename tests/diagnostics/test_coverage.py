"""What the toolchains and their guides say, and what answers it here: codes, phrases, rows of the debugging tables."""

from __future__ import annotations

import functools
import re

import pytest
import vendor_phrases
import vendor_phrases_of_calls
from example_runs import execute
from leaf_tables import rows
from vendor_codes import codes

from openpto.diagnostics import RULES, PyptoError, Rule, render

CODES = codes()
PHRASES = [
    phrase
    for module in (vendor_phrases, vendor_phrases_of_calls)
    for table in vars(module).values()
    if isinstance(table, list)
    for phrase in table
]
SAID = [phrase for phrase in PHRASES if phrase.code]


@functools.cache
def reported(source: str) -> tuple[tuple[str, str], ...]:
    """Code and text of everything that a module is told, each text in one line without its ornament."""
    outcome = execute(source)
    told = [*outcome.warnings, *([outcome.error] if isinstance(outcome.error, PyptoError) else [])]
    if outcome.error is not None and not isinstance(outcome.error, PyptoError):
        raise outcome.error
    return tuple((one.code, one_line(render(one.rule, one.site, one.fields, language="en"))) for one in told)


def one_line(text: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"(?m)^ *[|=] ", "", text))


FIELD = re.compile(r"\{[A-Za-z_0-9]+\}")


def says(rule: Rule, words: str) -> bool:
    """Whether a rule has the words in its texts or a phrase, or a phrase with its fields filled in lies in them."""
    lower = words.lower()
    texts = [text for both in (rule.title, rule.message) for text in (both.en, both.zh)]
    if any(lower in text.lower() for text in (*texts, *rule.words, *map(shown, rule.phrases))):
        return True
    if any(said.lower() in lower for said in rule.words):
        return True
    return any(pattern(phrase).search(words) for phrase in rule.phrases if len(FIELD.sub("", phrase)) >= 12)


def shown(phrase: str) -> str:
    """Fields as the page of a rule has them: <rank> for {rank}."""
    return FIELD.sub(lambda match: f"<{match[0][1:-1]}>", phrase)


def pattern(phrase: str) -> re.Pattern[str]:
    return re.compile(".+?".join(map(re.escape, FIELD.split(phrase))), re.IGNORECASE)


def words_of(phrase: str) -> str:
    return re.sub(r"\s+", " ", phrase)


@pytest.mark.parametrize("code", CODES)
def test_every_code_has_rules_or_a_reason(code):
    rules, reason = CODES[code]
    assert bool(rules) != bool(reason)
    for ours in rules:
        assert code in RULES[ours].aliases, f"{ours} does not know {code}"


def test_every_alias_is_a_known_code():
    aliases = {alias for rule in RULES.values() for alias in rule.aliases}
    assert {alias for alias in aliases if not alias.startswith("OL")} - set(CODES) == set()  # OL: tests/lint lists them


@pytest.mark.parametrize("phrase", SAID, ids=lambda phrase: f"{phrase.code}: {phrase.words}")
def test_every_phrase_is_said_or_answered(phrase):
    rule = RULES[phrase.code]
    source = phrase.source or rule.bad
    if not source:  # a rule without an example: tests name the code, see test_rules.py
        assert rule.untestable
        assert not phrase.said
        return
    texts = [text for code, text in reported(source) if code == phrase.code]
    assert texts, f"{reported(source)}\n{source}"
    if phrase.said:
        assert any(words_of(phrase.words) in text for text in texts), texts


def test_phrases_without_a_rule_have_a_reason():
    assert [phrase.words for phrase in PHRASES if not phrase.code and not phrase.reason] == []
    assert len(SAID) > 5 * sum(bool(phrase.reason) for phrase in PHRASES)


@pytest.mark.parametrize("phrase", [phrase for phrase in SAID if phrase.said], ids=lambda phrase: phrase.words)
def test_a_rule_says_its_phrases(phrase):
    assert len(phrase.words) >= 4
    assert says(RULES[phrase.code], phrase.words)


@pytest.mark.parametrize(("table", "symptom", "rules", "truth"), rows(), ids=lambda value: str(value)[:60])
def test_every_row_is_answered(table, symptom, rules, truth):
    assert symptom
    assert bool(rules) != bool(truth)
    for code in rules:
        assert code in RULES


def test_words_of_rules_are_words_of_the_toolchains():
    known = {(phrase.code, phrase.words) for phrase in SAID if phrase.said}
    assert {(rule.code, words) for rule in RULES.values() for words in rule.words} - known == set()
