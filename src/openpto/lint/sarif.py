"""Findings as SARIF 2.1.0, the form that code hosts and editors read."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote

from openpto._version import __version__
from openpto.diagnostics.language import current_language
from openpto.diagnostics.registry import Rule
from openpto.diagnostics.span import Span
from openpto.lint.findings import Finding

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def as_sarif(findings: Sequence[Finding], files: int) -> str:
    """One run with the rules that have findings, and the findings."""
    rules = {finding.code: finding.rule for finding in findings}
    places = {code: place for place, code in enumerate(rules)}
    run = {
        "tool": {"driver": {"name": "pypto lint", "version": __version__, "rules": [*map(_rule, rules.values())]}},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {"SRCROOT": {"uri": Path.cwd().as_uri() + "/"}},
        "results": [_result(finding, places[finding.code]) for finding in findings],
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2, ensure_ascii=False) + "\n"


def _rule(rule: Rule) -> dict[str, object]:
    tongue = current_language()
    return {
        "id": rule.code,
        "name": "".join(word.capitalize() for word in rule.name.split("-")),
        "shortDescription": {"text": rule.title.in_language(tongue)},
        "fullDescription": {"text": rule.explanation.in_language(tongue)},
        "help": {"text": f"pypto explain {rule.code}"},
        "defaultConfiguration": {"level": rule.severity},
        "properties": {"tags": list(rule.aliases)},
    }


def _result(finding: Finding, index: int) -> dict[str, object]:
    result: dict[str, object] = {
        "ruleId": finding.code,
        "ruleIndex": index,
        "level": finding.severity,
        "message": {"text": finding.message()},
        "locations": [{"physicalLocation": _place(finding.span)}],
    }
    if finding.site.chain:
        result["relatedLocations"] = [
            {"id": number, "physicalLocation": _place(span), "message": {"text": f"call of {name}"}}
            for number, (name, span) in enumerate(finding.site.chain)
        ]
    return result


def _place(span: Span) -> dict[str, object]:
    path = Path(span.file)
    try:
        inside = path.resolve().relative_to(Path.cwd())
        place: dict[str, object] = {"uri": quote(inside.as_posix()), "uriBaseId": "SRCROOT"}
    except ValueError:
        place = {"uri": path.resolve().as_uri()}
    region = {"startLine": span.line, "startColumn": span.col + 1}
    if span.has_columns:
        region |= {"endLine": span.end_line, "endColumn": span.end_col + 1}
    return {"artifactLocation": place, "region": region}
