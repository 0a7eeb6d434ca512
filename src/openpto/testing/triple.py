"""The three-way comparison: is a kernel about as good as a plain implementation of the same operator?

Both are compared with a golden of more precision. Relative errors say little where the golden is small, so elements
below a limit of their dtype are judged by an absolute one and counted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from openpto.ir.dtypes import DataType, from_numpy

from .tolerance import Ratios
from .units import Float64, precision_of

# Per dtype: magnitudes below which a golden is small, and the error that is fine there.
_SMALL = {
    DataType.DT_FP16: (2.0**-11, 2.0**-16),
    DataType.DT_BF16: (2.0**-8, 2.0**-16),
    DataType.DT_FP32: (2.0**-14, 2.0**-30),
}


@dataclass(frozen=True, slots=True)
class Errors:
    """Errors of one implementation: relative ones where the golden is not small, ``small`` counts the others."""

    maximum: float
    mean: float
    rms: float
    small: int


@dataclass(frozen=True, slots=True)
class Triple:
    """What a three-way comparison found."""

    kernel: Errors
    benchmark: Errors
    not_finite: int
    limits: Ratios
    floor: float

    @property
    def ratios(self) -> tuple[float, float, float]:
        """Kernel over benchmark: largest, mean and root mean square. An exact benchmark counts as one that rounds."""
        pairs = (
            (self.kernel.maximum, self.benchmark.maximum),
            (self.kernel.mean, self.benchmark.mean),
            (self.kernel.rms, self.benchmark.rms),
        )
        maximum, mean, rms = (own / max(other, self.floor) for own, other in pairs)
        return maximum, mean, rms

    @property
    def ok(self) -> bool:
        """Whether every ratio is inside, nothing is NaN or infinite that the golden is not, and small elements agree.

        Among small elements the kernel may have `limits.maximum` times as many beyond the absolute limit as the
        benchmark.
        """
        limits = (self.limits.maximum, self.limits.mean, self.limits.rms)
        inside = all(ratio <= limit for ratio, limit in zip(self.ratios, limits, strict=True))
        small = self.kernel.small <= self.limits.maximum * self.benchmark.small
        return inside and small and not self.not_finite

    def __str__(self) -> str:
        maximum, mean, rms = self.ratios
        text = f"errors over the benchmark's: max {maximum:.3g}, mean {mean:.3g}, rms {rms:.3g}"
        if self.kernel.small or self.benchmark.small:
            text += f"; small elements beyond their limit: {self.kernel.small}, benchmark {self.benchmark.small}"
        return text + (f"; {self.not_finite} not finite" if self.not_finite else "")


def compare_triple(actual: NDArray[Any], golden: NDArray[Any], benchmark: NDArray[Any], limits: Ratios) -> Triple:
    """Compare three arrays of one shape; ``actual`` is FP16, BF16 or FP32.

    Raises:
        ValueError: the shapes differ, or the dtype of ``actual`` has no such limits.
    """
    if not actual.shape == golden.shape == benchmark.shape:
        raise ValueError(f"shapes differ: {actual.shape}, golden {golden.shape}, benchmark {benchmark.shape}")
    dtype = from_numpy(actual.dtype)
    if dtype not in _SMALL:
        raise ValueError(f"a three-way comparison is for FP16, BF16 and FP32, not {actual.dtype}")
    got, want, other = (array.astype(np.float64).ravel() for array in (actual, golden, benchmark))
    same = (got == want) | (np.isnan(got) & np.isnan(want))
    usable = np.isfinite(want) & np.isfinite(got)
    lost = int(np.count_nonzero(~usable & ~same))
    usable &= np.isfinite(other)
    limit = _SMALL[dtype]
    return Triple(
        kernel=_errors(got[usable], want[usable], *limit),
        benchmark=_errors(other[usable], want[usable], *limit),
        not_finite=lost,
        limits=limits,
        floor=2.0 ** -precision_of(dtype).bits,
    )


def _errors(got: Float64, want: Float64, small: float, limit: float) -> Errors:
    error, size = np.abs(got - want), np.abs(want)
    large = size >= small
    beyond = int(np.count_nonzero(error[~large] > limit))
    if not large.any():
        return Errors(0.0, 0.0, 0.0, beyond)
    relative = error[large] / size[large]
    rms = float(np.sqrt(np.mean(error[large] ** 2) / np.mean(size[large] ** 2)))
    return Errors(float(relative.max()), float(relative.mean()), rms, beyond)
