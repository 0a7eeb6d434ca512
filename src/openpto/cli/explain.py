"""Pages of codes for `pypto explain`: what a rule means, in plain text."""

from __future__ import annotations

import difflib
import textwrap

from openpto.diagnostics import RULES, Rule, T, current_language

WIDTH = 80

_HEADINGS = {
    "vendor": T("known to the toolchains as", "工具链中的编号"),
    "phrases": T("usual words", "常见措辞"),
    "fix": T("what to do", "如何处理"),
    "bad": T("stops", "会停止"),
    "good": T("runs", "可以运行"),
    "none": T("no rule is known as {query}", "没有名为 {query} 的规则"),
    "near": T("near ones: {near}", "相近的：{near}"),
    "several": T("{query} stands for several rules:", "{query} 对应多条规则："),
}


def page(query: str) -> tuple[str, bool]:
    """The page of a code of ours, or of the rules that a vendor code stands for; and whether there is one.

    >>> page("PTO301")[1]
    True
    """
    wanted = query.strip().upper()
    if wanted in RULES:
        return _page(RULES[wanted]), True
    found = [rule for rule in RULES.values() if wanted in (alias.upper() for alias in rule.aliases)]
    if len(found) == 1:
        return _page(found[0]), True
    if found:
        lines = [_say("several", query=wanted), *(f"  {rule.code}  {_text(rule.title)}" for rule in found)]
        return "\n".join(lines) + "\n", True
    known = [*RULES, *(alias for rule in RULES.values() for alias in rule.aliases)]
    near = difflib.get_close_matches(wanted, dict.fromkeys(known), n=3, cutoff=0.6)
    lines = [_say("none", query=query)] + ([_say("near", near=", ".join(near))] if near else [])
    return "\n".join(lines) + "\n", False


def _page(rule: Rule) -> str:
    parts = [f"{rule.code}: {_text(rule.title)}  [{rule.name}]", _wrapped(_text(rule.explanation))]
    parts.append(f"{_say('fix')}: {_wrapped(_shown(_text(rule.help)), first=len(_say('fix')) + 2)}")
    if rule.aliases:
        parts.append(f"{_say('vendor')}: {', '.join(rule.aliases)}")
    if rule.phrases:
        parts.append(f"{_say('phrases')}: {'; '.join(_shown(p) for p in rule.phrases)}")
    for kind in ("bad", "good"):
        source = getattr(rule, kind).strip("\n")
        if source:
            parts.append(f"{_say(kind)}:\n{textwrap.indent(source, '    ')}")
    return "\n\n".join(parts) + "\n"


def _text(text: T) -> str:
    return text.in_language(current_language())


def _say(key: str, **fields: str) -> str:
    return _text(_HEADINGS[key]).format(**fields)


def _shown(text: str) -> str:
    """Fields of a message as a reader sees them: <rank> for {rank}."""
    return (
        text.replace("{{", "\0")
        .replace("}}", "\1")
        .replace("{", "<")
        .replace("}", ">")
        .replace("\0", "{")
        .replace("\1", "}")
    )


def _wrapped(text: str, first: int = 0) -> str:
    return textwrap.fill(text, WIDTH, initial_indent=" " * first).lstrip()
