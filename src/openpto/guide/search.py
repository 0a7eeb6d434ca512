"""From a code, a pasted log or a symptom in words to the one page that answers it best.

Three kinds of evidence are added up. A code names its page; one that stands for several rules divides its weight among
them. A phrase of a message is evidence by its length, divided by the pages that share it. Words count by how rare they
are and by the part of a page that has them; a line that is as a whole like a symptom counts most. What weighs how much
in a log is said in openpto.guide.logs.
"""

from __future__ import annotations

import bisect
import difflib
import math
import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from openpto.diagnostics import RULES
from openpto.guide.clues import CLUES, FOLLOWS, SELDOM, TYPICAL, WRAPPED
from openpto.guide.codes import codes_in, rules_of, stage_of
from openpto.guide.index import Index, Phrase, index
from openpto.guide.leaves import LEAVES
from openpto.guide.logs import ERROR, PLAIN, WARNING, Digest, Line, digest, read, words_of
from openpto.guide.words import GENERIC, tokens

ENOUGH, ENOUGH_IN_LOG = 1.0, 3.3
"""The score from which a page answers; in a log, whose lines speak of many things, words alone need more."""
_NEAR = 5
"""So many other pages are named."""
WORDS, SAYING = 3.0, 4.0
PART = 0.9
"""What a sentence of a line weighs beside a whole line."""
OFTEN, RARELY = 1.1, 0.85
RULE_FIRST = 0.9
"""The part of a leaf's score with which a rule that it leads to goes first."""
MESSAGE, CAUSE = 6, 2.5
"""Lines that belong to one message, and how much more the first one in a log weighs."""
_TEXT_LINES = 60
"""So many lines of a log are compared word by word."""


_SENTENCE = re.compile(r"[.!?;]\s+|[。！？；]")

_LIKE_A_CODE = re.compile(r"(?:PTO|F|OL)[0-9A-F]{1,6}")
"""A code that is cut off or does not exist."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A page that may answer: its key, its score, and the line that speaks for it most."""

    key: str
    score: float
    line: Line | None = None


@dataclass(slots=True)
class Answer:
    """The best page, if one is good enough, and the near ones."""

    best: Hit | None
    near: list[Hit] = field(default_factory=list)
    code: str = ""
    """The code that was asked for, if the question was one."""
    stands_for: tuple[str, ...] = ()
    """The rules that the code stands for."""
    total: int = 0
    """The number of lines of the text."""


def search(text: str) -> Answer:
    """The answer to a code or a text.

    >>> search("tile shape not set").best.key
    'PTO301'
    """
    code = text.strip().upper()
    if codes_in(code) == [code] or _LIKE_A_CODE.fullmatch(code):
        return of_code(code)
    named = [rule.code for rule in RULES.values() if rule.name == text.strip().lower()]
    if named or text.strip().lower() in LEAVES:
        return Answer(Hit((*named, text.strip().lower())[0], math.inf))
    return of_digest(digest(text.splitlines()))


def of_lines(lines: Iterable[bytes]) -> Answer:
    """The answer to a text that comes in lines of bytes, such as a file that is open for reading."""
    return of_digest(read(lines))


def of_code(code: str) -> Answer:
    """The answer to a code alone."""
    rules = rules_of(code)
    if rules:
        return Answer(Hit(rules[0], math.inf), [Hit(rule, 0) for rule in rules[1:]], code, rules)
    if page := stage_of(code):
        return Answer(Hit(page, math.inf), [], code)
    known = [*RULES, *dict.fromkeys(alias for rule in RULES.values() for alias in rule.aliases)]
    return Answer(None, [Hit(near, 0) for near in difflib.get_close_matches(code, known, n=3, cutoff=0.6)], code)


def of_digest(text: Digest) -> Answer:
    """The answer to the lines that count in a text. A text that is a code and nothing else asks for the code."""
    if len(text.lines) == 1 and codes_in(code := text.lines[0].text.strip().upper()) == [code]:
        return of_code(code)
    found = _Evidence(index(), text)
    found.codes()
    found.phrases()
    found.said_first()
    found.words()
    found.clues()
    ranked = found.ranked()
    enough = ENOUGH_IN_LOG if text.is_log and not found.said else ENOUGH
    if not ranked or ranked[0].score < enough:
        return Answer(None, [hit for hit in ranked[:3] if hit.score > 0.6 * enough], total=text.total)
    near = [hit for hit in ranked[1 : _NEAR + 1] if hit.score > 0.3 * ranked[0].score]
    return Answer(ranked[0], near, total=text.total)


class _Evidence:
    """Scores of pages, by kind of evidence; of several lines that speak for a page in one way the strongest counts."""

    def __init__(self, known: Index, text: Digest) -> None:
        self.known = known
        self.text = text
        self.sure: dict[str, dict[str, float]] = defaultdict(dict)  # kind -> page -> score
        self.line: dict[str, tuple[float, Line]] = {}
        self.said: list[tuple[str, str, float, Line]] = []

    def add(self, kind: str, page: str, score: float, line: Line) -> None:
        """Count a score for a page unless another line gave it more."""
        if page not in self.known.pages:
            return
        scores = self.sure[kind]
        scores[page] = max(scores.get(page, 0.0), score)
        if score > self.line.get(page, (0.0, line))[0]:
            self.line[page] = score, line

    def codes(self) -> None:
        """Codes in the lines."""
        for line in self.text.lines:
            for code in codes_in(line.text):
                own = code.startswith("PTO")
                rules = rules_of(code)
                pages = rules or tuple(filter(None, [stage_of(code)]))
                for place, page in enumerate(pages):
                    score = (6.0 if own else 3.0 if rules else 2.5) / math.sqrt(len(pages))
                    self.said.append(("code", page, score * (1.0 if place == 0 else 0.9), line))

    def phrases(self) -> None:
        """Phrases of messages. All lines are searched at once; a match is given back to its line."""
        starts, joined = [], 0
        for line in self.text.lines:
            starts.append(joined)
            joined += len(line.text) + 1
        whole = "\n".join(line.text for line in self.text.lines)
        lower = whole.lower()
        if len(lower) != len(whole):  # a character whose small form is longer; places would not fit
            whole = lower
        found = [
            (span, phrase) for phrase in self.known.phrases if phrase.anchor in lower for span in phrase.spans(whole)
        ]
        for (start, end), phrase in _outermost(found):
            line = self.text.lines[bisect.bisect_right(starts, start) - 1]
            strength = math.log2(2 + end - start) / len(phrase.pages) ** 0.5
            for page in phrase.pages:
                self.said.append(("phrase", page, strength, line))

    def said_first(self) -> None:
        """Count codes and phrases. What is said first in a log is the cause; what comes later may follow from it."""
        first: int | None = None
        for _, page, _, line in sorted(self.said, key=lambda event: event[3].number):
            if first is None and page not in FOLLOWS and line.weight > WARNING:
                first = line.number
        for kind, page, strength, line in self.said:
            causes = first is not None and first <= line.number <= first + MESSAGE
            self.add(kind, page, line.weight * strength * (CAUSE if causes else 1.0), line)

    def words(self) -> None:
        """Words of the lines, alone and as whole sayings."""
        lines = [line for line in self.text.lines if line.weight >= PLAIN]
        lines = sorted(lines, key=lambda line: (-line.weight, line.number))[:_TEXT_LINES]
        bags = [(line, set(tokens(words_of(line.text)))) for line in lines]
        together: dict[str, float] = {}
        for line, bag in bags:
            for token in bag:
                together[token] = max(together.get(token, 0.0), line.weight)
        if not self._about_kernels(together):
            return
        self._bag(together)
        for line, bag in bags:
            self._sayings(line, bag)
            parts = _SENTENCE.split(words_of(line.text))
            if 1 < len(parts) <= 8:
                for part in parts:
                    self._sayings(line, set(tokens(part)), PART)
        if 1 < len(bags) <= 6:
            self._sayings(max(lines, key=lambda line: line.weight), set().union(*(bag for _, bag in bags)))

    def _about_kernels(self, bag: dict[str, float]) -> bool:
        """Whether enough of the words belong to the subject of the pages, and not to any log or talk."""
        rare = self.known.rare
        telling = sum(rare(token) for token in bag if token in self.known.rarity and token not in GENERIC)
        return telling > 0.2 * sum(map(rare, bag))

    def _bag(self, bag: dict[str, float]) -> None:
        rare = self.known.rare
        total = sum(weight * rare(token) for token, weight in bag.items())
        scores: dict[str, float] = defaultdict(float)
        for token, weight in bag.items():
            for page, inside in self.known.weights.get(token, {}).items():
                scores[page] += weight * rare(token) * inside
        strongest = max(self.text.lines, key=lambda line: line.weight, default=None)
        proved = {page for token in bag if token not in GENERIC for page in self.known.weights.get(token, ())}
        for page, score in scores.items():
            if strongest is not None and page in proved:
                self.add("words", page, WORDS * score / total, strongest)

    def _sayings(self, line: Line, bag: set[str], share: float = 1.0) -> None:
        if len(bag) < 2:
            return
        rare = self.known.rare
        mine = sum(map(rare, bag))
        for saying in {saying for token in bag for saying in self.known.sayings.get(token, ())}:
            common = saying.tokens & bag
            if len(common) < 2 or common <= GENERIC:
                continue
            shared = sum(map(rare, common))
            of_line, of_saying = shared / mine, shared / saying.weight
            alike = share * of_line * of_saying * min(1.0, shared / 8)
            self.add("saying", saying.page, SAYING * alike * math.sqrt(min(line.weight, ERROR)), line)

    def clues(self) -> None:
        """Of pages that share a code or phrase, those that the rest of the text speaks for."""
        candidates = {page for kind in ("code", "phrase") for page in self.sure[kind]}
        whole = "\n".join(line.text for line in self.text.lines)
        for page in candidates:
            if page in CLUES and re.search(CLUES[page], whole, re.IGNORECASE):
                self.sure["clue"][page] = 0.4 * sum(self.sure[kind].get(page, 0.0) for kind in ("code", "phrase"))
        wrapped = self.sure["phrase"].get("error-codes", 0.0)
        for page in WRAPPED if wrapped else ():
            if re.search(CLUES[page], whole, re.IGNORECASE):
                self.sure["clue"][page] = max(self.sure["clue"].get(page, 0.0), 0.6 * wrapped)

    def ranked(self) -> list[Hit]:
        """All pages with evidence, the best first."""
        totals: dict[str, float] = defaultdict(float)
        for scores in self.sure.values():
            for page, score in scores.items():
                totals[page] += score
        for page in totals:
            totals[page] *= OFTEN if page in TYPICAL else RARELY if page.startswith(SELDOM) else 1.0
        strongest = max(totals.values(), default=0.0)
        for page in FOLLOWS & totals.keys():  # says that something failed, not what
            if any(score > 0.35 * strongest for other, score in totals.items() if other not in FOLLOWS):
                totals[page] *= 0.5
        hits = [Hit(page, score, self._line(page)) for page, score in totals.items()]
        return _rule_before_leaf(sorted(hits, key=lambda hit: (-hit.score, hit.key)))

    def _line(self, page: str) -> Line | None:
        return self.line[page][1] if page in self.line else None


def _rule_before_leaf(hits: list[Hit]) -> list[Hit]:
    """The hits, with a rule before the leaf that leads to it if both fit: the rule is the shorter answer."""
    if not hits or hits[0].key not in LEAVES:
        return hits
    for hit in hits[1:_NEAR]:
        if hit.key in LEAVES[hits[0].key].see and hit.score >= RULE_FIRST * hits[0].score:
            return [hit, *(other for other in hits if other is not hit)]
    return hits


def _outermost(found: list[tuple[tuple[int, int], Phrase]]) -> list[tuple[tuple[int, int], Phrase]]:
    """Matches without those that lie inside of a longer one: a longer phrase says more."""
    kept: list[tuple[tuple[int, int], Phrase]] = []
    reach = (-1, -1)
    for span, phrase in sorted(found, key=lambda match: (match[0][0], -match[0][1])):
        if span[1] > reach[1] or span == reach:
            kept.append((span, phrase))
            reach = span
    return kept
