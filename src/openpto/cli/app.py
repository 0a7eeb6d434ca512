"""The commands of `pypto`: parsing of arguments and nothing else; each command calls a module beside this one."""

from __future__ import annotations

import typer

from openpto._version import API_LEVEL, __version__

app = typer.Typer(no_args_is_help=True, add_completion=False, rich_markup_mode=None)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"openpto {__version__} (pypto API {API_LEVEL})")
        raise typer.Exit


@app.callback()
def _root(
    version: bool = typer.Option(
        False, "--version", help="Print the versions and exit.", callback=_print_version, is_eager=True
    ),
) -> None:
    """Run, inspect and explain PyPTO tile kernels on any machine."""


def run() -> None:
    """Run the command on the arguments of this process."""
    app()
