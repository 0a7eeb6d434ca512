"""Pasted errors and symptoms in both languages lead to the right page.

The items of files that begin with `held_out` were written before the search and its words; no word was added to pages,
symptoms or the lexicon because of them. The items of files that begin with `tuning` are what the search was made with.
"""

from __future__ import annotations

from functools import cache

import pytest
from corpus_files import Item, items

from openpto.diagnostics import RULES
from openpto.guide.leaves import LEAVES
from openpto.guide.search import search

REQUIRED = 0.95
"""The part of the texts whose best page must be an accepted one."""
HELD_OUT = 0.9
"""The same of those that nothing was tuned with."""


@cache
def best_page(text: str) -> str:
    best = search(text).best
    return best.key if best else "none"


def missed(corpus: list[Item]) -> list[str]:
    """Items whose best page is not accepted, each as a line to read."""
    found = []
    for item in corpus:
        key = best_page(item.text)
        if key not in item.accepted:
            found.append(f"{item.file}:{item.line}: {key}, not {' or '.join(item.accepted)}: {item.text[:70]!r}")
    return found


@pytest.mark.parametrize(
    ("pattern", "required"), [("*.txt", REQUIRED), ("held_out*.txt", HELD_OUT), ("*chinese.txt", REQUIRED)]
)
def test_best_pages(pattern, required):
    corpus = items(pattern)
    wrong = missed(corpus)
    print(*wrong, sep="\n")
    assert len(wrong) <= (1 - required) * len(corpus), f"{len(wrong)} of {len(corpus)}"


def test_the_corpus_is_in_order():
    corpus = items()
    assert len(corpus) >= 220
    assert len(items("held_out*.txt")) >= 80
    assert len({item.text for item in corpus}) == len(corpus)
    for item in corpus:
        assert 1 <= len(item.accepted) <= 2, item
        assert set(item.accepted) <= {*RULES, *LEAVES, "none"}, item
