"""A small client of the language server protocol: the server is a process, messages go over its stdin and stdout."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

PATIENCE = 60.0


class Client:
    """One session. Notifications of the server are kept by method, in the order in which they came."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.server = subprocess.Popen(
            [sys.executable, "-m", "openpto.cli", "lsp", "--stdio"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=folder,
            env={**os.environ, "PYPTO_CACHE_DIR": str(folder / "cache"), "PYPTO_LANG": "en"},
        )
        self.answers: queue.Queue[dict[str, Any]] = queue.Queue()
        self.notes: queue.Queue[dict[str, Any]] = queue.Queue()
        self.last = 0
        self.opened: list[str] = []
        self.log: list[str] = []
        threading.Thread(target=self._read, daemon=True).start()
        threading.Thread(target=self._read_log, daemon=True).start()

    def _read_log(self) -> None:
        assert self.server.stderr is not None
        self.log.extend(line.decode() for line in self.server.stderr)

    def _read(self) -> None:
        stream = self.server.stdout
        assert stream is not None
        while header := stream.readline():
            length = int(header.partition(b":")[2])
            while stream.readline().strip():
                pass
            message = json.loads(stream.read(length))
            if "method" in message and "id" in message:
                self.send({"id": message["id"], "result": None})
            (self.notes if "method" in message else self.answers).put(message)
        gone = {"method": "", "error": f"the server has left: {''.join(self.log)}"}
        self.notes.put(gone)
        self.answers.put(gone)

    def send(self, message: dict[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False).encode()
        assert self.server.stdin is not None
        self.server.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.server.stdin.flush()

    def notify(self, method: str, **params: Any) -> None:
        self.send({"method": method, "params": params})

    def request(self, method: str, **params: Any) -> Any:
        """The result of a request; an error is an AssertionError."""
        self.last += 1
        self.send({"id": self.last, "method": method, "params": params or None})
        answer = self.answers.get(timeout=PATIENCE)
        assert "error" not in answer, answer["error"]
        assert answer["id"] == self.last
        return answer["result"]

    def note(self, method: str) -> dict[str, Any]:
        """The parameters of the next notification or request of the server with this method."""
        while True:
            message = self.notes.get(timeout=PATIENCE)
            assert "error" not in message, message["error"]
            if message["method"] == method:
                found: dict[str, Any] = message["params"]
                return found

    def initialize(self, *, encodings: list[str] | None = None, **params: Any) -> dict[str, Any]:
        capabilities: dict[str, Any] = params.pop("capabilities", {})
        if encodings:
            capabilities["general"] = {"positionEncodings": encodings}
        root = self.folder.as_uri()
        result = self.request("initialize", processId=None, rootUri=root, capabilities=capabilities, **params)
        self.notify("initialized")
        found: dict[str, Any] = result["capabilities"]
        return found

    def uri(self, name: str) -> str:
        return (self.folder / name).as_uri()

    def open(self, name: str, text: str) -> list[dict[str, Any]]:
        """Open a document and wait for what is found in it."""
        document = {"uri": self.uri(name), "languageId": "python", "version": 1, "text": text}
        self.opened.append(name)
        self.notify("textDocument/didOpen", textDocument=document)
        return self.findings(name, 1)

    def close_all(self) -> None:
        """Close what is open, and forget what the server said."""
        for name in self.opened:
            self.notify("textDocument/didClose", textDocument={"uri": self.uri(name)})
        self.opened.clear()
        while not self.notes.empty():
            self.notes.get()

    def change(self, name: str, version: int, text: str) -> None:
        about = {"uri": self.uri(name), "version": version}
        self.notify("textDocument/didChange", textDocument=about, contentChanges=[{"text": text}])

    def findings(self, name: str, version: int | None = None) -> list[dict[str, Any]]:
        """The next diagnostics that are published for a document (in a version)."""
        while True:
            params = self.note("textDocument/publishDiagnostics")
            if params["uri"] == self.uri(name) and version in (None, params.get("version")):
                found: list[dict[str, Any]] = params["diagnostics"]
                return found

    def actions(self, name: str, where: dict[str, Any], only: list[str] | None = None) -> list[dict[str, Any]]:
        context = {"diagnostics": [], **({"only": only} if only else {})}
        document = {"uri": self.uri(name)}
        found = self.request("textDocument/codeAction", textDocument=document, range=where, context=context)
        return list(found or ())

    def hover(self, name: str, line: int, character: int) -> str | None:
        place = {"line": line, "character": character}
        found = self.request("textDocument/hover", textDocument={"uri": self.uri(name)}, position=place)
        return None if found is None else str(found["contents"]["value"])

    def leave(self) -> int:
        """Shut the server down; returns its exit code."""
        self.request("shutdown")
        self.notify("exit")
        return self.server.wait(PATIENCE)

    def kill(self) -> None:
        if self.server.poll() is None:
            self.server.kill()
        self.server.wait()
        for stream in (self.server.stdin, self.server.stdout, self.server.stderr):
            if stream is not None and not stream.closed:
                stream.close()


def applied(text: str, action: dict[str, Any], uri: str) -> str:
    """A text after the edits of an action, whose columns are units of UTF-16."""
    for edit in sorted(action["edit"]["changes"][uri], key=lambda e: -_offset(text, e["range"]["start"])):
        start, end = _offset(text, edit["range"]["start"]), _offset(text, edit["range"]["end"])
        text = text[:start] + edit["newText"] + text[end:]
    return text


def _offset(text: str, place: dict[str, int]) -> int:
    lines = text.split("\n")
    before = lines[place["line"]].encode("utf-16-le")[: 2 * place["character"]].decode("utf-16-le")
    return sum(len(line) + 1 for line in lines[: place["line"]]) + len(before)


def covered(text: str, where: dict[str, Any]) -> str:
    """The characters of a range in units of UTF-16."""
    return text[_offset(text, where["start"]) : _offset(text, where["end"])]
