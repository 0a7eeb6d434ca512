"""`pypto shrink`: the smallest kernel and data that still end as recorded."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from openpto.diagnostics import T, said

_DONE = T(
    "{lines} lines and {elements} elements of {lines_before} and {elements_before}, {tried} candidates tried",
    "由 {lines_before} 行、{elements_before} 个元素缩小到 {lines} 行、{elements} 个元素，共尝试 {tried} 个候选",
)
_KEPT = T("as recorded, {what}", "与记录一致：{what}")
_OVER = T("the time is over; --seconds gives it more", "时间已到；可用 --seconds 延长")
_DOING = {
    "text": T("text", "文本"), "statements": T("statements", "语句"), "blocks": T("blocks", "语句块"),
    "helpers": T("helpers", "helper"), "parameters": T("parameters", "参数"), "names": T("names", "名称"),
    "expressions": T("expressions", "表达式"), "sizes": T("sizes", "尺寸"), "data": T("data", "数据"),
}  # fmt: skip
_STATUS = T(
    "{doing}: {lines} lines, {elements} elements, {tried} tried",
    "{doing}：{lines} 行，{elements} 个元素，已尝试 {tried}",
)


def run(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A replay file.")],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="PATH", help="The result: PATH.replay.json and PATH.py; by default FILE-small."
        ),
    ] = None,
    seconds: Annotated[float, typer.Option(min=1.0, help="After these the best result so far counts.")] = 120.0,
    keep_values: Annotated[
        bool, typer.Option("--keep-values", help="Elements that were right stay right, also beside missing ones.")
    ] = False,
    per_run: Annotated[float, typer.Option(min=0.1, help="Seconds that one candidate may take.")] = 10.0,
) -> None:
    """Make a recorded call small: fewest statements, parameters and elements that keep its code or wrong elements.

    The result is a replay file and a kernel file that runs by itself. The file holds code, which is executed.
    """
    from openpto.capsule.replay_file import read, text_of
    from openpto.diagnostics import NOWHERE, at
    from openpto.verify.kernel_file import kernel_file
    from openpto.verify.shrinking.shrink import shrink

    with at(NOWHERE):
        found = read(file)
    with _shown() as show:
        done = shrink(found, seconds=seconds, per_run=per_run, values=keep_values, show=show)
    stem = output if output is not None else file.with_name(file.name.removesuffix(".replay.json") + "-small")
    small, kernel = Path(f"{stem}.replay.json"), Path(f"{stem}.py")
    small.write_text(text_of(done.replay), encoding="utf-8")
    kernel.write_text(kernel_file(done.replay), encoding="utf-8")
    typer.echo(done.replay.call.flat.text)
    typer.echo(said(_DONE, **{name: getattr(done, name) for name in
                               ("lines", "elements", "lines_before", "elements_before", "tried")}))  # fmt: skip
    typer.echo(said(_KEPT, what=said(done.kept)))
    if not done.finished:
        typer.echo(said(_OVER))
    typer.echo(f"{small}\n{kernel}")


@contextmanager
def _shown() -> Iterator[Callable[[Any], None]]:
    """Progress on a terminal; silence elsewhere."""
    if not sys.stderr.isatty():
        yield lambda progress: None
        return
    from rich.console import Console

    with Console(stderr=True).status("") as status:
        yield lambda progress: status.update(
            said(
                _STATUS,
                doing=said(_DOING[progress.doing]),
                lines=progress.lines,
                elements=progress.elements,
                tried=progress.tried,
            )
        )
