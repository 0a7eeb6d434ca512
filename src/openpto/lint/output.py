"""Findings as text and as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence

from openpto.diagnostics.language import T, current_language
from openpto.diagnostics.source import display_path
from openpto.lint.findings import Finding

_COUNTS = {
    "clean": T("no findings in {files} file(s)", "{files} 个文件，没有发现问题"),
    "found": T("{count} finding(s) in {files} file(s)", "{files} 个文件，{count} 个问题"),
    "fixable": T("; --fix repairs {fixable}", "；--fix 可修复 {fixable} 个"),
}


def full(findings: Sequence[Finding], files: int) -> str:
    """Every finding as the error of a run would show it, and a line of counts."""
    return "\n\n".join([*(finding.text() for finding in findings), _summary(findings, files)]) + "\n"


def concise(findings: Sequence[Finding], files: int) -> str:
    """A line per finding: `file:line:column: code message`."""
    return "\n".join([*map(line, findings), _summary(findings, files)]) + "\n"


def line(finding: Finding) -> str:
    """`file:line:column: code message`."""
    span = finding.span
    mark = " [*]" if finding.fix is not None else ""
    return f"{display_path(span.file)}:{span.line}:{span.col + 1}: {finding.code}{mark} {finding.message()}"


def _summary(findings: Sequence[Finding], files: int) -> str:
    tongue = current_language()
    if not findings:
        return _COUNTS["clean"].in_language(tongue).format(files=files)
    fixable = sum(finding.fix is not None for finding in findings)
    text = _COUNTS["found"].in_language(tongue).format(count=len(findings), files=files)
    return text + (_COUNTS["fixable"].in_language(tongue).format(fixable=fixable) if fixable else "")


def as_json(findings: Sequence[Finding], files: int) -> str:
    """A list of objects; lines and columns count from 1, `end_column` is the one after the text."""
    return json.dumps([_object(finding) for finding in findings], indent=2, ensure_ascii=False) + "\n"


def _object(finding: Finding) -> dict[str, object]:
    span = finding.span
    return {
        "code": finding.code,
        "name": finding.rule.name,
        "severity": finding.severity,
        "aliases": list(finding.rule.aliases),
        "file": span.file,
        "line": span.line,
        "column": span.col + 1,
        "end_line": span.end_line or span.line,
        "end_column": span.end_col + 1 if span.has_columns else span.col + 1,
        "message": finding.message(),
        "help": finding.help(),
        "kernel": finding.site.kernel,
        "called_from": [
            {"function": name, "file": call.file, "line": call.line, "column": call.col + 1}
            for name, call in finding.site.chain
        ],
        "fixable": finding.fix is not None,
    }
