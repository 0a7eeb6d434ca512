"""The first step: the files can be parsed, and the linter finds no error in them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from openpto.lint import settings as lint_settings
from openpto.lint.engine import lint_files
from openpto.lint.findings import Finding
from openpto.verify.outcome import Check
from openpto.verify.subject import Subject


def check_source(subject: Subject, target: str | None, chip: str | None) -> Iterator[Check]:
    """Two checks per file: its syntax, and the findings of the linter."""
    start = subject.files[0]
    chosen = lint_settings.changed(lint_settings.load(start), target=target, chip=chip)
    findings = lint_files(list(subject.files), chosen.selection)
    for file in subject.files:
        yield from _file(file, [finding for finding in findings if finding.span.file == str(file)])


def _file(file: Path, findings: list[Finding]) -> Iterator[Check]:
    unreadable = [finding for finding in findings if finding.code == "PTO700"]
    if unreadable:
        yield Check("syntax", "fail", file.name, unreadable[0].text())
        return
    yield Check("syntax", "pass", file.name)
    errors = [finding for finding in findings if finding.severity == "error"]
    warnings = [finding for finding in findings if finding.severity != "error"]
    told = "\n\n".join(finding.text() for finding in (*errors, *warnings))
    data = {"errors": [_short(f) for f in errors], "warnings": [_short(f) for f in warnings]} if findings else {}
    yield Check("lint", "fail" if errors else "pass", file.name, told, data)


def _short(finding: Finding) -> str:
    return f"{finding.code} line {finding.span.line}: {finding.message('en')}"
