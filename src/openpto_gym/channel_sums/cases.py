"""Inputs on which channel_sums is checked: one pixel per channel, many, values far from zero."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from openpto.testing import Tolerance
from openpto_gym.channel_sums.golden import numpy_golden, torch_golden
from openpto_gym.channel_sums.kernel import channel_sums
from openpto_gym.operator import BF16, FP16, FP32, Arrays, Case, Operator, cases_of
from openpto_gym.special import not_finite


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelSumsCase(Case):
    """[n, c, p] normal values around ``centre``; ``special``: every fifth channel holds NaN and infinities."""

    n: int
    c: int = 40
    p: int = 2
    centre: float = 0.0
    special: bool = False

    def tolerance_of(self, output: str) -> Tolerance:
        """A sum rounds with every sample, by a part of what has been added up."""
        return Tolerance(rtol=1e-5, atol=1e-6 * (self.n * self.p) ** 0.5 * (1 + abs(self.centre)))


CASES = cases_of(
    ChannelSumsCase,
    dict.fromkeys((FP32, FP16, BF16), Tolerance(rtol=1e-5, atol=1e-6)),
    one_sample={"n": 1},
    one_short_of_a_block={"n": 31},
    one_past_a_block={"n": 33},
    one_pixel={"n": 100, "c": 88, "p": 1, "dtypes": (FP32,)},
    odd_sizes={"n": 70, "c": 7, "p": 45, "dtypes": (FP32,)},
    far_from_zero={"n": 60, "centre": 100.0},
    special_channels={"n": 40, "special": True},
    no_samples={"n": 0},
    customary={"n": 2400, "c": 88, "p": 1, "slow": True},
)


def inputs(case: ChannelSumsCase) -> Arrays:
    """x."""
    x = case.generator().standard_normal((case.n, case.c, case.p)) + case.centre
    if case.special:
        x[:, ::5] = not_finite(x[:, ::5], case.generator(), 0.02)
    return {"x": x.astype(case.element)}


def run(case: ChannelSumsCase, arrays: Arrays) -> Arrays:
    """One call of the kernel."""
    outputs = {name: np.full(case.c, np.nan, np.float32) for name in ("total", "square")}
    channel_sums(arrays["x"], *outputs.values())
    return outputs


OPERATOR = Operator(
    name="channel_sums",
    summary="sum and sum of squares of every channel, for batch normalisation",
    cases=CASES,
    inputs=inputs,
    run=run,
    torch=lambda case, arrays: torch_golden(arrays),
    numpy=lambda case, arrays: numpy_golden(arrays),
)
