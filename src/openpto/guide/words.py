"""Words of a text as the search compares them: stemmed English, pairs of Chinese characters, and concepts of both.

No dictionary of a language is used: endings are cut by rule, Chinese runs are cut into pairs, and openpto.guide.lexicon
says which words of the two languages mean one thing here.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from openpto.guide.lexicon import ANYWHERE, CONCEPTS, FILLERS, FORMS, FORMS_OF_CODE, STOP

_RUN = re.compile(r"[a-z_][a-z0-9_]*|[0-9]+(?:-?d\b)?|[\u3400-\u9fff]+")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z][a-z])")
_NUMBERS = frozenset({"0", "16", "32", "32768", "65535"})
"""Numbers that mean something without their text; all others are left out."""
_FORMS_OF_CODE = tuple((name, re.compile(pattern)) for name, pattern in FORMS_OF_CODE)
_SHORT = 500
"""Longer texts are prose; ways to write code in them tell nothing."""
_CODE_MARK = re.compile(r"[=>\[(/]| - |\d{5}|\.T\b|\de|tol\b|\bif\b|用")
_FILLERS = re.compile("|".join(sorted(map(re.escape, FILLERS), key=len, reverse=True)))


def normal(text: str) -> str:
    """Text in lower case, full-width forms made plain.

    >>> normal("ＴＩＬＥ（16）")
    'tile(16)'
    """
    return unicodedata.normalize("NFKC", text).lower()


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """An English word without its ending; forms that no rule reaches are in the lexicon.

    >>> [stem(word) for word in ("shapes", "writing", "written", "aligned", "copies")]
    ['shap', 'writ', 'writ', 'align', 'copy']
    """
    word = FORMS.get(word, word)
    if len(word) > 4 and word.endswith(("ies", "ied")):
        return word[:-3] + "y"
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-2] if word.endswith(("xes", "ches", "shes", "sses")) else word[:-1]
    for ending, least in (("ing", 6), ("ed", 5), ("ly", 6)):
        if word.endswith(ending) and len(word) >= least:
            word = word[: -len(ending)]
            if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "lsz":
                word = word[:-1]
            break
    return word[:-1] if len(word) > 4 and word.endswith("e") else word


def _tables() -> tuple[dict[str, tuple[str, ...]], dict[str, tuple[str, ...]]]:
    """Concepts by stemmed English phrase, and by Chinese wording."""
    english: dict[str, tuple[str, ...]] = {}
    chinese: dict[str, tuple[str, ...]] = {}
    for name, (here, there) in CONCEPTS.items():
        for table, wordings, form in ((english, here, _stemmed), (chinese, there, str)):
            for wording in map(form, wordings):
                table[wording] = (*table.get(wording, ()), f"={name}")
    return english, chinese


def _stemmed(phrase: str) -> str:
    return " ".join(stem(part) for part in re.split(r"[\s_-]+", phrase))


_ENGLISH, _CHINESE = _tables()
_STOP = frozenset(map(stem, STOP))
GENERIC = frozenset(word if word.startswith("=") else stem(word) for word in ANYWHERE)
"""Tokens that any program's log has: they help to tell pages apart and prove nothing alone."""
_WORDS_FROM: dict[str, int] = {}  # by first word, the number of words of the longest phrase
for _phrase in _ENGLISH:
    _first = _phrase.partition(" ")[0]
    _WORDS_FROM[_first] = max(_WORDS_FROM.get(_first, 0), _phrase.count(" ") + 1)
_RUNS_FROM: dict[str, list[str]] = {}  # by first character
for _wording in _CHINESE:
    _RUNS_FROM.setdefault(_wording[0], []).append(_wording)


def tokens(text: str) -> list[str]:
    """The tokens of a text, repeated ones included. Concepts begin with ``=``.

    >>> tokens("tile too large"), tokens("tile 太大")
    (['tile', 'larg', '=tile', '=large', '=large'], ['太大', '=large', 'tile', '=tile'])
    """
    found: list[str] = []
    english: list[str] = []
    for run in _RUN.findall(normal(_CAMEL.sub(" ", text))):
        if run[0] > "\u33ff":
            found += _chinese(run)
        elif run[0].isdigit():
            found += [run.replace("-", "")] if run[-1] == "d" or run in _NUMBERS else []
            english.append(run.replace("-", ""))
        else:
            english += _english(run, found)
    found += filter(_tells, english)
    found += _concepts(english)
    if len(text) < _SHORT and _CODE_MARK.search(text):
        found += [name for name, pattern in _FORMS_OF_CODE if pattern.search(text)]
    return found


def _tells(word: str) -> bool:
    """Whether a word counts: no number, no filler, no name of one letter but K, which is the axis of a matmul."""
    return word not in _STOP and not word[0].isdigit() and (len(word) > 1 or word == "k")


def _english(run: str, found: list[str]) -> Iterator[str]:
    """The words of an identifier; one of several words counts as a whole, too."""
    parts = [part for part in run.split("_") if part]
    if len(parts) > 1:
        found.append(run)
    for part in parts:
        yield stem(part)


def _concepts(words: list[str]) -> Iterator[str]:
    for start, word in enumerate(words):
        for length in range(1, _WORDS_FROM.get(word, 0) + 1):
            yield from _ENGLISH.get(" ".join(words[start : start + length]), ())


def _chinese(run: str) -> list[str]:
    """Pairs of characters between fillers, and concepts anywhere in the run."""
    found = []
    for piece in _FILLERS.split(run):
        found += [piece[at : at + 2] for at in range(len(piece) - 1)]
    for start, character in enumerate(run):
        for wording in _RUNS_FROM.get(character, ()):
            if run.startswith(wording, start):
                found += _CHINESE[wording]
    return found
