"""Where a running kernel is and how messages print extents; one wording for every engine."""

from __future__ import annotations

from collections.abc import Sequence

from openpto.diagnostics import LoopFrame, Site
from openpto.ir.nodes import Loop

REPEATED_BATCH = "a valid batch in the operand that is repeated"
"""What a product needs of an operand whose batch counts for all batches of the other one."""


def place(site: Site, running: Sequence[tuple[Loop, int]]) -> Site:
    """``site`` with the present values of the loop indices; ``running`` are the loops around it, outermost first.

    Loops are matched by name from the outermost in, or by position if there are as many as the site has.
    """
    if not running or not site.loops:
        return site
    frames = list(site.loops)
    position = 0
    for i, frame in enumerate(frames):
        if frame.value is not None:
            continue
        for depth in range(position, len(running)):
            loop, value = running[depth]
            exact = len(frames) == len(running) and depth == i
            if exact or loop.attrs.get("name") == frame.name or loop.attrs.get("idx_name") == frame.index_name:
                frames[i] = LoopFrame(frame.name, frame.index_name, value)
                position = depth + 1
                break
    return Site(site.span, site.chain, tuple(frames), site.kernel)


def shown(extents: Sequence[int]) -> str:
    """Extents as messages print them.

    >>> shown((8, 16))
    '[8, 16]'
    """
    return f"[{', '.join(map(str, extents))}]"
