"""Inputs on which avg_pool2d is checked: windows of two and three, images that they do not fill."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from openpto_gym.avg_pool2d.golden import numpy_golden, torch_golden
from openpto_gym.avg_pool2d.kernel import avg_pool2d
from openpto_gym.operator import FP32, USUAL, Arrays, Case, Operator, cases_of
from openpto_gym.special import not_finite


@dataclass(frozen=True, slots=True, kw_only=True)
class AvgPoolCase(Case):
    """``c`` channels of ``h`` x ``w`` pixels, in windows of ``size`` x ``size``.

    ``special``: NaN and infinities here and there.
    """

    c: int
    h: int = 12
    w: int = 12
    size: int = 3
    scale: float = 1.0
    special: bool = False


CASES = cases_of(
    AvgPoolCase,
    USUAL,
    one_channel={"c": 1},
    one_short_of_a_block={"c": 15},
    one_past_a_block={"c": 17},
    six_by_six={"c": 6, "h": 6, "w": 6, "size": 2, "dtypes": (FP32,)},
    not_filled={"c": 20, "h": 13, "w": 17, "size": 3, "dtypes": (FP32,)},
    one_window={"c": 20, "h": 4, "w": 4, "size": 4, "dtypes": (FP32,)},
    large={"c": 20, "scale": 100.0},
    special_values={"c": 20, "special": True},
    no_channels={"c": 0},
    customary={"c": 256, "h": 56, "w": 56, "size": 2, "slow": True},
)


def inputs(case: AvgPoolCase) -> Arrays:
    """The images."""
    x = case.generator().standard_normal((case.c, case.h, case.w)) * case.scale
    if case.special:
        x = not_finite(x, case.generator())
    return {"x": x.astype(case.element)}


def run(case: AvgPoolCase, arrays: Arrays) -> Arrays:
    """One call of the kernel."""
    out = np.full((case.c, case.h // case.size, case.w // case.size), np.nan, case.element)
    avg_pool2d(arrays["x"], out, size=case.size)
    return {"out": out}


OPERATOR = Operator(
    name="avg_pool2d",
    summary="means of square windows of images",
    cases=CASES,
    inputs=inputs,
    run=run,
    torch=lambda case, arrays: torch_golden(arrays, case.size),
    numpy=lambda case, arrays: numpy_golden(arrays, case.size),
)
