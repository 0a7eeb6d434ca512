"""Comparison of an array with its golden, element by element, with all numbers that a report needs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from openpto.ir.dtypes import DataType, from_numpy

from .tolerance import Tolerance
from .units import Float64, precision_of, rounded, unit

SCALE_FLOOR = 1 / 16
"""Errors near zero are also measured in units of this fraction of the largest golden (``max_scaled_ulp``)."""

WORST = 8
"""How many elements a comparison keeps."""

LARGEST_BOUND = 256.0
"""Errors above this one are one class of a histogram."""

_ULP_BOUNDS = (0.0, 0.5, 1.0, 2.0, 4.0, 16.0, LARGEST_BOUND, np.inf)
_STEP_BOUNDS = (0.0, 1.0, 2.0, 4.0, 16.0, LARGEST_BOUND, np.inf)


@dataclass(frozen=True, slots=True)
class Element:
    """One element that was compared. ``ulp`` is 0 for integers."""

    where: tuple[int, ...]
    got: str
    want: str
    error: float
    relative: float
    ulp: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """What a comparison found.

    elements        how many were compared
    outside         how many are outside the tolerance, and ``allowed``, how many may be
    not_finite      how many of those are NaN or infinite where the golden is not, or the reverse; none may be
    max_ulp         the largest error in units in the last place of its own golden (0 for integers)
    max_scaled_ulp  the same where units are at least those of 1/16 of the largest golden: an error that is left over
                    from cancellation counts by what was cancelled
    first           index of the first element outside, in row-major order
    worst           the elements furthest outside, or with the largest errors where none is outside
    histogram       (upper bound, elements) of the errors, in ULP or, of integers, in steps; bounds are included
    """

    elements: int
    outside: int = 0
    allowed: int = 0
    not_finite: int = 0
    max_abs: float = 0.0
    max_rel: float = 0.0
    max_ulp: float = 0.0
    max_scaled_ulp: float = 0.0
    first: tuple[int, ...] = ()
    worst: tuple[Element, ...] = ()
    histogram: tuple[tuple[float, int], ...] = field(default=())

    @property
    def ok(self) -> bool:
        """Whether enough elements are inside the tolerance. True where there was nothing to compare."""
        return self.outside <= self.allowed and not self.not_finite


def compare(actual: NDArray[Any], golden: NDArray[Any], tolerance: Tolerance) -> Comparison:
    """Compare arrays of one shape; the golden may have more precision than ``actual``.

    NaN has to meet NaN, an infinity one of its sign. A float that equals the golden rounded to its own type is inside
    every tolerance. Errors are taken in float64, of integers exactly.

    Raises:
        ValueError: the shapes differ.
    """
    if actual.shape != golden.shape:
        raise ValueError(f"the result has shape {actual.shape}, the golden {golden.shape}")
    if not actual.size:
        return Comparison(0)
    return _summary(actual, golden, tolerance, *_errors(actual, golden), _float_type(actual))


def outside(actual: NDArray[Any], golden: NDArray[Any], tolerance: Tolerance) -> NDArray[np.bool_]:
    """Which elements are outside of a tolerance. The arrays have one shape, as for ``compare``."""
    error, size = _errors(actual, golden)
    return np.asarray(error - tolerance.allowed(size) > 0)


def error_ratios(actual: NDArray[Any], golden: NDArray[Any], tolerance: Tolerance) -> Float64:
    """The error of every element over what its tolerance allows: 1 is the limit, infinity is a lost NaN or infinity.

    Where nothing is allowed, an error counts as infinite. The arrays have one shape, as for ``compare``.
    """
    error, size = _errors(actual, golden)
    with np.errstate(invalid="ignore", divide="ignore"):
        ratios = np.where(error == 0.0, 0.0, error / tolerance.allowed(size))
    return np.where(np.isnan(ratios), np.inf, ratios)


def _float_type(actual: NDArray[Any]) -> DataType | None:
    """The element type of floats; None for integers and what has none."""
    return None if actual.dtype.kind in "iub" else from_numpy(actual.dtype.newbyteorder("="))


def _errors(actual: NDArray[Any], golden: NDArray[Any]) -> tuple[Float64, Float64]:
    """Errors, infinite ones where a NaN or infinity is lost, and magnitudes of the golden."""
    error, size = (_integer_errors if _float_type(actual) is None else _float_errors)(actual, golden)
    return np.where(np.isnan(error), np.inf, error), size


def _integer_errors(actual: NDArray[Any], golden: NDArray[Any]) -> tuple[Float64, Float64]:
    """Errors and magnitudes of the golden; exact also for 64 bits."""
    if golden.dtype.kind not in "iub":
        want = golden.astype(np.float64)
        with np.errstate(invalid="ignore"):
            return np.abs(actual.astype(np.float64) - want), np.abs(want)
    wide: Any = np.int64 if max(actual.itemsize, golden.itemsize) < 8 else object
    got, exact = actual.astype(wide), golden.astype(wide)
    return np.abs(got - exact).astype(np.float64), np.abs(exact).astype(np.float64)


def _float_errors(actual: NDArray[Any], golden: NDArray[Any]) -> tuple[Float64, Float64]:
    with np.errstate(invalid="ignore"):  # signalling NaN, such as memory has that was never written
        got, want = actual.astype(np.float64), golden.astype(np.float64)
    same = (got == want) | (np.isnan(got) & np.isnan(want)) | (got == rounded(want, actual.dtype))
    with np.errstate(invalid="ignore"):  # inf - inf
        return np.where(same, 0.0, np.abs(got - want)), np.abs(want)


def _summary(
    actual: NDArray[Any],
    golden: NDArray[Any],
    tolerance: Tolerance,
    error: Float64,
    size: Float64,
    dtype: DataType | None,
) -> Comparison:
    lost = ~np.isfinite(error)
    beyond = error - tolerance.allowed(size)
    wrong = beyond > 0
    with np.errstate(invalid="ignore", divide="ignore"):
        relative = np.where(error == 0.0, 0.0, error / size)
    relative = np.where(lost, np.inf, relative)
    ulp, scaled = (np.zeros(1), np.zeros(1)) if dtype is None else _units(error, size, dtype)
    each_ulp = ulp if dtype is not None else np.zeros(error.shape)
    order = np.argsort(-np.where(wrong, beyond, -np.inf) if wrong.any() else -error, axis=None, kind="stable")
    count = int(np.count_nonzero(wrong))
    places = [np.unravel_index(int(k), error.shape) for k in order[: min(WORST, count or WORST)]]
    measured, bounds = (error, _STEP_BOUNDS) if dtype is None else (ulp, _ULP_BOUNDS)
    return Comparison(
        elements=error.size,
        outside=count,
        allowed=tolerance.bad_elements(error.size),
        not_finite=int(np.count_nonzero(lost)),
        max_abs=float(error.max()),
        max_rel=float(relative.max()),
        max_ulp=float(ulp.max()),
        max_scaled_ulp=float(scaled.max()),
        first=_place(np.unravel_index(int(np.argmax(wrong)), error.shape)) if count else (),
        worst=tuple(
            Element(
                _place(at),
                str(actual[at].item()),
                str(golden[at].item()),
                float(error[at]),
                float(relative[at]),
                float(each_ulp[at]),
            )
            for at in places
            if error[at] > 0
        ),
        histogram=_histogram(measured, bounds),
    )


def _units(error: Float64, size: Float64, dtype: DataType) -> tuple[Float64, Float64]:
    """Errors in units of each golden, and in units that are at least those of SCALE_FLOOR of the largest golden."""
    finite = size[np.isfinite(size)]
    floor = float(finite.max()) * SCALE_FLOOR if finite.size else 0.0
    smallest = 2.0 ** precision_of(dtype).lowest
    with np.errstate(invalid="ignore", over="ignore"):
        own = error / unit(size, dtype)
        scaled = error / unit(np.maximum(size, max(floor, smallest)), dtype)
    lost = ~np.isfinite(error)
    return np.where(lost, np.inf, own), np.where(lost, np.inf, scaled)


def _histogram(measured: Float64, bounds: tuple[float, ...]) -> tuple[tuple[float, int], ...]:
    """Elements up to each bound and above the one before; empty classes are left out."""
    classes = np.bincount(np.searchsorted(bounds, measured.ravel(), side="left"), minlength=len(bounds))
    return tuple((bound, int(count)) for bound, count in zip(bounds, classes, strict=True) if count)


def _place(index: Any) -> tuple[int, ...]:
    return tuple(int(i) for i in index)
