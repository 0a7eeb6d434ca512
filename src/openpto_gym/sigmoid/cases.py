"""Inputs on which sigmoid and its gradient are checked."""

from __future__ import annotations

from openpto.testing import Tolerance
from openpto_gym.elementwise import ElementwiseCase, draw, elementwise_cases
from openpto_gym.operator import BF16, FP16, FP32, Arrays, Operator, unwritten
from openpto_gym.sigmoid.golden import numpy_golden, sigmoid
from openpto_gym.sigmoid.golden import torch_golden as by_torch
from openpto_gym.sigmoid.kernel import sigmoid as forward
from openpto_gym.sigmoid.kernel import sigmoid_backward

# Results below 1.2e-38 would be denormal; they are 0, since exp(-x) overflows first.
TOLERANCES = {
    FP32: Tolerance(rtol=5e-7, atol=1.2e-38),
    FP16: Tolerance(rtol=2.0**-10, atol=1e-7),
    BF16: Tolerance(rtol=2.0**-7, atol=1.2e-38),
}
# y * (1 - y) may be denormal, and is then scaled by a gradient of any size.
BACKWARD = {
    FP32: Tolerance(rtol=5e-7, atol=1e-37),
    FP16: Tolerance(rtol=2.0**-10, atol=1e-7),
    BF16: Tolerance(rtol=2.0**-7, atol=1e-37),
}


def inputs(case: ElementwiseCase) -> Arrays:
    """x; for the backward cases y, the sigmoid of x in the case's dtype, and the gradient that arrives."""
    rng = case.generator()
    x = draw(case, rng)
    if case.form == "forward":
        return {"x": x}
    return {"y": sigmoid(x.astype("f8")).astype(case.element), "grad": draw(case, rng)}


def run(case: ElementwiseCase, arrays: Arrays) -> Arrays:
    """One call of the kernel."""
    first, *_ = arrays.values()
    out = unwritten(first)
    kernel = forward if case.form == "forward" else sigmoid_backward
    kernel(*arrays.values(), out)
    return {"out": out}


OPERATOR = Operator(
    name="sigmoid",
    summary="out = 1 / (1 + exp(-x)), and its gradient from the result",
    cases=elementwise_cases(TOLERANCES, form="forward") + elementwise_cases(BACKWARD, form="backward"),
    inputs=inputs,
    run=run,
    torch=lambda case, arrays: by_torch(arrays),
    numpy=lambda case, arrays: numpy_golden(arrays),
)
