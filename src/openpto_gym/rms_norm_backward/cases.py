"""Inputs on which rms_norm_backward is checked."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from openpto.testing import T2, Tolerance
from openpto_gym.operator import FP32, USUAL, Arrays, Case, Operator, cases_of, unwritten
from openpto_gym.rms_norm_backward.golden import numpy_golden, torch_golden
from openpto_gym.rms_norm_backward.kernel import rms_norm_backward


@dataclass(frozen=True, slots=True, kw_only=True)
class RmsNormBackwardCase(Case):
    """[rows, hidden] normal values, scaled; with ``along`` the gradient follows x, so that dx nearly vanishes.

    ``zeros``: every other row of x is zero, where the gradient is divided by the root of epsilon.
    """

    rows: int
    hidden: int
    scale: float = 1.0
    along: bool = False
    zeros: bool = False
    epsilon: float = 1e-6

    def tolerance_of(self, output: str) -> Tolerance:
        """The gradient of the weight is FP32 whatever the dtype, and a sum over the rows."""
        return Tolerance(rtol=1e-5, atol=1e-6 * (4 + self.rows)) if output == "dgamma" else self.tolerance


CASES = cases_of(
    RmsNormBackwardCase,
    USUAL,
    one_row={"rows": 1, "hidden": 96},
    one_short_of_a_block={"rows": 63, "hidden": 96},
    one_past_a_block={"rows": 65, "hidden": 96},
    many_blocks={"rows": 300, "hidden": 96},
    odd_width={"rows": 70, "hidden": 77, "scale": 5.0},
    # x of one column is divided by its own size, which magnifies the error of what cancels.
    one_column={"rows": 66, "hidden": 1, "tolerance": T2, "dtypes": (FP32,)},
    gradient_along_x={"rows": 40, "hidden": 96, "along": True},
    large={"rows": 40, "hidden": 96, "scale": 100.0},
    rows_of_zeros={"rows": 40, "hidden": 96, "zeros": True},
    no_rows={"rows": 0, "hidden": 96},
    hidden_7168={"rows": 130, "hidden": 7168, "slow": True},
)


def inputs(case: RmsNormBackwardCase) -> Arrays:
    """x, gamma and the gradient that arrives."""
    rng = case.generator()
    x = rng.standard_normal((case.rows, case.hidden)) * case.scale
    if case.zeros:
        x[::2] = 0.0
    gamma = 1 + 0.1 * rng.standard_normal(case.hidden)
    grad = x / case.scale / gamma if case.along else rng.standard_normal(x.shape)
    return {name: array.astype(case.element) for name, array in (("x", x), ("gamma", gamma), ("grad", grad))}


def run(case: RmsNormBackwardCase, arrays: Arrays) -> Arrays:
    """One call of the kernel."""
    dx, dgamma = unwritten(arrays["x"]), np.full(case.hidden, np.nan, np.float32)
    rms_norm_backward(arrays["x"], arrays["gamma"], arrays["grad"], dx, dgamma, epsilon=case.epsilon)
    return {"dx": dx, "dgamma": dgamma}


OPERATOR = Operator(
    name="rms_norm_backward",
    summary="gradients of rms_norm for x and gamma",
    cases=CASES,
    inputs=inputs,
    run=run,
    torch=lambda case, arrays: torch_golden(arrays, case.epsilon),
    numpy=lambda case, arrays: numpy_golden(arrays, case.epsilon),
)
