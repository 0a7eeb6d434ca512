"""A small picture of on-chip memories: a bar per memory, and what lies in it. Colours on a terminal, else letters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from string import ascii_uppercase

from openpto.checks.memory_map import Memory
from openpto.cli.styled import Line
from openpto.device import Piece
from openpto.device.memory import compared, size_text
from openpto.diagnostics import T, said
from openpto.diagnostics.source import cell_width

WIDTH = 40
"""Cells of a bar."""
_STYLES = ("cyan", "magenta", "yellow", "green", "blue", "red")

_WHAT = {
    "input": T("input", "输入"),
    "output": T("output", "输出"),
    "scratch": T("scratch", "临时空间"),
    "weight": T("weight", "权重"),
    "bias": T("bias", "偏置"),
    "scales": T("scales", "缩放因子"),
    "sums": T("sums", "累加值"),
    "tile of A": T("tile of A", "A 的 tile"),
    "tile of B": T("tile of B", "B 的 tile"),
    "copy of A": T("copy of A", "A 的副本"),
    "copy of B": T("copy of B", "B 的副本"),
}
_SHARED = T("in the place of an input", "占用输入的位置")
_FILLED = T("{need} of {have}, {percent} %", "{have} 中的 {need}，{percent}%")
_TURNS = T("not at a time", "不同时存放")


def picture(memories: Sequence[Memory]) -> Iterator[Line]:
    """The lines of the picture.

    The bar of a memory that is too small is full and ends with ``!``.
    """
    name_width = max((cell_width(memory.demand.memory) for memory in memories), default=0)
    for memory in memories:
        pieces = [piece for piece in memory.demand.pieces if not piece.shared]
        yield [(_pad(memory.demand.memory, name_width) + "  [", ""), *_bar(memory, pieces), (_filled(memory), "")]
        yield from _legend(memory, pieces, name_width)


def _bar(memory: Memory, pieces: Sequence[Piece]) -> Line:
    """One segment per buffer; ends are rounded so that the whole is as long as it should be."""
    ends, total = [], 0
    for piece in pieces:
        total += piece.size
        ends.append(min(round(WIDTH * total / memory.have), WIDTH))
    cells = [end - start for start, end in zip([0, *ends], ends, strict=False)]
    line = [(_letter(number) * count, _style(number)) for number, count in enumerate(cells) if count]
    over = memory.demand.need > memory.have and not _in_turn(memory)
    return [*line, ("." * (WIDTH - sum(cells)), ""), ("!" if over else "", "bold red")]


def _in_turn(memory: Memory) -> bool:
    """Whether copies that do not fit together come one after the other."""
    pieces, need = memory.demand.pieces, memory.demand.need
    copies = all(piece.what.startswith("copy") for piece in pieces)
    return copies and need > memory.have >= max(piece.size for piece in pieces)


def _filled(memory: Memory) -> str:
    need, have = compared(memory.demand.need, memory.have)
    percent = f"{memory.percent:.0f}"
    shown = said(_FILLED, need=need.removesuffix(" " + have.split()[1]), have=have, percent=percent)
    return f"]  {shown}" + (f" ({said(_TURNS)})" if _in_turn(memory) else "")


def _legend(memory: Memory, pieces: Sequence[Piece], indent: int) -> Iterator[Line]:
    rows = []
    number = 0
    for piece in memory.demand.pieces:
        what = said(_WHAT[piece.what]) if piece.what in _WHAT else piece.what
        if piece.shared:
            rows.append((" ", "", what, _product(piece), said(_SHARED)))
        else:
            rows.append((_letter(number), _style(number), what, _product(piece), size_text(piece.size)))
            number += 1
    widths = [max(cell_width(row[column]) for row in rows) for column in (2, 3)]
    for letter, style, what, size, note in rows:
        text = f" {_pad(what, widths[0])}  {_pad(size, widths[1])}  {note}"
        yield [(" " * (indent + 3), ""), (letter, style), (text.rstrip(), "")]


def _product(piece: Piece) -> str:
    text = piece.text
    return "" if text == size_text(piece.size) else text


def _letter(number: int) -> str:
    return ascii_uppercase[number % len(ascii_uppercase)]


def _style(number: int) -> str:
    return _STYLES[number % len(_STYLES)]


def _pad(text: str, width: int) -> str:
    return text + " " * (width - cell_width(text))
