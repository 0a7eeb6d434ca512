"""What the doctor found: sections of facts and findings, as text and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from openpto.diagnostics.language import Language, T
from openpto.diagnostics.render import wrapped
from openpto.diagnostics.source import cell_width

Level = Literal["problem", "warning", "note"]

_WORDS = {
    "problem": T("problem", "问题"),
    "warning": T("warning", "警告"),
    "note": T("note", "提示"),
    "do": T("do: ", "处理："),
    "explain": T("explain: pypto explain {code}", "说明：pypto explain {code}"),
    "well": T("all well: kernels run here", "一切正常：可以运行 kernel"),
    "warned": T("kernels run here; {warnings} warning(s) above", "可以运行 kernel；上面有 {warnings} 条警告"),
    "ill": T(
        "{problems} problem(s) keep kernels from running, {warnings} warning(s)",
        "{problems} 个问题使 kernel 无法运行，{warnings} 条警告",
    ),
}


_NOTHING = T("", "")


@dataclass(frozen=True, slots=True)
class Finding:
    """Something to know about this machine.

    level    problem: kernels do not run, or not as asked; warning: they run, but something is not as it should be;
             note: worth knowing
    name     stable name for programs
    message  what was found
    cure     what to do; empty for notes that ask for nothing
    rule     the code of the diagnostic that a run gives for it, if one does
    """

    level: Level
    name: str
    message: T
    cure: T = _NOTHING
    rule: str = ""


@dataclass(frozen=True, slots=True)
class Fact:
    """One line of a section: a name for programs, what it is called, and its value."""

    name: str
    label: T
    value: T


@dataclass(slots=True)
class Section:
    """What was found about one subject."""

    name: str
    title: T
    facts: list[Fact] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)

    def fact(self, name: str, label: T | str, value: T | str) -> None:
        """Add a fact; a plain text reads the same in both languages."""
        self.facts.append(Fact(name, _both(label), _both(value)))

    def found(self, level: Level, name: str, message: T, cure: T = _NOTHING, rule: str = "") -> None:
        """Add a finding."""
        self.findings.append(Finding(level, name, message, cure, rule))


def _both(text: T | str) -> T:
    return text if isinstance(text, T) else T(text, text)


def count(sections: Sequence[Section], level: Level) -> int:
    """How many findings of a level there are."""
    return sum(finding.level == level for section in sections for finding in section.findings)


def as_text(sections: Sequence[Section], language: Language) -> str:
    """The report for people: facts in columns, findings below them, a last line that says how it stands."""
    lines: list[str] = []
    for section in sections:
        lines += [section.title.in_language(language), *_facts(section, language)]
        for finding in section.findings:
            lines += _finding(finding, language)
        lines.append("")
    return "\n".join([*lines, _last(sections, language)]) + "\n"


def _facts(section: Section, language: Language) -> Iterator[str]:
    labels = [fact.label.in_language(language) for fact in section.facts]
    width = max(map(cell_width, labels), default=0)
    for label, fact in zip(labels, section.facts, strict=True):
        yield f"  {label}{' ' * (width - cell_width(label))}  {fact.value.in_language(language)}"


def _finding(finding: Finding, language: Language) -> list[str]:
    first = f"  {_say(finding.level, language)}: "
    lines = wrapped(first, "    ", finding.message.in_language(language))
    cure = finding.cure.in_language(language)
    if cure:
        lines += wrapped(f"    {_say('do', language)}", "      ", cure)
    if finding.rule:
        lines.append(f"    {_say('explain', language).format(code=finding.rule)}")
    return lines


def _last(sections: Sequence[Section], language: Language) -> str:
    problems, warnings = count(sections, "problem"), count(sections, "warning")
    key = "ill" if problems else "warned" if warnings else "well"
    return _say(key, language).format(problems=problems, warnings=warnings)


def _say(key: str, language: Language) -> str:
    return _WORDS[key].in_language(language)


def as_json(sections: Sequence[Section], language: Language) -> str:
    """The report for programs: facts and findings by name."""
    table = {
        "ok": count(sections, "problem") == 0,
        "problems": count(sections, "problem"),
        "warnings": count(sections, "warning"),
        "sections": {
            section.name: {
                "facts": {fact.name: fact.value.in_language(language) for fact in section.facts},
                "findings": [
                    {
                        "level": finding.level,
                        "name": finding.name,
                        "message": finding.message.in_language(language),
                        "do": finding.cure.in_language(language),
                        "rule": finding.rule,
                    }
                    for finding in section.findings
                ],
            }
            for section in sections
        },
    }
    return json.dumps(table, indent=2, ensure_ascii=False) + "\n"
