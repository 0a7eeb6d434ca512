"""Where the parts of a definition stand: its name, each parameter, the return annotation."""

from __future__ import annotations

import ast
from collections.abc import Callable

from openpto.diagnostics import Span

NAME, RETURNS = "def", "->"
"""Keys of the name of a function and of its return annotation; a parameter's key is its name."""


def header_spans(
    node: ast.FunctionDef | ast.AsyncFunctionDef, line: str, span: Callable[[ast.AST], Span]
) -> dict[str, Span]:
    """Places of the parts of a definition. ``line`` is the text of the line of ``def``; parameters keep the names
    that the tree gives them."""
    arguments = node.args
    plain = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    spans = {argument.arg: span(argument) for argument in plain}
    spans |= {extra.arg: span(extra) for extra in (arguments.vararg, arguments.kwarg) if extra is not None}
    whole = span(node)
    begin = line.find("def", whole.col)
    end = line.find("(", begin)
    if begin >= 0 and end >= 0:
        spans[NAME] = Span(whole.file, whole.line, begin, whole.line, len(line[:end].rstrip()))
    if node.returns is not None:
        spans[RETURNS] = span(node.returns)
    return spans
