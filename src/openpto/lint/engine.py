"""Linting files: each is parsed, its text is looked at, and its kernels are walked. Nothing is imported or executed."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from pathlib import Path

from openpto.diagnostics.span import Site, Span
from openpto.lint import rules
from openpto.lint.findings import Finding
from openpto.lint.functions import Function
from openpto.lint.hooks import FUNCTION_CHECKS, MODULE_CHECKS
from openpto.lint.judge import Judge, Look
from openpto.lint.modules import Module, Project
from openpto.lint.selection import Selection
from openpto.lint.source import SourceFile, parse, read_text
from openpto.lint.walk import Walk

assert rules.__all__  # importing the package registers every check


def lint_text(text: str, path: str = "<text>", selection: Selection | None = None) -> list[Finding]:
    """The findings of one file's text.

    >>> source = "import pypto\\n@pypto.frontend.jit\\ndef k(x: pypto.Tensor([8, 8], pypto.DT_FP32)) -> None: ...\\n"
    >>> [finding.code for finding in lint_text(source)]
    ['PTO411', 'PTO501']
    """
    judge = Judge(selection or Selection())
    module = _parsed(path, text, judge, Project())
    if module is not None:
        _lint(module, judge)
    return judge.findings()


def lint_files(files: Iterable[Path], selection: Selection | None = None) -> list[Finding]:
    """The findings of files, in the order of path and line. A file that cannot be read or parsed is a finding.

    All files are read first, so that a helper has the path under which it was given.
    """
    judge, project = Judge(selection or Selection()), Project()
    modules = []
    for file in files:
        try:
            text = read_text(file)
        except (OSError, UnicodeDecodeError, SyntaxError) as error:
            _unreadable(str(file), "", 1, 0, str(error), judge)
            continue
        module = _parsed(str(file), text, judge, project)
        if module is not None:
            modules.append(module)
    for module in modules:
        _lint(module, judge)
    return judge.findings()


def lint_open(texts: Mapping[str, str], selection: Selection, beside: Mapping[str, str] | None = None) -> list[Finding]:
    """The findings of texts that an editor holds, by path; what is on disk under these paths is not looked at.

    beside    texts of other files that are open: imports find them in place of the files on disk; they are not linted
    """
    judge, project = Judge(selection), Project()
    modules = [_parsed(path, text, judge, project) for path, text in texts.items()]
    for path, text in (beside or {}).items():
        _parsed(path, text, None, project)
    for module in modules:
        if module is not None:
            _lint(module, judge)
    return judge.findings()


def _parsed(path: str, text: str, judge: Judge | None, project: Project) -> Module | None:
    try:
        return project.module(parse(path, text))
    except SyntaxError as error:
        line, column, why = error.lineno or 1, (error.offset or 1) - 1, error.msg
    except ValueError as error:  # null bytes
        line, column, why = 1, 0, str(error)
    if judge is not None:
        _unreadable(path, text, line, column, why, judge)
    return None


def _lint(module: Module, judge: Judge) -> None:
    look = Look(judge, module)
    for check in MODULE_CHECKS:
        check(look)
    if "pypto" not in module.source.text:
        return
    reached: dict[Function, None] = {}
    for kernel in module.kernels:
        walk = Walk(kernel, judge)
        walk.run()
        reached |= dict.fromkeys([kernel, *walk.reached])
    _look_at_functions(reached, judge)


def _look_at_functions(functions: Iterable[Function], judge: Judge) -> None:
    for function in functions:
        look = Look(judge, function.module)
        for check in FUNCTION_CHECKS:
            check(look, function)


def _unreadable(path: str, text: str, line: int, column: int, why: str, judge: Judge) -> None:
    span = Span(path, line, max(column, 0), line, max(column, 0) + 1)
    source = SourceFile(path, text, tuple(text.split("\n")), ast.Module([], []), {})
    judge.add(Finding("PTO700", Site(span), {"why": why}), Module(source, Project()))
