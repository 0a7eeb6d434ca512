"""`pypto explain`: the pages of codes in plain text, found by code, vendor code or words of a message."""

from __future__ import annotations

import difflib
import textwrap

from openpto.diagnostics import RULES, Rule, T, current_language
from openpto.diagnostics.pages import Part, find, heading_line, parts
from openpto.diagnostics.render import wrapped

_HEADINGS = {
    "heading": T("{heading}: ", "{heading}："),
    "none": T("no rule is known as {query}", "没有名为 {query} 的规则"),
    "near": T("near ones: {near}", "相近的：{near}"),
    "several": T("{query} stands for several rules:", "{query} 对应多条规则："),
}


def page(query: str) -> tuple[str, bool]:
    """The page of a code of ours, or of the rules that a vendor code or words stand for; and whether there is one.

    >>> page("PTO301")[1]
    True
    """
    found = find(query)
    if len(found) == 1:
        return _page(found[0]), True
    if found:
        lines = [_say("several", query=query.strip()), *(f"  {rule.code}  {_text(rule.title)}" for rule in found)]
        return "\n".join(lines) + "\n", True
    known = [*RULES, *(alias for rule in RULES.values() for alias in rule.aliases)]
    near = difflib.get_close_matches(query.strip().upper(), dict.fromkeys(known), n=3, cutoff=0.6)
    lines = [_say("none", query=query)] + ([_say("near", near=", ".join(near))] if near else [])
    return "\n".join(lines) + "\n", False


def _page(rule: Rule) -> str:
    language = current_language()
    shown = [_shown(part) for part in parts(rule, language)]
    return "\n\n".join([f"{heading_line(rule, language)}  [{rule.name}]", *shown]) + "\n"


def _shown(part: Part) -> str:
    """A part with its heading before it: lists and prose on its line, reports and programs below."""
    heading = _say("heading", heading=part.heading) if part.heading else ""
    if part.kind in ("report", "program"):
        return f"{heading.rstrip()}\n{textwrap.indent(part.text, '    ')}"
    return "\n".join(wrapped(heading, "", "; ".join(part.text.split("\n"))))


def _text(text: T) -> str:
    return text.in_language(current_language())


def _say(key: str, **fields: str) -> str:
    return _text(_HEADINGS[key]).format(**fields)
