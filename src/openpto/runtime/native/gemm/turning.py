"""Squares of vectors turned in registers."""

from __future__ import annotations

from .text import Text


def transposed(text: Text, kind: str, rows: list[str]) -> list[str]:
    """The columns of a square of 4, 8 or 16 vectors, by shuffles that x86 and NEON have instructions for."""
    count = len(rows)
    groups = range(0, count, 4)  # 128 bits each

    def two(a: str, b: str, picks: tuple[int, int, int, int]) -> str:
        return text.shuffle(kind, a, b, [g + p if p < 4 else g + p - 4 + count for g in groups for p in picks])

    quads: list[list[str]] = []  # [group of four rows][column in a group of four]
    for g in groups:
        low, high = (
            tuple(two(rows[g + k], rows[g + k + 1], picks) for k in (0, 2)) for picks in ((0, 4, 1, 5), (2, 6, 3, 7))
        )
        quads.append([two(a, b, picks) for a, b in (low, high) for picks in ((0, 1, 4, 5), (2, 3, 6, 7))])
    columns: dict[int, str] = {}
    for c in range(4):
        for place, column in enumerate(_gathered(text, kind, [quad[c] for quad in quads])):
            columns[4 * place + c] = column
    return [columns[k] for k in range(count)]


def _gathered(text: Text, kind: str, parts: list[str]) -> list[str]:
    """Piece k of every part, for each k; a piece is 128 bits."""
    count = 4 * len(parts)

    def pick(a: str, b: str, first: int, second: int, step: int) -> str:
        pieces = [first, first + step] if len(parts) == 4 else [first]
        other = [second, second + step] if len(parts) == 4 else [second]
        order = [4 * p + k for p in pieces for k in range(4)] + [count + 4 * p + k for p in other for k in range(4)]
        return text.shuffle(kind, a, b, order)

    if len(parts) == 1:
        return parts
    if len(parts) == 2:
        return [pick(parts[0], parts[1], p, p, 0) for p in range(2)]
    even = [pick(parts[k], parts[k + 1], 0, 0, 2) for k in (0, 2)]
    odd = [pick(parts[k], parts[k + 1], 1, 1, 2) for k in (0, 2)]
    # even holds pieces 0 and 2 of two parts, odd pieces 1 and 3
    return [pick(a, b, first, first, 2) for first in (0, 1) for a, b in (even, odd)]
