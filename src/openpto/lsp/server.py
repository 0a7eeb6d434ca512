"""The server: documents come and change, findings, actions and pages go back."""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from pathlib import Path
from typing import TypeVar

from lsprotocol import types
from pygls import uris
from pygls.lsp.server import LanguageServer

from openpto._version import __version__
from openpto.lint.findings import Finding
from openpto.lint.source import read_text
from openpto.lsp import names, pages, wishes
from openpto.lsp.actions import FIX_ALL, QUICK_FIX, actions
from openpto.lsp.convert import Units, diagnostic
from openpto.lsp.documents import Document, Result, examine
from openpto.lsp.edits import lines_of
from openpto.lsp.links import page_uri

DELAY = 0.2
"""Seconds without a keystroke before a changed text is linted."""

_R = TypeVar("_R")

_WATCH = types.Registration(
    "pypto-files",
    types.WORKSPACE_DID_CHANGE_WATCHED_FILES,
    types.DidChangeWatchedFilesRegistrationOptions(
        [types.FileSystemWatcher("**/*.py"), types.FileSystemWatcher("**/pyproject.toml")]
    ),
)
"""Files whose change may change findings in others."""

_log = logging.getLogger(__name__)


class PyptoServer(LanguageServer):  # type: ignore[misc]  # mypy does not read pygls
    """One client's session.

    The linter runs in a thread of its own, one run at a time, so that the server answers while a text is linted. What
    goes wrong in a run is logged and leaves what is shown as it was.
    """

    def __init__(self) -> None:
        super().__init__("pypto", __version__, text_document_sync_kind=types.TextDocumentSyncKind.Full)
        self.preferences = wishes.Preferences()
        self.result = Result()
        self.linted: dict[str, int | None] = {}
        self.readings: dict[str, names.Reading] = {}
        self.published: set[str] = set()
        self._worker = ThreadPoolExecutor(1, "lint")
        self._waiting: asyncio.TimerHandle | None = None
        self._running: asyncio.Task[None] | None = None
        self._again = False
        self._told: set[str] = set()

    # Documents

    def document(self, uri: str) -> Document:
        """An open document."""
        text = self.workspace.get_text_document(uri)
        return Document(path_of(uri), text.source)

    def documents(self) -> dict[str, Document]:
        """Every open document by URI."""
        return {uri: self.document(uri) for uri in self.workspace.text_documents}

    def units(self, path: str) -> Units:
        """Columns of a file: of the open text if there is one, else of what is on disk."""
        uri = self.uri_of(path)
        if uri in self.workspace.text_documents:
            text = self.document(uri).text
        else:
            try:
                text = read_text(Path(path))
            except (OSError, SyntaxError, ValueError):
                text = ""
        return Units(lines_of(text), self.workspace.position_codec)

    def uri_of(self, path: str) -> str:
        """The URI under which the client knows a file, if it is open, else the one of the path."""
        for uri in self.workspace.text_documents:
            if path_of(uri) == path:
                return str(uri)
        return str(uris.from_fs_path(str(Path(path).absolute())))

    # Linting

    def lint_soon(self, delay: float = DELAY) -> None:
        """Lint when the client has been quiet for a while; each call starts the wait again."""
        if self._waiting is not None:
            self._waiting.cancel()
        self._waiting = asyncio.get_running_loop().call_later(delay, self._start)

    def _start(self) -> None:
        self._waiting = None
        if self._running is not None and not self._running.done():
            self._again = True
            return
        self._running = asyncio.ensure_future(self.lint())

    async def lint(self) -> None:
        """Lint what is open and show it; once more if something came meanwhile."""
        while True:
            self._again = False
            versions = self.versions()
            documents = self.documents()
            try:
                result = await self.in_thread(partial(examine, documents, self.preferences.wishes))
            except Exception:
                _log.exception("the linter failed; what is shown stays as it was")
            else:
                self.show(result, versions)
            if not self._again:
                return

    def versions(self) -> dict[str, int | None]:
        """The versions of the open documents."""
        return {uri: document.version for uri, document in self.workspace.text_documents.items()}

    async def in_thread(self, work: Callable[[], _R]) -> _R:
        """Run work in the thread of the linter."""
        return await asyncio.get_running_loop().run_in_executor(self._worker, work)

    def show(self, result: Result, versions: Mapping[str, int | None]) -> None:
        """Publish the findings of a run, and take back those of files that have none any more.

        A document that changed meanwhile keeps what it shows: another run is on its way.
        """
        self.result, self.linted = result, dict(versions)
        now = self.versions()
        for problem in result.problems:
            self.tell(problem)
        shown = set()
        for path, findings in result.findings.items():
            uri = self.uri_of(path)
            if findings or uri in now:
                shown.add(uri)
            if uri in now and now[uri] != versions.get(uri):
                continue
            made = self.diagnostics(findings)
            if made or uri in now or uri in self.published:
                self.publish(uri, made, now.get(uri))
        for uri in self.published - shown:
            self.publish(uri, [], None)
        self.published = shown

    def publish(self, uri: str, made: list[types.Diagnostic], version: int | None) -> None:
        self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, made, version))

    def diagnostics(self, findings: tuple[Finding, ...]) -> list[types.Diagnostic]:
        """Findings as the client is shown them; the lines of a file are counted once for all of them."""
        language, units, uri_of = self.preferences.language, cache(self.units), cache(self.uri_of)
        return [diagnostic(finding, language, units, uri_of, page_uri(finding.code, language)) for finding in findings]

    def tell(self, problem: str) -> None:
        """Show a problem of the settings, each once."""
        if problem not in self._told:
            self._told.add(problem)
            self.window_show_message(types.ShowMessageParams(types.MessageType.Warning, problem))

    # Answers

    async def code_actions(self, params: types.CodeActionParams) -> list[types.CodeAction]:
        """Actions for what is linted now: a document that changed since is linted first."""
        uri = params.text_document.uri
        if uri not in self.workspace.text_documents:
            return []
        if self.linted.get(uri, ...) != self.workspace.get_text_document(uri).version:
            await self.lint()
        document = self.document(uri)
        found = self.result.findings.get(document.path, ())
        pairs = list(zip(found, self.diagnostics(found), strict=True))
        units, language = self.units(document.path), self.preferences.language
        return await self.in_thread(lambda: actions(document, pairs, units, params, language))

    async def hover(self, params: types.HoverParams) -> types.Hover | None:
        """The page of the code or the name under the cursor."""
        uri = params.text_document.uri
        document = self.document(uri)
        units, language = self.units(document.path), self.preferences.language
        line, column = params.position.line, units.column(params.position)

        def find() -> types.Hover | None:
            if uri not in self.readings or self.readings[uri].text != document.text:
                self.readings[uri] = names.Reading.of(document.text, self.readings.get(uri))
            found = names.under(document.text, line, column, self.readings[uri])
            if found is None:
                return None
            text = pages.hover(found, language, units.lines[line][found.start : found.end])
            if text is None:
                return None
            span = types.Range(units.position(line, found.start), units.position(line, found.end))
            return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, text), span)

        return await self.in_thread(find)


def path_of(uri: str) -> str:
    """The path of a document; one that is not saved yet has the last part of its URI as name."""
    return uris.to_fs_path(uri) or uri.rpartition(":")[2]


def create() -> PyptoServer:
    """A server with everything it answers to."""
    server = PyptoServer()
    feature = server.feature

    @feature(types.INITIALIZE)  # type: ignore[untyped-decorator]
    def initialize(params: types.InitializeParams) -> None:
        server.preferences = wishes.read(params.initialization_options, params.locale, server.tell)

    @feature(types.INITIALIZED)  # type: ignore[untyped-decorator]
    def initialized(params: types.InitializedParams) -> None:
        watched = server.client_capabilities.workspace and server.client_capabilities.workspace.did_change_watched_files
        if watched and watched.dynamic_registration:
            server.client_register_capability(types.RegistrationParams([_WATCH]))

    @feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)  # type: ignore[untyped-decorator]
    def configured(params: types.DidChangeConfigurationParams) -> None:
        server.preferences = wishes.changed(server.preferences, params.settings, server.tell)
        server.lint_soon(0)

    @feature(types.TEXT_DOCUMENT_DID_OPEN)  # type: ignore[untyped-decorator]
    def opened(params: types.DidOpenTextDocumentParams) -> None:
        server.lint_soon(0)

    @feature(types.TEXT_DOCUMENT_DID_CHANGE)  # type: ignore[untyped-decorator]
    def edited(params: types.DidChangeTextDocumentParams) -> None:
        server.lint_soon()

    @feature(types.TEXT_DOCUMENT_DID_SAVE)  # type: ignore[untyped-decorator]
    def saved(params: types.DidSaveTextDocumentParams) -> None:
        server.lint_soon(0)

    @feature(types.TEXT_DOCUMENT_DID_CLOSE)  # type: ignore[untyped-decorator]
    def closed(params: types.DidCloseTextDocumentParams) -> None:
        server.readings.pop(params.text_document.uri, None)
        server.lint_soon(0)

    @feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)  # type: ignore[untyped-decorator]
    def files_changed(params: types.DidChangeWatchedFilesParams) -> None:
        server.lint_soon()

    kinds = types.CodeActionOptions([QUICK_FIX, FIX_ALL])

    @feature(types.TEXT_DOCUMENT_CODE_ACTION, kinds)  # type: ignore[untyped-decorator]
    async def code_action(params: types.CodeActionParams) -> list[types.CodeAction]:
        return await server.code_actions(params)

    @feature(types.TEXT_DOCUMENT_HOVER)  # type: ignore[untyped-decorator]
    async def hover(params: types.HoverParams) -> types.Hover | None:
        return await server.hover(params)

    return server


def serve() -> int:
    """Serve the client at stdin and stdout; returns the exit code: 0 if it said `shutdown` before it left, else 1.

    Whatever prints writes to stderr from here on: stdout belongs to the protocol.
    """
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr)
    server = create()
    stdin, stdout = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr
    server.start_io(stdin, stdout)
    return 0 if server.protocol._shutdown else 1
