"""Replay files of comparisons that fail."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from openpto.capsule.replay_file import Expected
from openpto.kernel.observing import ObservedCall
from openpto.kernel.receipt import Receipt
from openpto.kernel.replays import last_call, write_call

from .tolerance import Tolerance


def write_comparison(
    actual: NDArray[Any],
    golden: NDArray[Any],
    tolerance: Tolerance,
    summary: str,
    *,
    receipt: Receipt | None = None,
    calls: tuple[ObservedCall, ...] = (),
    folder: str | None = None,
    about: dict[str, str] | None = None,
) -> Path | None:
    """Write the replay of the call that wrote ``actual``, with the golden that it missed.

    Args:
        actual, golden, tolerance: what was compared; equal shapes.
        summary: what the comparison found.
        receipt: that of the call, where it is the last one of this thread.
        calls: calls that were watched; the last one that wrote ``actual`` counts.
        folder: None: that of the settings.
        about: free texts for the file.

    Returns:
        The path, None if there is no such call (its arguments were not kept) or nothing can be written (PTO580).
    """
    one = last_call(receipt)
    for call in reversed(calls if one is None else (one,)):
        place = _place(call, actual)
        if place is not None:
            limits = {"rtol": tolerance.rtol, "atol": tolerance.atol, "bad_share": tolerance.bad_share}
            expected = Expected(*place, np.array(golden), limits, summary)
            return write_call(call, folder, expected=expected, about=about or {})
    return None


def _place(call: ObservedCall, actual: NDArray[Any]) -> tuple[int, int] | None:
    """(tensor, first element) of what a call wrote, if ``actual`` is that without gaps."""
    if call.receipt is None or not actual.flags.c_contiguous:
        return None
    begin = actual.ctypes.data
    for memory in call.receipt.outputs:
        if memory.holds(begin, actual.nbytes):
            return call.names.index(memory.name), (begin - memory.pointer) // actual.itemsize
    return None
