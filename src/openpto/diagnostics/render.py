"""The one renderer: a rule, a place and the particulars become the text of an exception or a warning.

Layout (columns are terminal cells, the ornament is plain ASCII)::

    error[PTO301]: tile shape not set                                    (F21004)
      --> softmax.py:18:14
       |
    18 |     out[:] = pypto.exp(x - m)
       |              ^^^^^^^^^^^^^^^^ exp works on a 2-D tile, and no vector tile is in force here
       = called from attention.py:41 in attention_kernel, in loop LOOP_S (s_idx = 3)
       = help: call pypto.set_vec_tile_shapes(<rows>, <cols>) before this line
       = explain: pypto explain PTO301

User text (source lines, names, values) is printed as it is, never read as markup; control characters are escaped.
Words of the vendor's messages (`Rule.phrases`) are kept in English and are never broken by a line end.
"""

from __future__ import annotations

import itertools
import re
import string
from collections.abc import Mapping, Sequence
from typing import Any

from openpto.diagnostics.context import current_target
from openpto.diagnostics.language import Language, T, current_language
from openpto.diagnostics.registry import Rule, Severity
from openpto.diagnostics.source import Excerpt, cell_width, display_path, excerpt, is_plain, printable
from openpto.diagnostics.span import LoopFrame, Site, Span
from openpto.diagnostics.vendor import in_order_of

WIDTH = 80
"""Own prose is wrapped to this many cells. Source lines and paths are not wrapped."""

CARET_LINE_WIDTH = 100
"""A message that stands behind its carets may reach this far; a longer one goes below them and is wrapped."""

ALIAS_COLUMN = 77
"""Cell where the list of vendor codes in the headline ends."""

_CODE = re.compile(
    r"pypto\.set_\w+_tile_shapes\((?:[^()]|\([^()]*\)){,60}\)"
    r"|[\w.]*\w\((?:[^()（）]|\([^()]*\)){,44}\)(?:\.\w+\([^()]*\))?|\([^() ]+ [-+*/]+ [^() ]+\)(?:\.\w+\([^()]*\))?"
    r"|[\w.]*\[(?:[^\[\]]|\[[^\[\]]*\]){1,44}\]"
)
"""Code to copy, a shape: it stays on one line where it is not too long for one."""

_CLOSING, _OPENING = frozenset("，。；：、）」』！？"), frozenset("（「『")
"""Wide punctuation that does not begin a line, and that does not end one."""

_GLUE = "\N{NO-BREAK SPACE}"
"""Stands for a blank inside a phrase while lines are broken."""

_WORDS: dict[Language, dict[str, str]] = {
    "en": {
        "called": "called from {place}",
        "inside": " in {name}",
        "again": ", {count} times",
        "loop": "in loop {loop}",
        "kernel": "in {name}",
        "join": ", ",
        "help": "help: {text}",
        "explain": "explain: pypto explain {code}",
        "says": " (in the words of the toolchain: {phrase})",
    },
    "zh": {
        "called": "调用自 {place}",
        "inside": "（{name} 内）",
        "again": "，共 {count} 次",
        "loop": "位于循环 {loop}",
        "kernel": "位于 {name}",
        "join": "，",
        "help": "建议：{text}",
        "explain": "说明：pypto explain {code}",
        "says": "（原文：{phrase}）",
    },
}


def render(
    rule: Rule,
    site: Site,
    fields: Mapping[str, Any],
    *,
    severity: Severity | None = None,
    language: Language | None = None,
    line: str | None = None,
) -> str:
    """The full text of a diagnostic, without a trailing line end; each of the texts in a field ``notes`` is a note.

    line    the source line of the place, where Python may know another text of the file
    """
    tongue = language or current_language()
    words = _WORDS[tongue]
    title = rule.title.in_language(tongue)
    fields = _readable(fields, site)
    message = fill(rule.message.in_language(tongue), fields, tongue)
    phrases = [fill(phrase, fields, "en") for phrase in rule.phrases]
    help_text = fill(rule.help.in_language(tongue), fields, tongue)
    seen = f"{title}\n{message}\n{help_text}"
    unsaid = [phrase for phrase in phrases if phrase not in seen]
    if unsaid:
        message += words["says"].format(phrase="; ".join(unsaid))
    source = excerpt(site.span, line) if site.span is not None else None
    margin = len(str(site.span.line)) if site.span is not None and source is not None else 2
    lines = [_headline(rule, severity or rule.severity, title)]
    lines += _place_lines(site.span, source, margin)
    lines += _message_lines(source, margin, message, phrases)
    for note in [
        *_trail_notes(site, words),
        *(printable(str(note)) for note in fields.get("notes", ())),
        words["help"].format(text=help_text),
        words["explain"].format(code=rule.code),
    ]:
        lines += wrapped(f"{' ' * margin} = ", " " * (margin + 3), note, phrases + _CODE.findall(note))
    return "\n".join(lines)


_EXTENT = re.compile(r"RUNTIME_GetInputShapeDim\(ARG_(\w+),(\d+)\)")
"""How symbols print the extent of a parameter's axis."""


def _readable(fields: Mapping[str, Any], site: Site) -> Mapping[str, Any]:
    """Fields with extents and loop indices as the author writes them: `x.shape[0]`, `i`."""
    indices = {f"loop_idx_{frame.name[5:]}": frame.index_name for frame in site.loops if frame.name.startswith("loop_")}

    def read(text: str) -> str:
        text = _EXTENT.sub(r"\1.shape[\2]", text) if "RUNTIME_" in text else text
        for index, name in indices.items() if "loop_idx_" in text else ():
            text = re.sub(rf"\b{re.escape(index)}\b", name, text)
        return text

    def shown(value: Any) -> Any:
        if isinstance(value, T):
            return T(read(value.en), read(value.zh))
        return read(value) if isinstance(value, str) else value

    return {name: shown(value) for name, value in fields.items()}


def one_line(rule: Rule, fields: Mapping[str, Any], *, language: Language | None = None) -> str:
    """Code and message in one line, for lists of warnings."""
    tongue = language or current_language()
    return f"{rule.code}: {fill(rule.message.in_language(tongue), fields, tongue)}"


def fill(text: str, fields: Mapping[str, Any], language: Language | None = None) -> str:
    """The text with its fields filled in. What a field prints is escaped, a text in two languages gives the one that is
    asked for, and a field without value shows its name."""
    return _FORMATTERS[language or current_language()].vformat(text, (), fields)


class _Formatter(string.Formatter):
    """`str.format` by name only, for texts of ours that carry text of the user."""

    def __init__(self, language: Language) -> None:
        self.language: Language = language

    def get_field(self, field_name: str, args: Any, kwargs: Any) -> Any:
        try:
            return super().get_field(field_name, args, kwargs)
        except (KeyError, AttributeError, IndexError):
            return f"<{field_name}>", field_name

    def format_field(self, value: Any, format_spec: str) -> str:
        if isinstance(value, T):
            return printable(value.in_language(self.language))
        try:
            return printable(str(super().format_field(value, format_spec)))
        except (TypeError, ValueError):  # a placeholder under a numeric format
            return printable(str(value))


_FORMATTERS: dict[Language, _Formatter] = {"en": _Formatter("en"), "zh": _Formatter("zh")}


def _headline(rule: Rule, severity: Severity, title: str) -> str:
    # The bracketed head stays English in every language: scripts look for "error[PTO301]".
    head = f"{severity}[{rule.code}]: {title}"
    if not rule.aliases:
        return head
    aliases = f"({', '.join(in_order_of(current_target(), rule.aliases))})"
    gap = max(ALIAS_COLUMN - cell_width(head) - cell_width(aliases), 2)
    return head + " " * gap + aliases


def _place_lines(span: Span | None, source: Excerpt | None, margin: int) -> list[str]:
    if span is None:
        return []
    column = f":{span.col + 1}" if span.has_columns else ""
    lines = [f"{' ' * margin}--> {display_path(span.file)}:{span.line}{column}"]
    if source is not None:
        lines += [f"{' ' * margin} |", f"{span.line} | {source.text}"]
    return lines


def _message_lines(source: Excerpt | None, margin: int, message: str, phrases: list[str]) -> list[str]:
    """The message behind the carets if it fits there, else below them."""
    if source is None:
        return wrapped(f"{' ' * margin} = ", " " * (margin + 3), message, phrases)
    phrases = phrases + _CODE.findall(message)
    bar = f"{' ' * margin} | "
    carets = bar + " " * source.start + "^" * source.length
    if cell_width(carets) + 1 + cell_width(message) <= CARET_LINE_WIDTH:
        return [f"{carets} {message}"]
    return [carets, *wrapped(bar, bar, message, phrases)]


def _trail_notes(site: Site, words: Mapping[str, str]) -> list[str]:
    """One note per helper call, innermost first, those of a recursion together; the enclosing loops stand on the last
    one."""
    loops = [words["loop"].format(loop=_loop_text(frame)) for frame in site.loops]
    callers = [name for name, _ in site.chain[1:]] + [site.kernel]
    calls = [
        words["called"].format(place=f"{display_path(span.file)}:{span.line}")
        + (words["inside"].format(name=printable(caller)) if caller else "")
        for (_, span), caller in zip(site.chain, callers, strict=False)
    ]
    runs = [(note, len(list(run))) for note, run in itertools.groupby(calls)]
    notes = [note + (words["again"].format(count=count) if count > 1 else "") for note, count in runs]
    if not loops:
        return notes
    if not notes:
        return [words["join"].join(loops)]
    return [*notes[:-1], words["join"].join([notes[-1], *loops])]


def _loop_text(frame: LoopFrame) -> str:
    value = "" if frame.value is None else f" = {frame.value}"
    return f"{printable(frame.name)} ({printable(frame.index_name)}{value})"


def wrapped(first: str, rest: str, text: str, phrases: Sequence[str] = ()) -> list[str]:
    """Break text into lines of WIDTH cells, never inside a phrase and never inside a word.

    `first` stands before the first line and `rest` before the others.
    """
    for phrase in sorted(phrases, key=len, reverse=True):
        text = text.replace(phrase, phrase.replace(" ", _GLUE))
    lines: list[str] = []
    for paragraph in text.split("\n"):
        line = first if not lines else rest
        empty = True
        for word in _breakable(paragraph):
            if not empty and cell_width(line) + cell_width(word.rstrip()) > WIDTH:
                lines.append(line.rstrip())
                line = rest
                word = word.lstrip()
            line += word
            empty = False
        lines.append(line.rstrip())
    return [line.replace(_GLUE, " ") for line in lines]


def _breakable(text: str) -> list[str]:
    """Pieces between which a line may end: words with their blank, and single wide characters.

    Closing punctuation stays with what it closes and opening punctuation with what it opens."""
    if is_plain(text):
        first, *rest = text.split(" ")
        return [piece for piece in (first, *(f" {word}" for word in rest)) if piece]
    pieces = [""]
    for character in text:
        last = pieces[-1][-1:]
        wide = cell_width(character) == 2
        closes = character in _CLOSING
        follows = last in _OPENING or (closes if wide else last != "" and cell_width(last) == 1 and character != " ")
        if follows:
            pieces[-1] += character
        else:
            pieces.append(character)
    return [piece for piece in pieces if piece]
