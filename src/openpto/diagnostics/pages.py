"""What the page of a rule says, in parts: `pypto explain` prints them, tools/rule_pages.py makes docs/rules of them."""

from __future__ import annotations

import re
from typing import Literal

from openpto._records import dataclass
from openpto.diagnostics.language import Language, T
from openpto.diagnostics.registry import Rule
from openpto.diagnostics.render import render
from openpto.diagnostics.span import NOWHERE

Kind = Literal["prose", "report", "program", "list"]


@dataclass(frozen=True, slots=True)
class Part:
    """One paragraph, text block or list of a page. The first part of a page has no heading."""

    heading: str
    text: str
    kind: Kind = "prose"


_HEADINGS = {
    "message": T("what is reported", "报告内容"),
    "class": T("in Python", "在 Python 中"),
    "vendor": T("known to the toolchains as", "工具链中的编号"),
    "phrases": T("usual words", "常见措辞"),
    "bad": T("stops", "会停止"),
    "noted": T("is warned about", "会得到警告"),
    "good": T("runs", "可以运行"),
    "untestable": T("why there is no example", "示例"),
}

_CLASS = {
    "error": T("{exc}, and pypto.PyptoError", "{exc}，同时也是 pypto.PyptoError"),
    "warning": T(
        "a warning (openpto.diagnostics.PyptoWarning); the kernel runs",
        "警告 (openpto.diagnostics.PyptoWarning)；kernel 照常运行",
    ),
    "lint": T("reported by pypto lint, which reads files and runs nothing", "由只读文件、不运行的 pypto lint 报告"),
    "portability": T(
        "a warning; {exc} once the target is {profiles}: openpto.configure(target=...), PYPTO_TARGET",
        "警告；目标为 {profiles} 时是 {exc}：openpto.configure(target=...)，PYPTO_TARGET",
    ),
}


def heading_line(rule: Rule, language: Language) -> str:
    """Code and title, the headline of a page."""
    return f"{rule.code}: {rule.title.in_language(language)}"


def parts(rule: Rule, language: Language) -> list[Part]:
    """The parts of a rule's page, in the order in which they are read."""

    def heading(key: str) -> str:
        return _HEADINGS[key].in_language(language)

    made = [
        Part("", rule.explanation.in_language(language)),
        Part(heading("message"), template(rule, language), "report"),
        Part(heading("class"), _class_text(rule, language)),
    ]
    if rule.aliases:
        made.append(Part(heading("vendor"), ", ".join(rule.aliases), "list"))
    usual = [shown for shown in (*map(_shown, rule.phrases), *rule.words) if re.sub("<[A-Za-z_0-9]+>", "", shown)]
    if usual:
        made.append(Part(heading("phrases"), "\n".join(usual), "list"))
    if rule.untestable:
        reason = T(rule.untestable, "此规则取决于运行环境，没有可以直接运行的示例")
        return [*made, Part(heading("untestable"), reason.in_language(language))]
    bad = heading("bad" if rule.severity == "error" else "noted")
    return [
        *made,
        Part(bad, rule.bad.strip("\n"), "program"),
        Part(heading("good"), rule.good.strip("\n"), "program"),
    ]


def template(rule: Rule, language: Language) -> str:
    """The diagnostic without a place, <fields> unfilled; the line that names `pypto explain` is left out."""
    return render(rule, NOWHERE, {}, language=language).rpartition("\n")[0]


_FIELD = re.compile(r"\{[A-Za-z_0-9]+\}")


def _class_text(rule: Rule, language: Language) -> str:
    kind: str = "portability" if rule.severity == "warning" and rule.profiles else rule.severity
    if rule.found_by == "lint":
        kind = "lint"
    text = _CLASS[kind].in_language(language)
    return text.format(exc=rule.exc.__name__, profiles=", ".join(rule.profiles))


def _shown(phrase: str) -> str:
    """Fields as a reader sees them: <rank> for {rank}."""
    return _FIELD.sub(lambda match: f"<{match[0][1:-1]}>", phrase)
