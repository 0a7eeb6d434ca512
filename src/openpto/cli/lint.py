"""`pypto lint`: arguments of the command and its exit code; typer is not loaded, so that it starts quickly."""

from __future__ import annotations

import argparse
import io
import sys
import tokenize
from collections.abc import Callable, Sequence
from pathlib import Path

from openpto.device import CHIPS
from openpto.diagnostics import PROFILES, PyptoError, fail, user_boundary
from openpto.lint import fixes, output, sarif, settings
from openpto.lint.engine import lint_files, lint_text
from openpto.lint.findings import Finding

CLEAN, FOUND, USAGE = 0, 1, 2

FORMATS: dict[str, Callable[[Sequence[Finding], int], str]] = {
    "full": output.full,
    "concise": output.concise,
    "json": output.as_json,
    "sarif": sarif.as_sarif,
}


def run(arguments: Sequence[str]) -> int:
    """Run the command; returns its exit code: 0 nothing found, 1 findings, 2 the command cannot be carried out."""
    options = _parser().parse_args(arguments)
    try:
        with user_boundary():
            findings, files = _lint(options)
    except PyptoError as error:
        print(error, file=sys.stderr)
        return USAGE
    sys.stdout.write(FORMATS[options.format](findings, files))
    return FOUND if findings else CLEAN


def _lint(options: argparse.Namespace) -> tuple[list[Finding], int]:
    paths = [Path(path) for path in options.paths]
    from_stdin = options.paths == ["-"]
    name = options.stdin_filename or "<stdin>"
    start = Path(options.stdin_filename or ".") if from_stdin else paths[0]
    found = settings.Settings() if options.isolated else settings.load(start)
    chosen = settings.changed(
        found,
        select=_codes(options.select),
        extend_select=_codes(options.extend_select),
        ignore=_codes(options.ignore),
        target=options.target,
        chip=options.chip,
    )
    if from_stdin:
        if options.fix:
            fail("PTO794")
        return lint_text(sys.stdin.read(), name, chosen.selection), 1
    files = list(settings.python_files(paths, chosen.exclude))
    findings = lint_files(files, chosen.selection)
    if options.fix:
        count = repair(findings, {str(file) for file in files})
        print(f"{count} repaired", file=sys.stderr)
        findings = lint_files(files, chosen.selection) if count else findings
    return findings, len(files)


def repair(findings: Sequence[Finding], files: set[str]) -> int:
    """Rewrite those of the files that have findings with a fix; returns the number of repairs."""
    by_file: dict[str, list[Finding]] = {}
    for finding in findings:
        if finding.fix is not None and finding.fix.span.file in files:
            by_file.setdefault(finding.fix.span.file, []).append(finding)
    done = 0
    for file, found in by_file.items():
        raw = Path(file).read_bytes()
        encoding, _ = tokenize.detect_encoding(io.BytesIO(raw).readline)
        old = raw.decode(encoding)  # line ends stay as they are
        new, count = fixes.repaired(old, found)
        done += count
        if new != old:
            Path(file).write_bytes(new.encode(encoding))
    return done


def _codes(given: list[str] | None) -> list[str]:
    return [code.strip() for text in given or () for code in text.split(",") if code.strip()]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="pypto lint",
        description="Look for mistakes in kernel files without running them.",
        epilog="Exit code: 0 nothing found, 1 findings, 2 the command cannot be carried out. A line is silenced by "
        "`# noqa: PTO412`. Settings: [tool.pypto.lint] in pyproject.toml.",
    )
    add = parser.add_argument
    add(
        "paths",
        nargs="*",
        default=["."],
        metavar="PATH",
        help="files and folders (default: .); - reads a file from stdin",
    )
    add("--select", action="append", metavar="CODES", help="rules that apply: PTO2, PTO236, OL48, ALL, DEFAULT, GYM")
    add("--extend-select", action="append", metavar="CODES", help="rules that apply as well")
    add("--ignore", action="append", metavar="CODES", help="rules that do not apply")
    add("--target", choices=PROFILES, help="toolchain whose refusals are errors")
    add("--chip", choices=CHIPS, help="chip whose limits count")
    add("--format", choices=FORMATS, default="full", help="how findings are written (default: full)")
    add("--fix", action="store_true", help="repair what can be repaired, then look again")
    add("--stdin-filename", metavar="FILE", help="the name of what stdin holds")
    add("--isolated", action="store_true", help="read no pyproject.toml")
    return parser
