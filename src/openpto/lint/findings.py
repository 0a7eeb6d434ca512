"""What the linter tells: a rule, a place, the particulars, and how to repair it where that is certain."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from openpto.diagnostics.language import Language, current_language
from openpto.diagnostics.registry import RULES, Rule, Severity
from openpto.diagnostics.render import fill, one_line, render
from openpto.diagnostics.span import Site, Span


@dataclass(frozen=True, slots=True)
class Fix:
    """A repair of the text under `span`: the name of a rewrite in :mod:`openpto.lint.fixes`, and its argument."""

    rewrite: str
    span: Span
    argument: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding; `site.span` is always known, `site.chain` tells by which calls a helper was reached.

    line    the first line of the span as it was linted, which need not be what is on disk; None in files that are no
            part of the project
    """

    code: str
    site: Site
    fields: Mapping[str, object] = field(default_factory=dict)
    severity: Severity = "error"
    fix: Fix | None = None
    line: str | None = None

    @property
    def rule(self) -> Rule:
        return RULES[self.code]

    @property
    def span(self) -> Span:
        assert self.site.span is not None
        return self.site.span

    @property
    def order(self) -> tuple[str, int, int, str]:
        """Findings are told in the order of the text."""
        return (self.span.file, self.span.line, self.span.col, self.code)

    def text(self, language: Language | None = None) -> str:
        """The full text, as the error of a run would have it."""
        return render(self.rule, self.site, self.fields, severity=self.severity, language=language, line=self.line)

    def message(self, language: Language | None = None) -> str:
        """The message in one line, without its code."""
        return one_line(self.rule, self.fields, language=language).partition(": ")[2].replace("\n", " ")

    def help(self, language: Language | None = None) -> str:
        """What to write instead."""
        return fill(self.rule.help.in_language(language or current_language()), self.fields, language)
