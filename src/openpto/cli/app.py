"""The commands of `pypto`: parsing of arguments and nothing else; each command calls a module beside this one."""

from __future__ import annotations

import sys
from functools import partial
from typing import Annotated, Literal

import typer

from openpto._version import API_LEVEL, __version__
from openpto.cli import cache, gym, new_op, replay, shrink, verify
from openpto.diagnostics import NOWHERE, PyptoError, at, user_boundary

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.add_typer(cache.app, name="cache")
app.add_typer(gym.app, name="gym")
app.add_typer(new_op.app, name="new")

_reads_its_arguments = partial(
    app.command,
    add_help_option=False,
    context_settings={"ignore_unknown_options": True, "allow_extra_args": True},
)
"""For commands that take what follows their name as it stands."""


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"openpto {__version__} (pypto API {API_LEVEL})")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", help="Print the versions and exit.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """Run, inspect and explain PyPTO tile kernels on any machine."""


@app.command("ir")
def _ir(
    target: Annotated[str, typer.Argument(metavar="FILE[:KERNEL]", help="A Python file, and one of its kernels.")],
    arg: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="What annotations leave open: x=8x64, x=8x64:INT32, n=3. Repeatable."),
    ] = None,
    stage: Annotated[
        Literal["tile", "loop", "llvm", "asm"],
        typer.Option(help="tile: what the author wrote; then what the native engine makes of it, in turn."),
    ] = "tile",
) -> None:
    """Print the IR of a file's kernels. The file is imported, not run as a script."""
    from openpto.cli import show_ir

    for number, text in enumerate(show_ir.texts(target, arg or [], stage)):
        typer.echo(("\n" if number else "") + text.rstrip("\n"))


@app.command("explain")
def _explain(
    what: Annotated[
        list[str] | None,
        typer.Argument(metavar="CODE | WORDS | FILE | -", help="PTO301, F21004, a message, a symptom, a log; - stdin."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the answer as a JSON object.")] = False,
) -> None:
    """Print the one page that answers a code, a pasted log or a symptom in words, and name the near ones.

    The log may have megabytes, in English or Chinese. Exit code 1 if nothing answers.
    """
    from openpto.cli import explain

    if not what and sys.stdin.isatty():
        raise typer.BadParameter("a code, words or a file is needed", param_hint="WORDS")
    with at(NOWHERE):  # a file that is missing is on no line of a file
        found = explain.run(what or (), as_json)
    if not found:
        raise typer.Exit(1)


@app.command("guide")
def _guide(
    query: Annotated[
        list[str] | None,
        typer.Argument(metavar="[KEY | WORDS]", help="A leaf, or what you see; nothing for the table of leaves."),
    ] = None,
    walk: Annotated[bool, typer.Option("--walk", help="Ask what you see, question by question.")] = False,
    lang: Annotated[Literal["en", "zh"] | None, typer.Option(help="Language of the guide.")] = None,
) -> None:
    """Lead from what you see to one page: why it happens, how to find out, wrong and right code."""
    from openpto.cli import guide

    if not guide.run(" ".join(query or ()), walk, lang):
        raise typer.Exit(1)


@_reads_its_arguments("lint")
def _lint(context: typer.Context) -> None:
    """Look for mistakes in kernel files without running them."""
    from openpto.cli import lint

    raise typer.Exit(lint.run(context.args))


app.command("verify", cls=verify.Command)(verify.run)
app.command("replay")(replay.run)
app.command("shrink")(shrink.run)


@_reads_its_arguments("doctor")
def _doctor(context: typer.Context) -> None:
    """Say what is installed, which engine runs kernels and why, what is wrong, and what to do."""
    from openpto.cli import doctor

    raise typer.Exit(doctor.run(context.args))


@_reads_its_arguments("lsp")
def _lsp(context: typer.Context) -> None:
    """Serve an editor: findings, repairs and pages of codes, by the language server protocol."""
    from openpto.cli import lsp

    raise typer.Exit(lsp.run(context.args))


@app.command("tiles")
def _tiles(
    op: Annotated[str, typer.Argument(metavar="OP", help="A public operation: add, softmax, matmul, conv ...")],
    shape: Annotated[
        str, typer.Argument(metavar="SHAPE", help="1024x512, several with commas; MxKxN for both operands of a matmul.")
    ],
    dtype: Annotated[str, typer.Argument(metavar="DTYPE", help="FP32; several with commas.")],
    chip: Annotated[
        str | None, typer.Option(metavar="CHIP", help="910B, 910C or 950; else that of PYPTO_PLATFORM, else 910B.")
    ] = None,
    tile: Annotated[
        str | None, typer.Option(metavar="TILE", help="Check this tile: 64,512 or [128,128],[64,256],[128,128].")
    ] = None,
    arg: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="More arguments: dim=0, out_dtype=FP16. Repeatable."),
    ] = None,
    count: Annotated[int, typer.Option(min=1, max=20, help="How many tiles to suggest.")] = 3,
) -> None:
    """Suggest legal tiles for an operation, the most promising first, and show the memory they take.

    Exit code 1 if there is none, or if the tile given with --tile is refused.
    """
    from openpto.cli import styled, tiles

    with at(NOWHERE):  # a mistake in the question is on no line of a file
        lines, good = tiles.report(op, shape, dtype, chip, tile, arg or [], count)
    styled.write(lines, sys.stdout)
    if not good:
        raise typer.Exit(1)


def run() -> None:
    """Run the command on the arguments of this process. A coded stop is printed and ends it with exit code 1."""
    try:
        with user_boundary():
            app()
    except PyptoError as error:
        print(error, file=sys.stderr)
        sys.exit(1)
