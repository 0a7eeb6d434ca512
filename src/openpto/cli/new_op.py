"""`pypto new op`: the folder of a new operator, which passes as it is and shows where to go on."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterator, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Literal

import typer

from openpto.diagnostics import NOWHERE, at, fail, user_boundary

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Make what is new from a template.")

Family = Literal["vector", "matmul", "attention", "recurrent"]
FAMILIES: dict[str, tuple[str, str]] = {
    "vector": ("case.shape, case.numpy_dtype(), case.seed", "(size, case.shape[1])"),
    "matmul": ("case.shape, case.numpy_dtype(), case.seed", '{**case.shape, "x": (size, case.shape["x"][1])}'),
    "attention": (
        "case.shape, case.numpy_dtype(), case.seed",
        '{"query": (2, size, 64), "key": (2, size + 3, 64)}',
    ),
    "recurrent": ("case.shape, case.seed", "(2, size, 64)"),
}
"""Per family what the test gives `_make_inputs` for a case, and for a size of its dynamic extent."""
_NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
LONGEST = 60


@app.command("op")
def op(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Of the operator, in snake_case: fused_gate.")],
    family: Annotated[
        Family,
        typer.Option(
            help="vector: sum and RMS norm; matmul: linear layer with SiLU; attention: running softmax; "
            "recurrent: linear attention with a state."
        ),
    ] = "vector",
    folder: Annotated[
        Path, typer.Option("--dir", metavar="DIR", help="Where the folder NAME is made.", file_okay=False)
    ] = Path(),
) -> None:
    """Make the folder of a new operator: kernel, golden, cases, test and README, which pass as they are.

    Change the formula in the golden, then in the kernel. Nothing that exists is overwritten.
    """
    with at(NOWHERE):  # a mistake in the question is on no line of a file
        place = create(name, family, folder)
    typer.echo(f"{place}:")
    for file in sorted(place.iterdir()):
        typer.echo(f"  {file.name}")
    typer.echo(
        f"\ncd {place}\npytest                 # the cases\npypto verify .         # every step up to the device"
    )


@user_boundary()
def create(name: str, family: Family, folder: Path) -> Path:
    """Write the folder ``name`` in ``folder`` and return it.

    Raises:
        ValueError: PTO585, no name of an operator. FileExistsError: PTO586, the folder exists.
    """
    if not _NAME.fullmatch(name) or keyword.iskeyword(name) or len(name) > LONGEST:
        fail("PTO585", name=name, near=_near(name))
    place = folder / name
    if place.exists():
        fail("PTO586", place=str(place))
    written = list(_written(name, family))  # before anything is made
    place.mkdir(parents=True)
    for file, text in written:
        (place / file).write_text(text, encoding="utf-8")
    return place


def _written(name: str, family: Family) -> Iterator[tuple[str, str]]:
    """Every file with its text."""
    make, sized = FAMILIES[family]
    texts = {
        f"{name}_impl.py": f"{family}/impl.py",
        f"{name}_golden.py": f"{family}/golden.py",
        f"test_{name}.py": "common/test.py",
        "test_cases.json": f"{family}/cases.json",
    }
    words = {"$make": make, "$sized": make.replace("case.shape", sized, 1), "$op": name}
    for file, template in texts.items():
        yield file, _filled(_template(template), words)
    yield "README.md", _filled(_template(f"{family}/README.md") + _template("common/next.md"), words)


def _filled(text: str, words: Mapping[str, str]) -> str:
    for word, replacement in words.items():
        text = text.replace(word, replacement)
    return text


def _template(name: str) -> str:
    return (files("openpto.cli") / "templates" / f"{name}.txt").read_text(encoding="utf-8")


def _near(name: str) -> str:
    """A name that is one."""
    words = re.findall(r"[a-z0-9]+", re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", name).lower())
    near = "_".join(words).lstrip("0123456789_")[:LONGEST].rstrip("_")
    return f"{near}_op" if keyword.iskeyword(near) else near or "my_op"
