"""`pypto gym`: the operators that come with the project, and whether they are right on this machine."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from openpto.cli.gym_mutants import mutants
from openpto.language.configuration import configure

if TYPE_CHECKING:
    from openpto_gym.check import Result

app = typer.Typer(
    no_args_is_help=True, rich_markup_mode=None, help="List, show and check the operators that come with the project."
)

app.command("mutants")(mutants)


@app.command("list")
def list_operators() -> None:
    """List the operators."""
    from openpto_gym.registry import operators

    found = operators()
    width = max(len(operator.name) for operator in found)
    for operator in found:
        typer.echo(f"{operator.name.ljust(width)}  {len(operator.cases):3} cases  {operator.summary}")


@app.command("show")
def show(
    name: Annotated[str, typer.Argument(metavar="NAME", help="An operator; `pypto gym list` shows them.")],
) -> None:
    """Show an operator: its page, its kernel file and its cases with their kinds."""
    from openpto_gym.kinds import kinds_of, plain_name
    from openpto_gym.models import MODELS
    from openpto_gym.registry import folder, load
    from openpto_gym.table import columns

    operator = load(name)
    place = folder(name)
    typer.echo((place / "README.md").read_text(encoding="utf-8"))
    typer.echo(f"Kernel: {place / 'kernel.py'}\n\nCases:\n")
    models = MODELS.get(name, {})
    rows = [
        (
            case.name,
            case.dtype.short,
            case.sizes,
            str(case.tolerance),
            "slow" if case.slow else "",
            ", ".join(kinds_of(name, case)),
            models.get(plain_name(case), ""),
        )
        for case in operator.cases
    ]
    for line in columns(rows):
        typer.echo(f"  {line}")


@app.command("run")
def run(
    names: Annotated[list[str] | None, typer.Argument(metavar="[NAME...]", help="Operators.")] = None,
    every: Annotated[bool, typer.Option("--all", help="All operators.")] = False,
    slow: Annotated[bool, typer.Option("--slow", help="Also the cases that take long.")] = False,
    dtype: Annotated[
        list[str] | None, typer.Option(metavar="TYPE", help="Only cases of this type. Repeatable.")
    ] = None,
    golden: Annotated[Literal["torch", "numpy"], typer.Option(help="What computes the goldens, in float64.")] = "torch",
    engine: Annotated[
        Literal["auto", "reference", "native"] | None, typer.Option(help="The engine that runs the kernels.")
    ] = None,
    replay: Annotated[
        str | None, typer.Option("--replay", metavar="DIR", help="Write a replay file of every failure there.")
    ] = None,
    html: Annotated[
        Path | None, typer.Option(metavar="FILE", dir_okay=False, help="Also write a report with maps of the errors.")
    ] = None,
) -> None:
    """Run cases and compare them with goldens. Exit code 1 if a case misses its tolerance, fails or is skipped."""
    from openpto_gym import table
    from openpto_gym.check import check, chosen_cases
    from openpto_gym.registry import NAMES, load

    if bool(names) == every:
        raise typer.BadParameter("name operators, or give --all")
    if html is not None and not html.absolute().parent.is_dir():
        raise typer.BadParameter(f"there is no folder {html.parent}", param_hint="--html")
    chosen = [load(name) for name in (NAMES if every else names or ())]
    types = frozenset(text.lower().removeprefix("dt_") for text in dtype or ())
    results: list[Result] = []
    given = {"engine": engine, "replay_dir": replay}
    with configure(**{name: value for name, value in given.items() if value is not None}):
        for operator in chosen:
            for case in chosen_cases(operator, slow=slow, dtypes=types):
                results += check(operator, case, golden, maps=html is not None)
    if not results:
        raise typer.BadParameter("there is no such case")
    table.write(results)
    if html is not None:
        from openpto_gym.html.page import page

        html.write_text(page(results, golden), encoding="utf-8", newline="\n")
    counts = table.counts(results)
    typer.echo(", ".join(f"{count} {verdict}" for verdict, count in counts.items()))
    _explain(results)
    if counts.keys() != {"ok"}:
        raise typer.Exit(1)


def _explain(results: list[Result]) -> None:
    """What is wrong, in full, after the table."""
    for result in results:
        if result.verdict in ("miss", "error"):
            print(f"\n{result.operator} {result.case} {result.output}: {result.details}", file=sys.stderr)
    if any(result.verdict == "skipped" for result in results):
        print("A skipped case is no pass: install torch, or compare with --golden numpy.", file=sys.stderr)
