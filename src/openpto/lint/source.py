"""A Python file as the linter sees it: text, tree, spans, and the comments that silence findings."""

from __future__ import annotations

import ast
import re
import tokenize
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from openpto.diagnostics.span import Span

NOQA = re.compile(r"#\s*noqa\b(?:\s*:\s*(?P<list>[A-Z]+[0-9]+(?:[\s,]+[A-Z]+[0-9]+)*))?", re.IGNORECASE)
"""The comment that silences findings; `list` are the codes that it names, None if it silences all."""

EVERYTHING: frozenset[str] = frozenset({""})
"""The prefixes of a bare `# noqa`: the empty one begins every code."""


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One parsed file. `silenced` gives, for a line with a `# noqa` comment, the code prefixes it names."""

    path: str
    text: str
    lines: tuple[str, ...]
    tree: ast.Module
    silenced: Mapping[int, frozenset[str]]

    def span(self, node: ast.AST) -> Span:
        """The text of a statement, an expression or a keyword; the name of a parameter, a function or a class."""
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            return self._name_of(node)
        if isinstance(node, ast.arg):
            start = self._character(node.lineno, node.col_offset)
            return Span(self.path, node.lineno, start, node.lineno, start + len(node.arg))
        line, end_line = getattr(node, "lineno", 1), getattr(node, "end_lineno", None) or 0
        col = self._character(line, getattr(node, "col_offset", 0))
        end_col = self._character(end_line, getattr(node, "end_col_offset", None) or 0) if end_line else 0
        return Span(self.path, line, col, end_line, end_col)

    def line(self, number: int) -> str:
        """The text of a line, which counts from 1; empty where there is none."""
        return self.lines[number - 1] if 1 <= number <= len(self.lines) else ""

    def _name_of(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> Span:
        start = max(self.line(node.lineno).find(node.name, self._character(node.lineno, node.col_offset)), 0)
        return Span(self.path, node.lineno, start, node.lineno, start + len(node.name))

    def segment(self, node: ast.AST) -> str:
        """The source text of a node, blanks and line ends as one blank."""
        span = self.span(node)
        lines = list(self.lines[span.line - 1 : span.end_line])
        if lines:
            lines[-1] = lines[-1][: span.end_col]
            lines[0] = lines[0][span.col :]
        return " ".join(" ".join(lines).split())

    def _character(self, line: int, byte: int) -> int:
        """The column in characters; trees count the bytes of UTF-8."""
        text = self.line(line)
        return byte if text.isascii() else len(text.encode()[:byte].decode(errors="ignore"))


def read_text(file: Path) -> str:
    """The text of a Python file in the encoding that it declares, without byte order mark, lines ended by a line feed.

    Raises OSError, UnicodeDecodeError, or SyntaxError for an encoding that does not exist.
    """
    with tokenize.open(file) as stream:
        return stream.read()


def parse(path: str, text: str) -> SourceFile:
    """Parse a file. Raises SyntaxError (and ValueError for null bytes on older interpreters)."""
    lines = tuple(text.split("\n"))
    return SourceFile(path, text, lines, ast.parse(text, path), _silenced(lines) if "noqa" in text.lower() else {})


def _silenced(lines: tuple[str, ...]) -> dict[int, frozenset[str]]:
    found = {}
    for number, line in enumerate(lines, 1):
        match = NOQA.search(line)
        if match:
            named = re.findall(r"[A-Z]+[0-9]+", (match["list"] or "").upper())
            found[number] = frozenset(named) if named else EVERYTHING
    return found
