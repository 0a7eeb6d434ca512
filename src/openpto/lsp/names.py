"""What stands under the cursor: the code of a rule, or a name of the API under whatever alias it was imported."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, replace
from typing import Literal

from openpto.diagnostics.registry import RULES, Rule
from openpto.lint.functions import Function
from openpto.lint.judge import Judge
from openpto.lint.modules import Module, Project
from openpto.lint.selection import Selection
from openpto.lint.source import parse
from openpto.lint.walk import Walk
from openpto.lsp.edits import lines_of

_CODE = re.compile(r"(?<![A-Za-z0-9_])[A-Z]{1,3}[0-9A-F]{2,6}(?![A-Za-z0-9_])")
_NAME = re.compile(r"[^\W\d]\w*")
_CHAIN = re.compile(r"(?:[^\W\d]\w*\s*\.\s*)*[^\W\d]\w*")
_IMPORT = re.compile(r"\s*(?:import|from)\s")


@dataclass(frozen=True, slots=True)
class Found:
    """A name or a code from `start` to `end` of a line; `name` is dotted, without `pypto.`."""

    kind: Literal["rule", "name", "method"]
    start: int
    end: int
    rules: tuple[Rule, ...] = ()
    name: str = ""


def under(text: str, line: int, column: int, parsed: Reading | None = None) -> Found | None:
    """What stands at a place, which counts from 0.

    Codes are found anywhere, in comments and strings too. Names are looked up in the imports of the text; if it cannot
    be parsed, in those of `parsed`, an earlier reading of it, or in the imports that can be read alone.
    """
    lines = lines_of(text)
    if not 0 <= line < len(lines):
        return None
    shown = lines[line]
    for match in _CODE.finditer(shown):
        if match.start() <= column <= match.end() and (rules := _rules(match[0])):
            return Found("rule", match.start(), match.end(), rules=rules)
    chain = next((match for match in _CHAIN.finditer(shown) if match.start() <= column <= match.end()), None)
    if chain is None:
        return None
    reading = parsed if parsed is not None and parsed.text == text else Reading.of(text, parsed)
    return _imported(column, line, reading) or _named(chain, column, line, reading)


def _imported(column: int, line: int, reading: Reading) -> Found | None:
    """The name that an import takes, where it gets another one."""
    for node in reading.module.nodes:
        if isinstance(node, ast.ImportFrom) and not node.level and node.lineno <= line + 1 <= (node.end_lineno or 0):
            for alias in node.names:
                span = reading.module.source.span(alias)
                if span.line == line + 1 and span.col <= column <= span.end_col:
                    return _public(f"{node.module}.{alias.name}", span.col, span.end_col)
    return None


def _public(path: str, start: int, end: int) -> Found | None:
    """The name of a dotted path, if it is one of pypto."""
    if path != "pypto" and not path.startswith("pypto."):
        return None
    return Found("name", start, end, name=path.removeprefix("pypto").removeprefix("."))


def _rules(code: str) -> tuple[Rule, ...]:
    """The rules of a code of ours or of the vendor's; several mistakes may share one of the vendor's."""
    if code in RULES:
        return (RULES[code],)
    return tuple(rule for rule in RULES.values() if code in rule.aliases)


@dataclass(frozen=True, slots=True)
class Reading:
    """A text that could be parsed, or else its imports; and the lines of kernels and their helpers."""

    text: str
    module: Module
    kernels: tuple[range, ...] = ()

    @classmethod
    def of(cls, text: str, earlier: Reading | None = None) -> Reading:
        """The reading of a text; the earlier one, or its imports alone, if it cannot be parsed."""
        normal = "\n".join(lines_of(text))
        project = Project()
        try:
            module = project.module(parse("<text>", normal))
        except (SyntaxError, ValueError, RecursionError):
            if earlier is not None:
                return replace(earlier, text=text)
            return cls(text, project.module(parse("<text>", _imports(normal))))
        return cls(text, module, tuple(_range(function) for function in _traced(module)))

    def is_traced(self, line: int) -> bool:
        """Whether a line, from 0, lies in a kernel or in a helper of one."""
        return any(line + 1 in lines for lines in self.kernels)


def _imports(text: str) -> str:
    """The lines of a text that import something and can be parsed alone."""
    kept = []
    for line in text.split("\n"):
        if _IMPORT.match(line):
            try:
                ast.parse(line.strip())
            except (SyntaxError, ValueError):
                continue
            kept.append(line.strip())
    return "\n".join(kept) + "\n"


def _traced(module: Module) -> list[Function]:
    found: dict[Function, None] = {}
    for kernel in module.kernels:
        walk = Walk(kernel, Judge(Selection(select=())))
        walk.run()
        found |= dict.fromkeys([kernel, *(helper for helper in walk.reached if helper.module is module)])
    return list(found)


def _range(function: Function) -> range:
    return range(function.node.lineno, (function.node.end_lineno or function.node.lineno) + 1)


def _named(chain: re.Match[str], column: int, line: int, reading: Reading) -> Found | None:
    """The name up to the part of a dotted chain that the cursor is on."""
    part = next(
        (m for m in _NAME.finditer(chain[0]) if m.start() <= column - chain.start() <= m.end()),
        None,
    )
    if part is None:
        return None
    dotted = re.sub(r"\s", "", chain[0][: part.end()])
    start, end = chain.start() + part.start(), chain.start() + part.end()
    try:
        path = reading.module.path_of(ast.parse(dotted, mode="eval").body)
    except SyntaxError:  # a keyword
        return None
    if path:
        return _public(path, start, end)
    before = chain.string[:start].rstrip()
    if before.endswith(".") and reading.is_traced(line):
        return Found("method", start, end, name=part[0])
    return None
