"""The pages that `pypto explain` can answer with, and the index of their words and phrases.

A page is a rule or a leaf of the guide. It is found by its codes, by familiar phrases of messages, and by words; words
of a title or of a symptom weigh more than those of an explanation.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Literal

from openpto.diagnostics import RULES, Rule, T
from openpto.guide.clues import WRAPPERS
from openpto.guide.leaves import LEAVES, Leaf
from openpto.guide.symptoms import MESSAGES, SYMPTOMS
from openpto.guide.words import GENERIC, tokens

Kind = Literal["rule", "leaf"]

TITLE, SYMPTOM, PHRASE, MESSAGE, HELP, PROSE, BODY, PROGRAM = 3.0, 3.0, 2.0, 2.0, 1.0, 0.8, 0.4, 0.5
"""Weights of a word by the part of the page that has it."""

_FIELD = re.compile(r"\{[A-Za-z_0-9!]*\}")
_CODE_BLOCK = re.compile(r"(?s)```.*?```")


@dataclass(frozen=True, slots=True)
class Page:
    """One page that may answer.

    key        code of the rule or key of the leaf
    title      the headline
    sayings    short texts, each of which alone describes the trouble: titles, symptoms, messages without their fields
    """

    key: str
    kind: Kind
    title: T
    sayings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Phrase:
    """Familiar words of a message, fields as ``{}``: the longest fixed part, and the pages that they lead to."""

    text: str
    anchor: str
    pages: frozenset[str]

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Where a text has the phrase, with anything of up to 80 characters in its fields."""
        pattern = ".{0,80}?".join(map(re.escape, _FIELD.split(self.text)))
        word = r"(?<![A-Za-z0-9_])" if self.text[0].isalnum() else ""
        return (match.span() for match in re.finditer(word + pattern, text, re.IGNORECASE))


@dataclass(frozen=True, slots=True)
class Saying:
    """A saying of a page: its tokens, and how much they tell together."""

    page: str
    tokens: frozenset[str]
    weight: float


@dataclass(slots=True)
class Index:
    """Pages, the weight of each token in each, how rare a token is, and the phrases."""

    pages: dict[str, Page] = field(default_factory=dict)
    weights: dict[str, dict[str, float]] = field(default_factory=dict)  # token -> page -> weight below 1
    sayings: dict[str, list[Saying]] = field(default_factory=dict)  # by each of their tokens
    rarity: dict[str, float] = field(default_factory=dict)
    phrases: list[Phrase] = field(default_factory=list)

    def rare(self, token: str) -> float:
        """How much a token tells; one that no page has counts as an ordinary word that is missed."""
        return self.rarity.get(token, _UNKNOWN) * (PAIR if token[0] > "\u33ff" else 1.0)


PAIR = 0.7
"""What a pair of Chinese characters counts: a word has several, and pairs over the ends of words mean nothing."""
_UNKNOWN, _COMMON = 3.0, 0.6
"""Of a token that no page has; the part that is left of one that any log has."""


@cache
def index() -> Index:
    """The index of all rules and leaves, made at the first question."""
    made = Index()
    sources = list(_pages())
    counts = {page.key: _count(parts) for page, parts, _ in sources}
    frequency = Counter(token for count in counts.values() for token in count)
    made.pages = {page.key: page for page, _, _ in sources}
    made.rarity = {
        token: math.log(1 + len(counts) / (number + 0.5)) * (_COMMON if token in GENERIC else 1.0)
        for token, number in frequency.items()
    }
    for key, count in counts.items():
        length = 0.7 + 0.3 * sum(count.values()) / 150
        for token, weight in count.items():
            made.weights.setdefault(token, {})[key] = weight / (weight + 2.0 * length)
    for page in made.pages.values():
        for text in page.sayings:
            words = _words(text)
            saying = Saying(page.key, words, sum(map(made.rare, words)))
            for token in words:
                made.sayings.setdefault(token, []).append(saying)
    _words.cache_clear()
    made.phrases = _phrases((page, familiar) for page, _, familiar in sources)
    return made


def _phrases(sources: Iterable[tuple[Page, list[str]]]) -> list[Phrase]:
    """The familiar phrases with the pages that share them; a leaf has none that are words of a rule."""
    found: dict[str, set[str]] = {}
    fixed: list[str] = []  # longest fixed parts of the phrases of rules
    for page, familiar in sources:
        for phrase in familiar:
            text = _FIELD.sub("{}", phrase).strip("{} ")
            if page.kind == "rule":
                if phrase not in WRAPPERS:
                    found.setdefault(text, set()).add(page.key)
                    fixed.append(_longest(text).strip())
            elif not any(part in text.lower() or text.lower() in part for part in fixed):
                found.setdefault(text, set()).add(page.key)
    return [Phrase(text, _longest(text), frozenset(keys)) for text, keys in found.items()]


def _longest(phrase: str) -> str:
    """The longest part of a phrase without a field, in lower case."""
    return max(_FIELD.split(phrase), key=len).lower()


@cache
def _words(text: str) -> frozenset[str]:
    """The tokens of a text, each once; texts of a page are asked for as parts and as sayings."""
    return frozenset(tokens(text))


def _pages() -> Iterator[tuple[Page, list[tuple[str, float]], list[str]]]:
    """Every page with its parts, each with a weight, and its familiar phrases."""
    for rule in RULES.values():
        yield _rule(rule)
    for leaf in LEAVES.values():
        yield _leaf(leaf)


def _rule(rule: Rule) -> tuple[Page, list[tuple[str, float]], list[str]]:
    symptoms = SYMPTOMS.get(rule.code, ())
    said = (*rule.phrases, *rule.words, *MESSAGES.get(rule.code, ()))
    familiar = [phrase for phrase in said if len(_FIELD.sub("", phrase).strip()) >= 8]
    messages = [_FIELD.sub(" ", text) for text in (rule.message.en, rule.message.zh)]
    titles = (rule.title.en, rule.title.zh, rule.name.replace("-", " "))
    parts = [
        *((text, TITLE) for text in titles),
        *((text, SYMPTOM) for text in symptoms),
        *((_FIELD.sub(" ", text), PHRASE) for text in familiar),
        *((text, MESSAGE) for text in messages),
        *((_FIELD.sub(" ", text), HELP) for text in (rule.help.en, rule.help.zh)),
        *((text, PROSE) for text in (rule.explanation.en, rule.explanation.zh)),
        (_identifiers(rule.bad), PROGRAM),
    ]
    sayings = (*titles, *symptoms, *(_FIELD.sub(" ", text) for text in familiar), *messages)
    return Page(rule.code, "rule", rule.title, sayings), parts, familiar


def _leaf(leaf: Leaf) -> tuple[Page, list[tuple[str, float]], list[str]]:
    titles = (leaf.title.en, leaf.title.zh, leaf.key.replace("-", " "))
    situations = (leaf.situation.en, leaf.situation.zh)
    symptoms = (*leaf.symptoms, *SYMPTOMS.get(leaf.key, ()))
    bodies = (_CODE_BLOCK.sub(" ", text) for text in (leaf.body.en, leaf.body.zh))
    parts = [
        *((text, TITLE) for text in (*titles, *situations)),
        *((text, SYMPTOM) for text in symptoms),
        *((text, BODY) for text in bodies),
    ]
    familiar = [*filter(_is_message, leaf.symptoms), *MESSAGES.get(leaf.key, ())]
    return Page(leaf.key, "leaf", leaf.title, (*titles, *situations, *symptoms)), parts, familiar


def _is_message(symptom: str) -> bool:
    """Whether a symptom is words of a message rather than a complaint: it has a mark that prose does not have."""
    return len(symptom) >= 8 and bool(re.search(r"[_\[\]=:/().]|[A-Z]{2,}|[a-z][A-Z]", symptom)) and symptom.isascii()


def _identifiers(program: str) -> str:
    """Names that a program uses after a point, and words of control flow."""
    return " ".join(re.findall(r"(?<=\.)[a-z_]\w+|\b(?:while|with|try|return|break|continue|lambda|range)\b", program))


def _count(parts: list[tuple[str, float]]) -> Counter[str]:
    """The weight of each token over the parts; within one part a token counts once."""
    count: Counter[str] = Counter()
    for text, weight in parts:
        for token in _words(text):
            count[token] += weight  # type: ignore[assignment]
    return count
