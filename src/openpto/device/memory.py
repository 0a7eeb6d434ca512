"""What a tile puts into one on-chip memory: its pieces, their sum, and the sum as a formula. Sizes in bytes."""

from __future__ import annotations

from collections import Counter
from math import ceil, prod

from openpto._records import dataclass

KIB = 1024


@dataclass(frozen=True, slots=True)
class Piece:
    """One buffer. `extents` are elements after padding, `itemsize` is bytes per element (a half for types of 4 bits).

    what    "input", "output", "scratch" and so on
    shared  it lies where an input lies and needs no room
    """

    what: str
    extents: tuple[int, ...]
    itemsize: float
    shared: bool = False

    @property
    def size(self) -> int:
        """Bytes of the buffer, wherever it lies."""
        return ceil(prod(self.extents) * self.itemsize)

    @property
    def text(self) -> str:
        """Its size as a product.

        >>> Piece("input", (64, 512), 4).text
        '64 x 512 x 4 B'
        """
        if len(self.extents) == 1 and self.itemsize == 1:
            return size_text(self.size)
        return " x ".join(map(str, self.extents)) + f" x {self.itemsize:g} B"


@dataclass(frozen=True, slots=True)
class Demand:
    """What one operation on one tile needs of one memory."""

    memory: str
    pieces: tuple[Piece, ...]

    @property
    def need(self) -> int:
        """Bytes in all."""
        return sum(piece.size for piece in self.pieces if not piece.shared)

    @property
    def sum_text(self) -> str:
        """The sum, equal buffers together.

        >>> Demand("UB", (Piece("input", (8, 16), 4),) * 2 + (Piece("scratch", (64,), 1),)).sum_text
        '2 buffers x 8 x 16 x 4 B + 64 B'
        """
        terms = Counter(piece.text for piece in self.pieces if not piece.shared and piece.size)
        return " + ".join(term if count == 1 else f"{count} buffers x {term}" for term, count in terms.items())

    def formula(self, have: int, owner: str = "") -> str:
        """The comparison with what there is; `owner` names the chip.

        >>> Demand("UB", (Piece("input", (64, 512), 4),) * 4).formula(192 * 1024)
        '4 buffers x 64 x 512 x 4 B = 512 KiB > 192 KiB UB'
        """
        need = self.need
        left, right = compared(need, have)
        terms = self.sum_text
        total = "" if terms == left else f" = {left}"
        of = f" of {owner}" if owner else ""
        return f"{terms}{total} {'>' if need > have else '<='} {right} {self.memory}{of}"


def size_text(size: int) -> str:
    """A size in KiB where two decimals say it exactly, else in bytes.

    >>> size_text(12800), size_text(196609), size_text(64)
    ('12.5 KiB', '196609 B', '64 B')
    """
    if size < KIB or size * 100 % KIB:
        return f"{size} B"
    return f"{size / KIB:.2f}".rstrip("0").rstrip(".") + " KiB"


def compared(need: int, have: int) -> tuple[str, str]:
    """Two sizes in one unit, exact where it matters.

    >>> compared(196609, 196608)
    ('196609 B', '196608 B')
    """
    left, right = size_text(need), size_text(have)
    if left.endswith("KiB") == right.endswith("KiB"):
        return left, right
    if need > 2 * have or 2 * need < have:
        return (left if need < KIB else f"{need / KIB:.1f} KiB"), right
    return f"{need} B", f"{have} B"
