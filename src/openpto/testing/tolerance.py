"""Tolerances by name: how far a result may be from its golden.

`T1` to `T6` are the profiles that are customary for operators of this framework; a test names one instead of
inventing numbers.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from openpto.ir.dtypes import DataType, is_float

from .units import Float64, precision_of


@dataclass(frozen=True, slots=True)
class Tolerance:
    """``|actual - golden| <= atol + rtol * |golden|`` for every element, except for a share ``bad_share`` of them.

    A NaN or infinity that the golden does not have is never inside, whatever ``bad_share`` is.

    >>> print(Tolerance(rtol=0.001, atol=1e-6))
    1e-06 + 0.001*|golden|
    """

    rtol: float
    atol: float
    bad_share: float = 0.0
    name: str = ""

    def allowed(self, size: Float64) -> Float64:
        """The largest error allowed for goldens of these magnitudes (float64; infinite ones allow ``atol``)."""
        allowed: Float64 = self.atol + self.rtol * np.where(np.isfinite(size), size, 0.0)
        return allowed

    def bad_elements(self, elements: int) -> int:
        """How many of so many elements may be outside."""
        return round(self.bad_share * elements)

    def __str__(self) -> str:
        head = f"{self.name}: " if self.name else ""
        tail = f", {self.bad_share:.1%} may be outside" if self.bad_share else ""
        if not self.rtol and not self.atol:
            return f"{head}equal{tail}"
        return f"{head}{self.atol:g} + {self.rtol:g}*|golden|{tail}"


@dataclass(frozen=True, slots=True)
class Ratios:
    """Errors of a kernel over those of a plain benchmark, both against one golden of more precision.

    ``maximum`` and ``mean`` bound the ratios of the largest and the mean relative error, ``rms`` that of the root mean
    squares. Elements whose golden is small (see ``triple.py``) are judged by absolute limits instead.
    """

    maximum: float = 2.0
    mean: float = 1.2
    rms: float = 1.2
    name: str = ""

    def __str__(self) -> str:
        head = f"{self.name}: " if self.name else ""
        return f"{head}error of a benchmark times {self.maximum:g} (max), {self.mean:g} (mean), {self.rms:g} (rms)"


T1 = Tolerance(rtol=2.0**-7, atol=1e-4, name="T1")
"""FP16 and BF16 outputs."""
T2 = Tolerance(rtol=1e-3, atol=1e-3, name="T2")
"""FP32 outputs."""
T3 = Tolerance(rtol=5e-3, atol=5e-3, name="T3")
"""Weights of gates and of top-k; compare indices exactly."""
T4 = Tolerance(rtol=0.0, atol=1.0, name="T4")
"""INT8 outputs of a quantisation: one step."""
T5 = Tolerance(rtol=5e-3, atol=2.5e-5, bad_share=0.005, name="T5")
"""Scales of a quantisation; one element in 200 may be outside."""
T6 = Ratios(name="T6")
"""Against a golden and a benchmark that are both given; for results whose golden is noisy."""

PROFILES: dict[str, Tolerance | Ratios] = {"T1": T1, "T2": T2, "T3": T3, "T4": T4, "T5": T5, "T6": T6}
"""The profiles by name."""

EXACT = Tolerance(rtol=0.0, atol=0.0)


def default_tolerance(dtype: DataType) -> Tolerance:
    """What holds where a test names no tolerance: integers and bools equal, floats 1e-5 or one step of the dtype."""
    if dtype is DataType.DT_BOOL or not (is_float(dtype) or "FP8" in dtype.short):
        return EXACT
    step = 2.0 ** (1 - precision_of(dtype).bits)
    return Tolerance(rtol=max(1e-5, step), atol=1e-6 if step < 1e-5 else 1e-4)
