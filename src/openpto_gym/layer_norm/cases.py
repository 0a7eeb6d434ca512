"""Inputs on which layer_norm is checked: rows far from zero and without variance among them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from openpto.testing import T2
from openpto_gym.layer_norm.golden import numpy_golden, torch_golden
from openpto_gym.layer_norm.kernel import layer_norm
from openpto_gym.operator import FP32, USUAL, Arrays, Case, Operator, cases_of, unwritten
from openpto_gym.special import special_rows


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerNormCase(Case):
    """[rows, hidden] normal values around ``centre``; ``level``: every row is one number throughout.

    ``special``: rows with NaN or infinities, of zeros and of denormal numbers among others.
    """

    rows: int
    hidden: int
    scale: float = 1.0
    centre: float = 0.0
    level: bool = False
    special: bool = False
    epsilon: float = 1e-6


CASES = cases_of(
    LayerNormCase,
    USUAL,
    one_row={"rows": 1, "hidden": 96},
    one_short_of_a_block={"rows": 63, "hidden": 96},
    one_past_a_block={"rows": 65, "hidden": 96},
    odd_width={"rows": 70, "hidden": 77, "scale": 5.0},
    one_column={"rows": 66, "hidden": 1},
    near_epsilon={"rows": 40, "hidden": 96, "scale": 1e-3},
    large={"rows": 40, "hidden": 96, "scale": 1e4},
    # The sum of a row rounds by 1e-7 of its size, which the small differences from the mean have to bear.
    far_from_zero={"rows": 40, "hidden": 96, "centre": 1000.0, "tolerance": T2, "dtypes": (FP32,)},
    level_rows={"rows": 10, "hidden": 128, "scale": 8.0, "level": True},
    special_rows={"rows": 75, "hidden": 96, "special": True},
    no_rows={"rows": 0, "hidden": 96},
    hidden_7168={"rows": 130, "hidden": 7168, "slow": True},
)


def inputs(case: LayerNormCase) -> Arrays:
    """x, gamma around one and beta around zero."""
    rng = case.generator()
    x = rng.standard_normal((case.rows, case.hidden)) * case.scale + case.centre
    if case.level:
        x[:] = np.rint(x[:, :1])
    if case.special:
        x = special_rows(x, case)
    gamma = 1 + 0.1 * rng.standard_normal(case.hidden)
    beta = 0.5 * rng.standard_normal(case.hidden)
    return {name: array.astype(case.element) for name, array in (("x", x), ("gamma", gamma), ("beta", beta))}


def run(case: LayerNormCase, arrays: Arrays) -> Arrays:
    """One call of the kernel."""
    out = unwritten(arrays["x"])
    layer_norm(arrays["x"], arrays["gamma"], arrays["beta"], out, epsilon=case.epsilon)
    return {"out": out}


OPERATOR = Operator(
    name="layer_norm",
    summary="out = (x - mean) / sqrt(variance + epsilon) * gamma + beta over the last axis",
    cases=CASES,
    inputs=inputs,
    run=run,
    torch=lambda case, arrays: torch_golden(arrays, case.epsilon),
    numpy=lambda case, arrays: numpy_golden(arrays, case.epsilon),
)
