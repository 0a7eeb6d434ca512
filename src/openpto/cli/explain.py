"""`pypto explain`: the one page that answers a code, a pasted log or a symptom in words, and the near ones."""

from __future__ import annotations

import json
import sys
import textwrap
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from openpto.cli import guide
from openpto.diagnostics import RULES, Rule, T, current_language, fail, said
from openpto.diagnostics.pages import Part, heading_line, parts
from openpto.diagnostics.render import wrapped
from openpto.diagnostics.source import cell_width
from openpto.guide.leaves import LEAVES, leaves_of
from openpto.guide.search import Answer, Hit, of_lines, search

_HEADINGS = {
    "heading": T("{heading}: ", "{heading}："),
    "none": T("nothing is known that answers {query}", "没有找到与 {query} 相符的说明"),
    "text": T("this text", "这段文字"),
    "nothing": T("there is nothing to explain: the text is empty", "没有需要解释的内容：文本为空"),
    "guide": T("`pypto guide` leads from what you see to a page", "`pypto guide` 可以由现象逐步找到说明"),
    "leaves": T("more in the guide: {leaves}", "指南中的说明：{leaves}"),
    "near": T("near ones:", "相近的："),
    "code": T("near ones: {near}", "相近的：{near}"),
    "several": T("{query} stands for several rules; the first is met most:", "{query} 对应多条规则，第一条最常见："),
    "line": T("line {number} of {total}: ", "第 {number} 行（共 {total} 行）："),
}
_WIDTH = 100


def run(what: Sequence[str], as_json: bool) -> bool:
    """Carry out the command; False if nothing answers.

    Args:
        what: a code, words, a file, or "-" for what comes on stdin.
        as_json: print an object instead of a page.

    A name that looks like a file and is none stops with PTO595.
    """
    query, answer = _asked(what)
    found = answer.best is not None
    if as_json:
        sys.stdout.write(json.dumps(_object(query, answer), indent=2, ensure_ascii=False) + "\n")
    else:
        print(_report(query, answer), end="", file=sys.stdout if found else sys.stderr)
    return found


def page(query: str) -> tuple[str, bool]:
    """What the command prints for a code or words, and whether there is a page.

    >>> page("PTO301")[1]
    True
    """
    answer = search(query)
    return _report(query, answer), answer.best is not None


def _asked(what: Sequence[str]) -> tuple[str, Answer]:
    """The question in a few words, and its answer. One that comes from a file or stdin has no words."""
    query = " ".join(what).strip()
    if query == "-" or not what:
        return "", of_lines(_stdin())
    if len(what) == 1 and _names_a_file(query):
        path = Path(query)
        if not path.is_file():
            fail("PTO595", file=query)
        with path.open("rb") as stream:
            return "", of_lines(stream)
    return query, search(query)


def _stdin() -> Iterable[bytes]:
    return getattr(sys.stdin, "buffer", None) or (line.encode() for line in sys.stdin)


def _names_a_file(text: str) -> bool:
    """Whether an argument is a file, or looks so much like one that its absence is a mistake."""
    if "\n" in text or len(text) > 255:
        return False
    return Path(text).is_file() or (" " not in text and text.endswith((".log", ".txt", ".out", ".err")))


def _report(query: str, answer: Answer) -> str:
    """The page, with what led to it before it and the near ones behind."""
    if answer.best is None:
        return _nothing(query, answer)
    blocks = []
    if len(answer.stands_for) > 1:
        lines = [_say("several", query=answer.code), *(f"  {code}  {_title(code)}" for code in answer.stands_for)]
        blocks.append("\n".join(lines))
    elif answer.total > 1 and answer.best.line is not None:
        blocks.append(_evidence(answer.best, answer.total))
    blocks.append(_text_of(answer.best.key))
    if answer.near and len(answer.stands_for) <= 1:
        width = max(len(hit.key) for hit in answer.near)
        blocks.append("\n".join([_say("near"), *(f"  {hit.key:<{width}}  {_title(hit.key)}" for hit in answer.near)]))
    return "\n\n".join(blocks) + "\n"


def _nothing(query: str, answer: Answer) -> str:
    if not query and not answer.total:
        return _say("nothing") + "\n"
    shown = query if query and "\n" not in query and len(query) <= 60 else _say("text")
    lines = [_say("none", query=shown)]
    if answer.near:
        lines.append(_say("code", near=", ".join(hit.key for hit in answer.near)))
    return "\n".join([*lines, _say("guide")]) + "\n"


def _evidence(hit: Hit, total: int) -> str:
    """The line of the text that speaks for the page, cut to the width of a page."""
    assert hit.line is not None
    text = _say("line", number=str(hit.line.number), total=str(total)) + " ".join(hit.line.text.split())
    if cell_width(text) <= _WIDTH:
        return text
    while cell_width(text) > _WIDTH - 3:
        text = text[:-1]
    return f"{text.rstrip()}..."


def _text_of(key: str) -> str:
    return _page(RULES[key]) if key in RULES else guide.markdown(LEAVES[key]).rstrip("\n")


def _title(key: str) -> str:
    return _text(RULES[key].title if key in RULES else LEAVES[key].title)


def _object(query: str, answer: Answer) -> dict[str, Any]:
    """The answer as JSON; `page` is null if there is none, `evidence` if no line of a text led to it."""
    best = answer.best
    line = best.line if best is not None else None
    return {
        "query": query or None,
        "lines": answer.total,
        "page": None if best is None else _page_object(best.key),
        "evidence": None if line is None else {"line": line.number, "text": line.text.strip()},
        "stands_for": list(answer.stands_for),
        "near": [{"key": hit.key, "kind": _kind(hit.key), "title": _title(hit.key)} for hit in answer.near],
    }


def _page_object(key: str) -> dict[str, Any]:
    shared = {"key": key, "kind": _kind(key), "title": _title(key)}
    if key in RULES:
        rule = RULES[key]
        return {**shared, "name": rule.name, "cause": _text(rule.explanation), "fix": _text(rule.help)}
    leaf = LEAVES[key]
    return {**shared, "name": key, "cause": _text(leaf.situation), "fix": _text(leaf.body)}


def _kind(key: str) -> str:
    return "rule" if key in RULES else "leaf"


def _page(rule: Rule) -> str:
    language = current_language()
    shown = [_shown(part) for part in parts(rule, language)]
    if leaves := leaves_of(rule.code):
        shown.append(_say("leaves", leaves=", ".join(f"pypto guide {leaf.key}" for leaf in leaves[:2])))
    return "\n\n".join([f"{heading_line(rule, language)}  [{rule.name}]", *shown])


def _shown(part: Part) -> str:
    """A part with its heading before it: lists and prose on its line, reports and programs below."""
    heading = _say("heading", heading=part.heading) if part.heading else ""
    if part.kind in ("report", "program"):
        return f"{heading.rstrip()}\n{textwrap.indent(part.text, '    ')}"
    return "\n".join(wrapped(heading, "", "; ".join(part.text.split("\n"))))


def _text(text: T) -> str:
    return text.in_language(current_language())


def _say(name: str, /, **fields: str) -> str:
    return said(_HEADINGS[name], **fields)
