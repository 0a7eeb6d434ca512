"""`pypto replay`: run a recorded call again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from openpto.diagnostics import T, said

_REPRODUCED = T("reproduced: {what}", "已复现：{what}")
_NOT = T("NOT reproduced:", "未复现：")
_KINDS = {
    "stop": T("it stops with {code}", "以 {code} 停止"),
    "outputs": T("all tensors have the recorded bits", "所有 tensor 与记录逐位相同"),
    "comparison": T(
        "all tensors have the recorded bits, and miss the golden", "所有 tensor 与记录逐位相同，且不符合标准结果"
    ),
    "engines": T("the engines differ as recorded", "两个引擎的差异与记录相同"),
}


def run(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A replay file.")],
    engine: Annotated[
        Literal["native", "reference"] | None, typer.Option(help="Another engine than the recorded one.")
    ] = None,
    kernel: Annotated[
        Path | None, typer.Option("--kernel", metavar="PATH", help="Also write the kernel as a Python file that runs.")
    ] = None,
) -> None:
    """Run a recorded call again, bit for bit. The file holds the kernel's code, which is executed.

    Exit code 0 if it ends as recorded, 1 if not.
    """
    from dataclasses import replace

    from openpto.capsule.replay_file import read
    from openpto.diagnostics import NOWHERE, at
    from openpto.verify.kernel_file import kernel_file
    from openpto.verify.replay import replayed

    with at(NOWHERE):
        found = read(file)
    if engine is not None:
        found = replace(found, settings={**found.settings, "engine": engine})
    if kernel is not None:
        kernel.write_text(kernel_file(found), encoding="utf-8")
    done = replayed(found)
    for text in done.told:
        typer.echo(text + "\n")
    if done.reproduced:
        code = found.outcome.stop.code if found.outcome.stop is not None else ""
        what = said(_KINDS[found.kind], code=code)
        typer.echo(said(_REPRODUCED, what=what))
        return
    typer.echo(said(_NOT))
    for text in done.differences:
        typer.echo(f"  {text}")
    raise typer.Exit(1)
