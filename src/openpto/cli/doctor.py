"""`pypto doctor`: arguments of the command; typer is not loaded, since the doctor has to speak where it is missing."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from openpto.diagnostics.language import current_language


def run(arguments: Sequence[str]) -> int:
    """Examine this installation; returns the exit code: 0 kernels run, 1 something keeps them from running."""
    options = _parser().parse_args(arguments)
    from openpto.doctor import report
    from openpto.doctor.examine import examine, exit_code

    made = examine(os.environ, Path.cwd(), run_kernels=not options.no_run)
    written = report.as_json if options.json else report.as_text
    text = written(made, current_language())
    sys.stdout.buffer.write(text.encode(sys.stdout.encoding or "utf-8", "replace"))
    sys.stdout.flush()
    return exit_code(made)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="pypto doctor",
        description="Say what is installed, which engine runs kernels and why, what is wrong, and what to do.",
        epilog="Exit code: 0 kernels run (there may be warnings), 1 something keeps them from running.",
    )
    parser.add_argument("--json", action="store_true", help="write the report as JSON")
    parser.add_argument("--no-run", action="store_true", help="run no kernels")
    return parser
