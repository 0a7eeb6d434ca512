"""`pypto lsp`: arguments of the command; typer is not loaded, so that an editor need not wait."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from openpto.diagnostics import NOWHERE, PyptoError, at, user_boundary

USAGE = 2


def run(arguments: Sequence[str]) -> int:
    """Serve until the client leaves; returns the exit code: 0 after `shutdown`, 1 without, 2 if it cannot start."""
    _parser().parse_args(arguments)
    try:
        with user_boundary(), at(NOWHERE):
            from openpto.lsp.start import require

            require()
    except PyptoError as error:
        print(error, file=sys.stderr)
        return USAGE
    from openpto.lsp.server import serve

    return serve()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="pypto lsp",
        description="Serve an editor: findings of pypto lint, their repairs and the pages of codes and operations, by "
        "the language server protocol on stdin and stdout. The editor starts this command (docs/editor.md).",
    )
    parser.add_argument("--stdio", action="store_true", help="speak on stdin and stdout, as it always does")
    return parser
