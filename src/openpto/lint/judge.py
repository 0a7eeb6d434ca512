"""Which findings count: the selection of rules, comments that silence, one finding per rule and place."""

from __future__ import annotations

import ast
from dataclasses import replace

from openpto.diagnostics.registry import RULES
from openpto.diagnostics.span import Site
from openpto.lint.findings import Finding, Fix
from openpto.lint.modules import Module
from openpto.lint.selection import Selection, prefixes


class Judge:
    """Takes findings and keeps those that apply."""

    def __init__(self, selection: Selection) -> None:
        self.selection = selection
        self.found: dict[tuple[str, str, int, int], Finding] = {}
        self.silenced = 0
        self._applies: dict[tuple[str, str], bool] = {}

    def add(self, finding: Finding, module: Module) -> None:
        """Keep a finding unless its rule does not apply, its line silences it, or it is known."""
        span = finding.span
        key = (finding.code, span.file, span.line, span.col)
        if key in self.found:
            return
        severity = self.selection.severity(RULES[finding.code], span.file)
        if severity is None:
            return
        if self._silenced(finding, module):
            self.silenced += 1
            return
        fields = finding.fields
        if finding.rule.profiles:
            fields = {"profiles": self.selection.target or ", ".join(finding.rule.profiles), **fields}
        line = module.source.line(span.line) if span.file == module.source.path else None
        self.found[key] = replace(finding, severity=severity, fields=fields, line=line)

    def applies(self, code: str, path: str) -> bool:
        """Whether a rule is worth looking for in a file."""
        key = (code, path)
        if key not in self._applies:
            self._applies[key] = self.selection.severity(RULES[code], path) is not None
        return self._applies[key]

    def findings(self) -> list[Finding]:
        """Everything that was kept, in the order of the text."""
        return sorted(self.found.values(), key=lambda finding: finding.order)

    def _silenced(self, finding: Finding, module: Module) -> bool:
        silenced = module.source.silenced
        if not silenced:
            return False
        lines = {finding.span.line, finding.span.end_line}
        named = [name for line in lines for name in silenced.get(line, ())]
        return any(not name or finding.code.startswith(prefixes(name) or ("none",)) for name in named)


class Look:
    """A module as rules about its text see it."""

    def __init__(self, judge: Judge, module: Module) -> None:
        self.judge = judge
        self.module = module

    def report(self, code: str, node: ast.AST, /, *, fix: Fix | None = None, **fields: object) -> None:
        """Add a finding at a node of the module."""
        site = Site(self.module.source.span(node))
        self.judge.add(Finding(code, site, fields, fix=fix), self.module)

    def fix(self, rewrite: str, node: ast.AST, argument: str = "") -> Fix:
        return Fix(rewrite, self.module.source.span(node), argument)

    def applies(self, code: str) -> bool:
        return self.judge.applies(code, self.module.source.path)

    def path_of(self, node: ast.expr) -> str:
        return self.module.path_of(node)
