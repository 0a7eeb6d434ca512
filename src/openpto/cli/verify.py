"""`pypto verify`: an operator from its text to the device, as one command."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from typer.core import TyperCommand

PASSED, FAILED = 0, 1
REPLAYS = "replays"
"""The folder that a bare ``--replay`` means."""


class Command(TyperCommand):
    """The command whose option ``--replay`` may stand without a folder."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the words after ``verify``."""
        words: list[str] = []
        for word, following in zip(args, [*args[1:], "-"], strict=True):
            words += [word, REPLAYS] if word == "--replay" and following.startswith("-") else [word]
        return super().parse_args(ctx, words)


def run(
    target: Annotated[
        str,
        typer.Argument(
            metavar="TARGET", help="An operator of the gym, its folder, or a file: FILE.py[:KERNEL]; else this folder."
        ),
    ] = ".",
    case: Annotated[list[str] | None, typer.Option(metavar="NAME", help="Only this case. Repeatable.")] = None,
    slow: Annotated[bool, typer.Option("--slow", help="Also the cases that take long.")] = False,
    arg: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="What annotations of a kernel file leave open: x=8x64, n=3."),
    ] = None,
    profile: Annotated[
        Literal["0.2", "0.3"] | None, typer.Option("--target", help="The toolchain whose refusals are errors.")
    ] = None,
    chip: Annotated[
        Literal["910B", "910C", "950"] | None, typer.Option("--chip", help="The chip that tiles are held to.")
    ] = None,
    json_file: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write the report as JSON; - is the terminal.")
    ] = None,
    html_file: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="Write the report as one HTML file.")
    ] = None,
    replay: Annotated[
        Path | None,
        typer.Option("--replay", metavar="[DIR]", help=f"Write a replay file of every failure to DIR or {REPLAYS}/."),
    ] = None,
    require_device: Annotated[
        bool, typer.Option("--require-device", help="Fail if the last step did not run on a device.")
    ] = False,
) -> None:
    """Verify an operator: syntax and lint, golden, SIM on both engines, device.

    Exit code 0 if every step that was run passed, 1 otherwise. A step that was not run is named; it is no pass.
    """
    from openpto.cli import styled
    from openpto.cli.subjects import subject_of
    from openpto.diagnostics import NOWHERE, at
    from openpto.verify import html, text
    from openpto.verify.outcome import Step
    from openpto.verify.run import Options, verify

    shown: list[Step] = []
    out = sys.stderr if str(json_file) == "-" else sys.stdout

    def show(step: Step) -> None:
        shown.append(step)
        styled.write([text.step_line(len(shown), step)], out)

    with at(NOWHERE):  # a mistake in the question is on no line of a file
        subject = subject_of(target, slow=slow, cases=case or [], arguments=arg or [])
    found = verify(subject, Options(profile, chip, None if replay is None else str(replay), show))
    styled.write([*text.details(found), [], text.verdict(found)], out)
    if json_file is not None:
        content = json.dumps(found.as_json(), indent=1, ensure_ascii=False) + "\n"
        if str(json_file) == "-":
            typer.echo(content, nl=False)
        else:
            json_file.write_text(content, encoding="utf-8")
    if html_file is not None:
        html_file.write_text(html.page(found), encoding="utf-8")
    unrun = require_device and not found.on_device
    if found.state != "pass" or unrun:
        raise typer.Exit(FAILED)
