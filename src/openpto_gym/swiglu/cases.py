"""Inputs on which swiglu and its gradient are checked."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from openpto_gym.operator import USUAL, Arrays, Case, Operator, cases_of, unwritten
from openpto_gym.special import special_values
from openpto_gym.swiglu.golden import numpy_golden, torch_golden
from openpto_gym.swiglu.kernel import swiglu, swiglu_backward


@dataclass(frozen=True, slots=True, kw_only=True)
class SwigluCase(Case):
    """x [rows, 2 * width], normal values, scaled; ``backward``: the gradient for x.

    ``special``: NaN and infinities in either half of some columns, and the extremes of the dtype in the right half.
    """

    rows: int
    width: int
    scale: float = 1.0
    backward: bool = False
    special: bool = False


CASES = cases_of(
    SwigluCase,
    USUAL,
    one_row={"rows": 1, "width": 96},
    one_short_of_a_block={"rows": 63, "width": 96},
    one_past_a_block={"rows": 65, "width": 96, "scale": 3.0},
    odd_width={"rows": 70, "width": 77},
    one_column={"rows": 66, "width": 1},
    saturated={"rows": 40, "width": 96, "scale": 50.0},
    special_values={"rows": 70, "width": 96, "special": True},
    no_rows={"rows": 0, "width": 96},
    backward_one_row={"rows": 1, "width": 96, "backward": True},
    backward_one_past_a_block={"rows": 65, "width": 96, "scale": 3.0, "backward": True},
    backward_odd_width={"rows": 70, "width": 77, "backward": True},
    backward_no_rows={"rows": 0, "width": 96, "backward": True},
    width_3072={"rows": 300, "width": 3072, "slow": True},
    width_11008={"rows": 130, "width": 11_008, "slow": True},
    backward_width_11008={"rows": 70, "width": 11_008, "backward": True, "slow": True},
)


def inputs(case: SwigluCase) -> Arrays:
    """x and, for the backward cases, the gradient that arrives."""
    rng = case.generator()
    x = rng.standard_normal((case.rows, 2 * case.width)) * case.scale
    if case.special:
        gate, up = np.split(x, 2, axis=1)
        gate[:, ::7] = rng.choice([np.nan, np.inf, -np.inf], gate[:, ::7].shape)
        up[:, 1::7] = np.resize(special_values(case), up[:, 1::7].shape)
    arrays = {"x": x.astype(case.element)}
    if case.backward:
        arrays["grad"] = rng.standard_normal((case.rows, case.width)).astype(case.element)
    return arrays


def run(case: SwigluCase, arrays: Arrays) -> Arrays:
    """One call of the kernel."""
    x = arrays["x"]
    if case.backward:
        dx = unwritten(x)
        swiglu_backward(x, arrays["grad"], dx)
        return {"dx": dx}
    out = np.full((case.rows, case.width), np.nan, x.dtype)
    swiglu(x, out)
    return {"out": out}


OPERATOR = Operator(
    name="swiglu",
    summary="out = silu(left half) * right half of every row, and its gradient",
    cases=CASES,
    inputs=inputs,
    run=run,
    torch=lambda case, arrays: torch_golden(arrays),
    numpy=lambda case, arrays: numpy_golden(arrays),
)
