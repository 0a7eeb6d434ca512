"""What happened before what: vector clocks over the ranks of a launch.

Every rank counts its own releases (signals it sent, barriers it reached). Its clock says of every other rank up to
which of that rank's releases it knows; it learns by a signal it waited for. An access of rank r that was made at count
t happened before everything of a rank whose clock says at least t for r.
"""

from __future__ import annotations

from collections.abc import Iterable

Clock = tuple[int, ...]


def joined(clocks: Iterable[Clock]) -> Clock:
    """What somebody knows who has heard of all of them.

    >>> joined([(1, 0), (0, 3)])
    (1, 3)
    """
    return tuple(map(max, zip(*clocks, strict=True)))


def knows(clock: Clock, rank: int, time: int) -> bool:
    """Whether what ``rank`` did at ``time`` happened before."""
    return clock[rank] >= time
