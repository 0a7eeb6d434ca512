"""Inputs on which add_rms_norm is checked."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from openpto.testing import Tolerance
from openpto_gym.add_rms_norm.golden import numpy_golden, torch_golden
from openpto_gym.add_rms_norm.kernel import add_rms_norm
from openpto_gym.operator import FP32, USUAL, Arrays, Case, Operator, cases_of, unwritten
from openpto_gym.special import special_rows


@dataclass(frozen=True, slots=True, kw_only=True)
class AddRmsNormCase(Case):
    """[rows, hidden] normal values, scaled; ``opposed``: the residual takes most of x away.

    ``special``: rows with NaN or infinities, of zeros and of denormal numbers among others; there the residual is zero.
    """

    rows: int
    hidden: int
    scale: float = 1.0
    opposed: bool = False
    special: bool = False
    epsilon: float = 1e-6

    def tolerance_of(self, output: str) -> Tolerance:
        """The rate is FP32 whatever the dtype."""
        return USUAL[FP32] if output == "rate" else self.tolerance


CASES = cases_of(
    AddRmsNormCase,
    USUAL,
    one_row={"rows": 1, "hidden": 96},
    one_short_of_a_block={"rows": 63, "hidden": 96},
    one_past_a_block={"rows": 65, "hidden": 96},
    odd_width={"rows": 70, "hidden": 77, "scale": 5.0},
    opposed={"rows": 40, "hidden": 96, "opposed": True},
    near_epsilon={"rows": 40, "hidden": 96, "scale": 1e-3},
    special_rows={"rows": 75, "hidden": 96, "special": True},
    no_rows={"rows": 0, "hidden": 96},
    customary={"rows": 144, "hidden": 7168, "slow": True},
)


def inputs(case: AddRmsNormCase) -> Arrays:
    """x, residual and gamma."""
    rng = case.generator()
    x = rng.standard_normal((case.rows, case.hidden)) * case.scale
    residual = 0.1 * rng.standard_normal(x.shape) - x if case.opposed else rng.standard_normal(x.shape) * case.scale
    if case.special:
        x, residual = special_rows(x, case), np.zeros_like(x)
    gamma = 1 + 0.1 * rng.standard_normal(case.hidden)
    return {name: array.astype(case.element) for name, array in (("x", x), ("residual", residual), ("gamma", gamma))}


def run(case: AddRmsNormCase, arrays: Arrays) -> Arrays:
    """One call of the kernel."""
    outputs = {name: unwritten(arrays["x"]) for name in ("total", "out")}
    outputs["rate"] = np.full((case.rows, 1), np.nan, np.float32)
    add_rms_norm(*arrays.values(), *outputs.values(), epsilon=case.epsilon)
    return outputs


OPERATOR = Operator(
    name="add_rms_norm",
    summary="total = x + residual, out = rms_norm(total), and the rate of every row",
    cases=CASES,
    inputs=inputs,
    run=run,
    torch=lambda case, arrays: torch_golden(arrays, case.epsilon),
    numpy=lambda case, arrays: numpy_golden(arrays, case.epsilon),
)
