"""How products are cut on a code path: vectors, blocks of registers, blocks of cache.

None of it changes a bit: an element of C is one chain over k, kept in FP32 between two panels of k.
"""

from __future__ import annotations

from openpto._records import dataclass

PADDING = 16
"""Words between the rows of packed A beyond their length: a power-of-two distance would put them into the same cache
sets; stores of whole vectors may also reach past the end of a row."""

AHEAD = 8
"""Rows of B that a micro-kernel asks for before it needs them, from the second cache."""
LINE = 16
"""Words in a cache line."""
ALIASED = 1024
"""Words; rows at multiples of this distance share cache sets."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Sizes on one code path; a word is 32 bits: one FP32, or several INT8.

    lanes    words in a vector register
    vectors  vectors in a row of a block of C that is held in registers; together a multiple of sixteen words
    heights  rows of such a block, tallest first; what is left at the edge is computed by the next taller one
    thin     heights, without the tallest, of blocks of one vector; none: they are not worth code of their own
    depth    words of k between two visits of C
    rows     rows of A that are packed together, if there are many
    few      rows of A up to which they are packed at once, and B panel by panel, so that one stays in the nearest cache
    columns  columns of B that are packed together
    """

    lanes: int
    vectors: int
    heights: tuple[int, ...]
    thin: tuple[int, ...]
    depth: int
    rows: int
    few: int
    columns: int

    @property
    def width(self) -> int:
        """Columns of a panel of packed B."""
        return self.lanes * self.vectors

    def tallest(self, vectors: int) -> int:
        """Rows of the tallest block of some vectors."""
        return self.heights[0] if vectors == self.vectors else self.thin[0]

    @property
    def stride(self) -> int:
        """Words from row to row of packed A."""
        return self.depth + PADDING

    @property
    def panels(self) -> int:
        """Words of all panels of packed B: each begins with a row of corrections, the last may be overrun."""
        return (self.depth + 1) * self.columns + PADDING * self.width

    @property
    def workspace(self) -> int:
        """Words that a routine needs beside its operands."""
        return self.panels + (max(self.rows, self.few) + PADDING) * self.stride


WIDE = Plan(16, 2, (12, 8, 4), (8, 4), 384, 48, 144, 512)
"""32 registers of 512 bits."""
MIDDLE = Plan(8, 2, (6, 4, 2), (), 256, 48, 144, 512)
"""16 registers of 256 bits."""
NEON = Plan(4, 4, (6, 4, 2), (), 256, 48, 144, 256)
"""32 registers of 128 bits."""
PLAIN = Plan(4, 4, (2,), (), 256, 48, 144, 256)
"""16 registers of 128 bits, multiply-adds by the library."""
PLANS = (WIDE, MIDDLE, NEON, PLAIN)


def plan_of(features: frozenset[str], is_x86: bool) -> Plan:
    """The plan of a code path."""
    if not is_x86:
        return NEON
    if "avx512f" in features and "avx512bw" in features:
        return WIDE
    return MIDDLE if "avx2" in features and "fma" in features else PLAIN
