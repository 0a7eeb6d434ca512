"""`pypto gym mutants`: operators with planted faults, and which check finds each."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from collections.abc import Iterable

    from openpto_gym.mutation.trial import Outcome


def mutants(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME...]", help="Operators, or modules that kernels share.")
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="All of them; takes some minutes.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Everything about every mutant, as JSON.")] = False,
    each: Annotated[bool, typer.Option("--each", help="A line per mutant, also with --all.")] = False,
    jobs: Annotated[int, typer.Option(min=1, help="Processes that work at once.")] = 1,
    draw: Annotated[int | None, typer.Option("--sample", min=1, help="Only so many, drawn from all chosen.")] = None,
    seed: Annotated[int, typer.Option(help="Of --sample.")] = 0,
) -> None:
    """Plant faults in operators, one at a time, and report which check finds each.

    Exit code 1 if fewer than 95 % of the faults are found, or if a change that is said to mean the same is found.
    """
    from openpto_gym.mutation.campaign import campaign, sample
    from openpto_gym.mutation.mutant import subject, subjects
    from openpto_gym.mutation.report import as_json as described
    from openpto_gym.mutation.tally import tally

    if bool(names) == every:
        raise typer.BadParameter("name operators, or give --all")
    chosen = [found.name for found in (subjects() if every else map(subject, names or ()))]
    running = campaign(chosen, jobs) if draw is None else sample(chosen, draw, seed, jobs)
    outcomes = list(_shown(running))
    if as_json:
        typer.echo(json.dumps([described(outcome) for outcome in outcomes], indent=1, ensure_ascii=False))
    else:
        _write(outcomes, each or not every)
    if not tally(outcomes).good:
        raise typer.Exit(1)


def _shown(outcomes: Iterable[Outcome]) -> Iterable[Outcome]:
    """The outcomes; on a terminal with a line that says how far it is."""
    terminal = sys.stderr.isatty()
    for count, outcome in enumerate(outcomes, 1):
        if terminal:
            print(f"\r\033[K{count} {outcome.mutant.name}", end="", file=sys.stderr, flush=True)
        yield outcome
    if terminal:
        print("\r\033[K", end="", file=sys.stderr, flush=True)


def _write(outcomes: list[Outcome], each: bool) -> None:
    from openpto_gym.mutation import report

    parts: list[Iterable[str]] = [report.lines_of_kernel(outcomes)] if each else []
    parts += [report.by_check(outcomes), report.by_kind(outcomes)]
    if len({outcome.mutant.subject for outcome in outcomes}) > 1:
        parts.append(report.by_subject(outcomes))
    for part in parts:
        for line in (*part, ""):
            typer.echo(line)
    for line in report.end(outcomes):
        typer.echo(line)
