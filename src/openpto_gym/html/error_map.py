"""Where the errors of an output lie: a grid of the largest error over its tolerance, small enough for a page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from openpto.testing import Tolerance, error_ratios

COLUMNS, ROWS = 128, 96
"""The most cells of a map. Larger outputs have several elements in a cell."""

FOLD = 64
"""Elements of a line where an output has no axis that is as long as a line should be."""

NARROW = 8
"""Outputs whose last axis is shorter are folded into lines."""

BOUNDS = (0.0, 1e-3, 1e-2, 0.03, 0.1, 0.3, 1.0, np.inf)
"""Upper bounds of the classes of a histogram, in tolerances; bounds are included."""


@dataclass(frozen=True, slots=True, eq=False)
class ErrorMap:
    """The errors of one output over their tolerances.

    shape      of the output; ``folded``: whether a line of the map is a run of elements, not the last axis
    cell       rows and columns of elements in one cell
    grid       FP64 [rows, columns]: the largest ratio in a cell; NaN where there is no element
    worst      index of the element with the largest ratio, with ``got``, ``golden``, ``error`` and ``allowed``
    ratio      the largest ratio, infinite where a NaN, an infinity or an equal element was missed
    at         row and column of the cell that holds it
    histogram  elements in each class of BOUNDS
    """

    shape: tuple[int, ...]
    folded: bool
    cell: tuple[int, int]
    grid: NDArray[np.float64]
    worst: tuple[int, ...]
    got: str
    golden: str
    error: float
    allowed: float
    ratio: float
    at: tuple[int, int]
    histogram: tuple[int, ...]


def error_map(actual: NDArray[Any], golden: NDArray[Any], tolerance: Tolerance) -> ErrorMap | None:
    """The map of an output that was compared with a golden; None if it has no elements."""
    if not actual.size:
        return None
    ratios = error_ratios(actual, golden, tolerance)
    lines, folded = _lines(ratios)
    cell = -(-lines.shape[0] // ROWS), -(-lines.shape[1] // COLUMNS)
    flat = int(np.argmax(ratios))
    place = tuple(int(i) for i in np.unravel_index(flat, ratios.shape))
    row, column = divmod(flat, lines.shape[1])
    want = float(golden[place])
    with np.errstate(invalid="ignore"):
        error = abs(float(actual[place]) - want)
    return ErrorMap(
        shape=actual.shape,
        folded=folded,
        cell=cell,
        grid=_largest(lines, cell),
        worst=place,
        got=str(actual[place]),
        golden=str(golden[place]) if golden.dtype.kind in "iub" else f"{want:.10g}",
        error=0.0 if ratios[place] == 0.0 else error,
        allowed=float(tolerance.allowed(np.abs(np.float64(want)))),
        ratio=float(ratios[place]),
        at=(row // cell[0], column // cell[1]),
        histogram=_histogram(ratios),
    )


def _lines(ratios: NDArray[np.float64]) -> tuple[NDArray[np.float64], bool]:
    """The ratios as a matrix, filled up with NaN, and whether the last axis is not its line."""
    width = ratios.shape[-1] if ratios.ndim else 1
    if width >= NARROW and (ratios.ndim > 1 or width <= FOLD):
        return ratios.reshape(-1, width), False
    flat = ratios.reshape(-1)
    width = min(FOLD, flat.size)
    filled = np.full(-(-flat.size // width) * width, np.nan)
    filled[: flat.size] = flat
    return filled.reshape(-1, width), True


def _largest(lines: NDArray[np.float64], cell: tuple[int, int]) -> NDArray[np.float64]:
    """The largest ratio of every cell; a cell without elements is NaN."""
    shape = [-(-extent // step) for extent, step in zip(lines.shape, cell, strict=True)]
    filled = np.full((shape[0] * cell[0], shape[1] * cell[1]), np.nan)
    filled[: lines.shape[0], : lines.shape[1]] = lines
    blocks = filled.reshape(shape[0], cell[0], shape[1], cell[1])
    largest: NDArray[np.float64] = np.fmax.reduce(np.fmax.reduce(blocks, axis=3), axis=1)
    return largest


def _histogram(ratios: NDArray[np.float64]) -> tuple[int, ...]:
    places = np.searchsorted(BOUNDS, ratios.ravel(), side="left")
    return tuple(int(count) for count in np.bincount(places, minlength=len(BOUNDS)))
