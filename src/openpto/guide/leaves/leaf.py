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

    A body is plain Markdown: paragraphs, lists, tables, headings from the second level on, fenced code; no HTML. Links
    lead to ``rule:PTO301`` (the page of a rule), ``guide:tile-rank`` (another leaf) or a web address.

    Blocks of code mean, by their language:

    python   a module that runs as it stands. ``# file: softmax.py`` on the first line names it for later blocks. A line
             that ends with ``# stops: PTO301`` (``# warns: PTO621``) says what the block is told, and nothing else is
    sh       commands of this project, `pypto ...` or `python FILE`, with variables before them; they run, too
    text     after one of these: what it prints, then its warnings and its error; a line ``...`` stands for any lines
    console  commands for a machine with a device; they are only read
    """

    key: str
    title: T
    situation: T
    symptoms: tuple[str, ...]
    body: T
    see: tuple[str, ...] = ()
