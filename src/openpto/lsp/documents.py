"""The texts that are open in an editor, and what the linter finds in them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from openpto.diagnostics import PyptoError
from openpto.lint.engine import lint_open
from openpto.lint.findings import Finding
from openpto.lint.settings import Settings, changed, load
from openpto.lsp.edits import lines_of


@dataclass(frozen=True, slots=True)
class Document:
    """One open text. `path` is the file it belongs to, or will; lines may end in any way."""

    path: str
    text: str

    @property
    def normal(self) -> str:
        """The text with line feeds as line ends, as the linter reads files."""
        return "\n".join(lines_of(self.text))


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the editor's settings add to those of the project, as the arguments of `pypto lint` do."""

    select: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    target: str | None = None
    chip: str | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """The findings of a run by path, those in files that are not open included; and settings that cannot be used."""

    findings: Mapping[str, tuple[Finding, ...]] = field(default_factory=dict)
    problems: tuple[str, ...] = ()


def examine(documents: Mapping[str, Document], wishes: Wishes) -> Result:
    """Lint the open documents, each with the settings of its project. Helpers in open files are read as they are there.

    Every document has an entry in the findings. A text that is no Python is told only where it speaks of pypto: any
    other file is the business of other servers.
    """
    problems: dict[str, None] = {}
    groups: dict[str, tuple[Settings, list[Document]]] = {}
    for document in documents.values():
        settings = settings_of(document.path, wishes, problems)
        if not _excluded(document.path, settings) and "pypto" in document.text:
            groups.setdefault(settings.source, (settings, []))[1].append(document)
    found: dict[str, list[Finding]] = {document.path: [] for document in documents.values()}
    for settings, group in groups.values():
        texts = {document.path: document.normal for document in group}
        beside = {other.path: other.normal for other in documents.values() if other.path not in texts}
        for finding in lint_open(texts, settings.selection, beside):
            found.setdefault(finding.span.file, []).append(finding)
    return Result({path: tuple(findings) for path, findings in found.items()}, tuple(problems))


def settings_of(path: str, wishes: Wishes, problems: dict[str, None]) -> Settings:
    """The settings that count for a file; what cannot be read of them is noted in `problems` and left out."""
    settings = Settings()
    try:
        settings = load(Path(path).parent)
    except (PyptoError, OSError, UnicodeDecodeError) as error:
        problems[str(error)] = None
    try:
        return changed(
            settings,
            select=wishes.select,
            extend_select=wishes.extend_select,
            ignore=wishes.ignore,
            target=wishes.target,
            chip=wishes.chip,
        )
    except PyptoError as error:
        problems[str(error)] = None
    return settings


def _excluded(path: str, settings: Settings) -> bool:
    return any(Path(path).match(pattern) for pattern in settings.exclude)
