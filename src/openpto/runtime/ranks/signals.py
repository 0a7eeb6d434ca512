"""The signals of one PE about another one: an INT32 for every element of the shared block.

A signal or a wait that names a window concerns the elements of that window, one that names none all of them; so tiles
of a block can be signalled one by one and waited for together. Equal values are kept as boxes.
"""

from __future__ import annotations

from collections.abc import Iterator

from openpto._records import dataclass
from openpto.runtime.boxes import Box, outside, overlap

from .clocks import Clock, joined


def wrapped(value: int) -> int:
    """The value as an INT32 holds it.

    >>> wrapped(2**31)
    -2147483648
    """
    return (value + 2**31) % 2**32 - 2**31


@dataclass(frozen=True, slots=True)
class Piece:
    """A box of equal signals; who sees them knows ``clock``."""

    box: Box
    value: int
    clock: Clock


class Signals:
    """All zero at first."""

    __slots__ = ("_pieces", "_whole")

    def __init__(self, shape: tuple[int, ...], ranks: int) -> None:
        self._whole: Box = ((0,) * len(shape), shape)
        self._pieces = [Piece(self._whole, 0, (0,) * ranks)]

    def change(self, box: Box, value: int, clock: Clock, *, add: bool) -> None:
        """Set the signals of ``box``, or add to them; the new state carries ``clock``, and with ``add`` what it carried
        before too."""
        if not add and box == self._whole:
            self._pieces = [Piece(box, value, clock)]
            return
        pieces: list[Piece] = []
        for piece in self._pieces:
            common = overlap(piece.box, box)
            if common is None:
                pieces.append(piece)
                continue
            pieces.extend(Piece(rest, piece.value, piece.clock) for rest in outside(piece.box, *common))
            now = wrapped(piece.value + value) if add else value
            pieces.append(Piece(common, now, joined([piece.clock, clock]) if add else clock))
        self._pieces = pieces

    def values(self, box: Box) -> Iterator[tuple[Box, int]]:
        """The signals of ``box``, as boxes of equal ones."""
        for piece in self._pieces:
            common = overlap(piece.box, box)
            if common is not None:
                yield common, piece.value

    def are(self, box: Box, value: int) -> bool:
        """Whether all signals of ``box`` have this value."""
        return all(have == value for _, have in self.values(box))

    def clock(self, box: Box) -> Clock:
        """What somebody knows who sees the signals of ``box``."""
        return joined([p.clock for p in self._pieces if overlap(p.box, box) is not None])
