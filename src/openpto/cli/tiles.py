"""`pypto tiles`: legal tiles for an operation, what is wrong with another one, and the memory that a tile takes."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from typing import Any

from openpto.checks.choices import Choice, choices
from openpto.checks.memory_map import memory_map
from openpto.checks.query import ABOUT_CHIPS, TileFinding, findings
from openpto.checks.question import Question, Tile, asked, chips_named, element_type, tile_asked
from openpto.checks.suggest import setter_text
from openpto.cli.kernels import given
from openpto.cli.memory_picture import picture
from openpto.cli.styled import Line
from openpto.device import Chip
from openpto.diagnostics import T, fail, said
from openpto.language.configuration import settings
from openpto.language.tile_shapes import TileL0Info, TileL1Info

_TYPES = ("dtype", "out_dtype", "otype", "quant_dtype", "dstDataType")
"""Arguments that are element types."""

_HEAD = T("{op} {shapes} {dtypes} on the {chip}", "{op} {shapes} {dtypes}，芯片 {chip}")
_NONE = T("no legal tile was found", "没有找到合法的 tile")
_MOVES = T(
    "{op} moves data and is not cut by a tile of its own: any tile of {op}'s neighbours will do",
    "{op} 只移动数据，不由自己的 tile 切分：沿用相邻操作的 tile 即可",
)
_LEGAL = T("this tile is legal", "该 tile 合法")
_HELP = T("help: {text}", "建议：{text}")
_JOIN = T("; ", "；")
_PART = T("memory of {op}, the part of {name} that needs most", "{name} 中占用最多的部分 {op} 的内存")


def report(
    op: str, shape: str, dtype: str, chip: str | None, tile: str | None, arguments: Sequence[str], count: int
) -> tuple[list[Line], bool]:
    """The lines of the answer, and whether the operation has a legal tile (or the tile asked for is one).

    Raises PTO592 and PTO593 for names and shapes, PTO594 for a tile, PTO598 for arguments that are not understood, and
    what the operation refuses.
    """
    question = asked(op, shapes_of(shape), [element_type(name) for name in dtype.split(",")], _arguments(arguments))
    one = _chip(question, chip)
    names = ",".join(kind.short for kind in question.dtypes)
    head = said(_HEAD, op=question.decl.name, shapes=shape, dtypes=names, chip=one.name)
    if tile is not None:
        lines, good = _about(question, _tile(question, tile), one)
    else:
        lines, good = _suggested(question, one, count)
    return [[(head, "bold")], [], *lines], good


def shapes_of(text: str) -> list[Any]:
    """Shapes separated by commas, extents by ``x``; a number with a point is a scalar operand (PTO593).

    >>> shapes_of("64x512,512"), shapes_of("8x16,2.0")
    ([(64, 512), (512,)], [(8, 16), 2.0])
    """
    found: list[Any] = []
    for part in text.split(","):
        plain = part.strip().lower().replace("*", "x").replace("\N{MULTIPLICATION SIGN}", "x")
        if re.fullmatch(r"-?\d+\.\d*(e-?\d+)?", plain):
            found.append(float(plain))
        elif re.fullmatch(r"\d+(x\d+)*", plain):
            found.append(tuple(map(int, plain.split("x"))))
        else:
            fail("PTO593", text=part.strip() or text)
    return found


def _arguments(pairs: Sequence[str]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for name, text in given(pairs).items():
        try:
            values[name] = element_type(text) if name in _TYPES else ast.literal_eval(text)
        except (ValueError, SyntaxError):
            if name in _TYPES:
                raise
            values[name] = text
    return values


def _chip(question: Question, name: str | None) -> Chip:
    """The chip asked for, else that of the settings, else one that has the operation."""
    chosen = name or settings().platform or ("950" if question.decl.only_950 else "910B")
    return chips_named(chosen)[0]


def _tile(question: Question, text: str) -> Tile | None:
    """A tile as its setter takes it: numbers, or lists of them (PTO594)."""
    try:
        values = ast.literal_eval(f"({re.sub(r'(?<=[0-9])x(?=[0-9])', ',', text)},)")
    except (ValueError, SyntaxError):
        values = ()
    plain = all(type(v) is int for v in values)
    good = {
        "vector": plain and len(values) > 0,
        "cube": len(values) in (3, 4) and all(isinstance(v, list) for v in values[:3]),
        "conv": plain and len(values) in (8, 12),
    }[question.kind]
    if not good:
        fail("PTO594", text=text, op=question.decl.name, form=_FORMS[question.kind])
    if question.kind == "conv":
        return tile_asked(question, (TileL1Info(*values[:8]), TileL0Info(*values[8:]) if values[8:] else None))
    return tile_asked(question, values)


_FORMS = {
    "vector": "64,512",
    "cube": "[128,128],[64,256],[128,128]",
    "conv": "4,1,16,16,16,16,16,1 or the same and 1,16,16,16",
}


def _about(question: Question, tile: Tile | None, chip: Chip) -> tuple[list[Line], bool]:
    """What is wrong with one tile, and the memory it takes."""
    found = list(findings(question, tile, (chip,)))
    lines = [line for each in found for line in _finding(each)] or [[(said(_LEGAL), "green")]]
    refused = any(each.severity == "error" for each in found)
    shown = tile if not any(each.code in _UNSHOWN for each in found) else None
    return [*lines, *(_memories(question, shown, chip) if shown is not None else ())], not refused


_UNSHOWN = frozenset({"PTO301", "PTO302", "PTO303", "PTO320", "PTO328", "PTO330", "PTO331"})
"""Rules without which nothing can be counted."""


def _finding(found: TileFinding) -> Iterator[Line]:
    style = "red" if found.severity == "error" else "yellow"
    yield [(f"{found.severity}[{found.code}]", style), (f": {found.text}", "")]
    if found.suggestion:
        yield [("  " + said(_HELP, text=found.suggestion), "")]


def _suggested(question: Question, chip: Chip, count: int) -> tuple[list[Line], bool]:
    """Legal tiles, and the memory that the first one takes."""
    found = choices(question, chip, count)
    lines: list[Line] = []
    for number, choice in enumerate(found, 1):
        lines += [*_choice(number, choice), *(_memories(question, choice.tile, chip) if number == 1 else ()), []]
    if found:
        told = [each for each in findings(question, found[0].tile, (chip,)) if each.code in ABOUT_CHIPS]
        refused = [line for each in told for line in _finding(each)]
        return [*refused, *([[]] if refused else ()), *lines[:-1]], not any(each.severity == "error" for each in told)
    if question.decl.core == "move":
        return [[(said(_MOVES, op=question.decl.name), "")]], True
    return [[(said(_NONE), "red")]], False


def _choice(number: int, choice: Choice) -> Iterator[Line]:
    yield [(f"{number}. ", ""), (setter_text(choice.tile), "bold")]
    yield [("   " + said(_JOIN).join(choice.reasons), "")]


def _memories(question: Question, tile: Tile, chip: Chip) -> Iterator[Line]:
    memories = memory_map(question, tile, chip)
    if not memories:
        return
    yield []
    if memories[0].op != question.decl.name and question.kind == "vector":
        yield [("   " + said(_PART, op=memories[0].op, name=question.decl.name), "")]
    for line in picture(memories):
        yield [("   ", ""), *line]
