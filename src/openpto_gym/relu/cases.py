"""Inputs on which relu and its gradient are checked."""

from __future__ import annotations

import numpy as np

from openpto.testing import Tolerance
from openpto_gym.elementwise import ElementwiseCase, draw, elementwise_cases
from openpto_gym.operator import BF16, FP16, FP32, Arrays, Operator, unwritten
from openpto_gym.relu.golden import numpy_golden, torch_golden
from openpto_gym.relu.kernel import relu, relu_backward

EXACT = Tolerance(rtol=0.0, atol=0.0)
TOLERANCES = {FP32: EXACT, FP16: EXACT, BF16: EXACT}


def inputs(case: ElementwiseCase) -> Arrays:
    """x, and the gradient that arrives for the backward cases; there x has no NaN, for which nobody agrees."""
    rng = case.generator()
    x = draw(case, rng)
    if case.form == "forward":
        return {"x": x}
    return {"x": np.where(np.isnan(x), case.element.type(1), x), "grad": draw(case, rng)}


def run(case: ElementwiseCase, arrays: Arrays) -> Arrays:
    """One call of the kernel."""
    out = unwritten(arrays["x"])
    kernel = relu if case.form == "forward" else relu_backward
    kernel(*arrays.values(), out)
    return {"out": out}


OPERATOR = Operator(
    name="relu",
    summary="out = max(x, 0), and its gradient",
    cases=elementwise_cases(TOLERANCES, form="forward") + elementwise_cases(TOLERANCES, form="backward"),
    inputs=inputs,
    run=run,
    torch=lambda case, arrays: torch_golden(arrays),
    numpy=lambda case, arrays: numpy_golden(arrays),
)
