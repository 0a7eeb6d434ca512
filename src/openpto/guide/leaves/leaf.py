"""One leaf of the guide: a situation that an author may be in, and the way out of it."""

from __future__ import annotations

from dataclasses import dataclass

from openpto.diagnostics import T


@dataclass(frozen=True, slots=True)
class Leaf:
    """One page of the guide.

    key        stable name, lower case words joined by hyphens
    title      the headline
    situation  one sentence: when an author is here
    symptoms   what is seen or said in that situation, in both languages; `pypto explain` searches them
    body       the page in Markdown; its code blocks run as tests
    see        codes of the rules that belong to it
    """

    key: str
    title: T
    situation: T
    symptoms: tuple[str, ...]
    body: T
    see: tuple[str, ...] = ()
