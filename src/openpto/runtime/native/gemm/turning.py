"""Squares of four words turned in registers."""

from __future__ import annotations

from openpto.runtime.native.loopir import LANES

from .text import Text


def exchanged(text: Text, vector: str, rows: list[str]) -> list[str]:
    """Four vectors of sixteen words: word j of 128 bits of row i becomes word i of the same 128 bits of row j. x86 and
    NEON have instructions for these shuffles."""

    def two(a: str, b: str, picks: tuple[int, int, int, int]) -> str:
        groups = range(0, LANES, 4)
        return text.shuffle(vector, a, b, [g + p if p < 4 else g + p - 4 + LANES for g in groups for p in picks])

    low, high = (tuple(two(rows[k], rows[k + 1], picks) for k in (0, 2)) for picks in ((0, 4, 1, 5), (2, 6, 3, 7)))
    return [two(a, b, picks) for a, b in (low, high) for picks in ((0, 1, 4, 5), (2, 3, 6, 7))]
