"""Findings in the words of the protocol: ranges in the client's units, diagnostics, edits."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lsprotocol import types
from pygls.workspace import PositionCodec

from openpto.diagnostics.language import Language, T
from openpto.diagnostics.span import Span
from openpto.lint.findings import Finding
from openpto.lsp.edits import Edit

SOURCE = "pypto"

_SEVERITIES = {"error": types.DiagnosticSeverity.Error, "warning": types.DiagnosticSeverity.Warning}
_CALLED = T("{function} is called here", "{function} 在此处被调用")
_HELP = T("help: {text}", "建议：{text}")


class Units:
    """Columns of one text between characters and the units that the client counts, UTF-16 unless it asks for others."""

    def __init__(self, lines: Sequence[str], codec: PositionCodec) -> None:
        self.lines = lines
        self.codec = codec

    def position(self, line: int, column: int) -> types.Position:
        """The client's position of a line and a character, which count from 0; both are kept inside of the text."""
        line = min(max(line, 0), len(self.lines) - 1)
        return types.Position(line, self.codec.client_num_units(self.lines[line][: max(column, 0)]))

    def column(self, position: types.Position) -> int:
        """The character of a client's position in its line."""
        if position.line >= len(self.lines):
            return 0
        taken = 0
        for number, character in enumerate(self.lines[position.line]):
            if taken >= position.character:
                return number
            taken += self.codec.client_num_units(character)
        return len(self.lines[position.line])

    def range_of(self, span: Span) -> types.Range:
        """The range of a span; a span without columns is its line from the first character that is no blank."""
        first, last = span.line - 1, (span.end_line or span.line) - 1
        if span.has_columns:
            return types.Range(self.position(first, span.col), self.position(last, span.end_col))
        line = self.lines[min(max(first, 0), len(self.lines) - 1)]
        return types.Range(
            self.position(first, len(line) - len(line.lstrip())), self.position(first, len(line.rstrip()))
        )

    def text_edit(self, edit: Edit) -> types.TextEdit:
        return types.TextEdit(types.Range(self.position(*edit.start), self.position(*edit.end)), edit.text)


def diagnostic(
    finding: Finding,
    language: Language,
    units: Callable[[str], Units],
    uri_of: Callable[[str], str],
    page: str | None,
) -> types.Diagnostic:
    """One finding; `units` and `uri_of` take paths, `page` is where the rule's page is.

    The calls by which a helper was reached are its related information.
    """
    advice = _HELP.in_language(language).format(text=finding.help(language))
    related = [
        types.DiagnosticRelatedInformation(
            types.Location(uri_of(call.file), units(call.file).range_of(call)),
            _CALLED.in_language(language).format(function=name),
        )
        for name, call in finding.site.chain
    ]
    return types.Diagnostic(
        range=units(finding.span.file).range_of(finding.span),
        message=f"{finding.message(language)}\n{advice}",
        severity=_SEVERITIES[finding.severity],
        code=finding.code,
        code_description=types.CodeDescription(page) if page else None,
        source=SOURCE,
        related_information=related or None,
    )
