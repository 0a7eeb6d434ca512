"""How the operators of this package are compared with their float64 goldens."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.floating[Any]]


@dataclass(frozen=True, slots=True)
class Tolerance:
    """`|actual - golden| <= atol + rtol * |golden|`, for every element."""

    rtol: float
    atol: float

    def __str__(self) -> str:
        return f"{self.atol:g} + {self.rtol:g}*|golden|"


@dataclass(frozen=True, slots=True)
class Difference:
    """What a comparison found: the largest errors, and how many elements are outside the tolerance."""

    max_abs: float
    max_ulp: float
    outside: int
    elements: int

    @property
    def ok(self) -> bool:
        """True when something was compared and every element of it is inside the tolerance."""
        return self.outside == 0 and self.elements > 0


def compare(actual: NDArray[np.float32], golden: NDArray[np.float64], tolerance: Tolerance) -> Difference:
    """Compare a float32 result with its float64 golden of the same shape.

    A NaN or an infinity in `actual` counts as outside the tolerance unless the golden holds the same value there.
    `max_ulp` measures in units of the last place of the golden. Elements that are near zero by cancellation would
    only show how near: below 1/16 of the largest golden the unit is the one of that bound.
    """
    if actual.shape != golden.shape:
        raise ValueError(f"the result has shape {actual.shape}, the golden {golden.shape}")
    if actual.size == 0:
        return Difference(0.0, 0.0, 0, 0)
    wide = actual.astype(np.float64)
    same = (wide == golden) | (np.isnan(wide) & np.isnan(golden))
    with np.errstate(invalid="ignore"):  # inf - inf
        error = np.where(same, 0.0, np.abs(wide - golden))
    error = np.where(np.isnan(error), np.inf, error)
    within = same | (error <= tolerance.atol + tolerance.rtol * np.abs(golden))
    size = np.nan_to_num(np.abs(golden), posinf=0.0)
    floor = max(float(size.max()) / 16, float(np.finfo(np.float32).tiny))
    unit = np.spacing(np.clip(size, floor, float(np.finfo(np.float32).max)).astype(np.float32))
    return Difference(
        max_abs=float(error.max()),
        max_ulp=float((error / unit).max()),
        outside=int(np.count_nonzero(~within)),
        elements=actual.size,
    )
