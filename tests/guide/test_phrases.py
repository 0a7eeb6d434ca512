"""Every phrase of the toolchains that a rule says or answers leads to that rule, or to one that shares the phrase."""

from __future__ import annotations

import pytest
import vendor_phrases
import vendor_phrases_of_calls

from openpto.guide.search import search

PHRASES = [
    phrase
    for table in (
        vendor_phrases.USER,
        vendor_phrases.GRAPHS,
        vendor_phrases.ENTRY,
        vendor_phrases.PARSER,
        vendor_phrases_of_calls.TENSORS,
        vendor_phrases_of_calls.OPTIONS,
        vendor_phrases_of_calls.OPERATIONS,
    )
    for phrase in table
    if phrase.code
]
OTHER_RULE = {
    "Run pass failed": "it says that something failed, and is the wrapper of three mistakes",
    "return is not supported in pypto.loop": "the rule of jumps in a loop says it",
    "Function should not be called directly": "the rule of loops outside of a for says it",
    "FwkOp tile shape's last dim is not aligned": "the rule of ranks has the same words before",
    "Not concrete value": "many rules say it; which one is told by the rest of a text",
}


@pytest.mark.parametrize("phrase", PHRASES, ids=lambda phrase: f"{phrase.code}-{phrase.words[:30]}")
def test_phrases_lead_to_their_rules(phrase):
    answer = search(phrase.words)
    assert answer.best is not None
    if phrase.words not in OTHER_RULE:
        assert phrase.code in [answer.best.key, *(hit.key for hit in answer.near)]
