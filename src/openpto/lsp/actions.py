"""Code actions: repairs of findings, of all at once, and the comment that silences one."""

from __future__ import annotations

from collections.abc import Sequence

from lsprotocol import types

from openpto.diagnostics import PyptoError
from openpto.diagnostics.language import Language, T
from openpto.lint.findings import Finding
from openpto.lint.fixes import repaired
from openpto.lsp.convert import Units
from openpto.lsp.documents import Document
from openpto.lsp.edits import Edit, difference, silence

QUICK_FIX = types.CodeActionKind.QuickFix
FIX_ALL = "source.fixAll.pypto"

NO_PYTHON = "PTO700"
"""The finding of a text that cannot be parsed: no comment silences anything there."""

_TITLES = {
    "fix": T("{code}: {help}", "{code}：{help}"),
    "all": T(
        "Repair everything that pypto lint can repair ({count})", "修复 pypto lint 能修复的全部问题（{count} 处）"
    ),
    "ignore": T("Ignore {code} on this line (# noqa)", "在此行忽略 {code}（# noqa）"),
}


def actions(
    document: Document,
    findings: Sequence[tuple[Finding, types.Diagnostic]],
    units: Units,
    params: types.CodeActionParams,
    language: Language,
) -> list[types.CodeAction]:
    """The actions for a range of a document whose current findings are given with the diagnostics they became."""
    made: list[types.CodeAction] = []
    wanted = params.context.only
    here = [pair for pair in findings if _touch(pair[1].range, params.range)]
    uri = params.text_document.uri
    readable = all(finding.code != NO_PYTHON for finding, _ in findings)

    def add(key: str, kind: str, edit: Edit | None, about: types.Diagnostic | None, **fields: str) -> None:
        if edit is not None:
            change = types.WorkspaceEdit(changes={uri: [units.text_edit(edit)]})
            made.append(
                types.CodeAction(
                    title=_TITLES[key].in_language(language).format(**fields),
                    kind=kind,
                    diagnostics=[about] if about is not None else None,
                    edit=change,
                    is_preferred=True if key == "fix" else None,
                )
            )

    if asked(QUICK_FIX, wanted):
        for finding, shown in here:
            advice = finding.help(language)
            add("fix", QUICK_FIX, _repair(document, [finding]), shown, code=finding.code, help=advice)
        for finding, shown in here if readable else ():
            add("ignore", QUICK_FIX, silence(document.text, finding.span, finding.code), shown, code=finding.code)
    fixable = [finding for finding, _ in findings if _fits(finding, document)]
    if fixable and asked(FIX_ALL, wanted) and (wanted or any(finding in fixable for finding, _ in here)):
        add("all", FIX_ALL, _repair(document, fixable), None, count=str(len(fixable)))
    return made


def asked(kind: str, wanted: Sequence[str] | None) -> bool:
    """Whether a client that wants these kinds of actions wants this one."""
    return not wanted or any(kind == one or kind.startswith(f"{one}.") for one in wanted)


def _fits(finding: Finding, document: Document) -> bool:
    return finding.fix is not None and finding.fix.span.file == document.path


def _repair(document: Document, findings: Sequence[Finding]) -> Edit | None:
    """The edit that repairs findings; None if there is nothing to repair, or nothing to repair it with."""
    chosen = [finding for finding in findings if _fits(finding, document)]
    if not chosen:
        return None
    try:
        text, _ = repaired(document.text, chosen)
    except PyptoError:  # libcst is not installed
        return None
    return difference(document.text, text)


def _touch(one: types.Range, other: types.Range) -> bool:
    def key(position: types.Position) -> tuple[int, int]:
        return (position.line, position.character)

    return key(one.start) <= key(other.end) and key(other.start) <= key(one.end)
