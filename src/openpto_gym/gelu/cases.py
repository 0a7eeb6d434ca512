"""Inputs on which gelu and its gradient are checked."""

from __future__ import annotations

import numpy as np

from openpto.testing import Tolerance
from openpto_gym.elementwise import ElementwiseCase, draw, elementwise_cases
from openpto_gym.gelu.golden import numpy_golden, torch_golden
from openpto_gym.gelu.kernel import FORMS, gelu, gelu_backward
from openpto_gym.operator import BF16, FP16, FP32, Arrays, Operator, unwritten

# 1 + erf cancels for negative x: what is left there is right to a rounding of 1, times x.
TOLERANCES = {
    FP32: Tolerance(rtol=2e-6, atol=1e-6),
    FP16: Tolerance(rtol=2.0**-10, atol=1e-6),
    BF16: Tolerance(rtol=2.0**-7, atol=1e-6),
}


def inputs(case: ElementwiseCase) -> Arrays:
    """x, and the gradient that arrives for the backward cases. x is finite: at -inf the formulas are -inf * 0."""
    rng = case.generator()
    x = draw(case, rng)
    x = np.where(np.isinf(x), case.element.type(-4), x)
    if case.name.startswith("forward"):
        return {"x": x}
    grad = draw(case, rng)
    return {
        "x": x,
        "grad": grad
        if case.data == "normal"
        else np.minimum(np.maximum(grad, case.element.type(-1)), case.element.type(1)),
    }


def run(case: ElementwiseCase, arrays: Arrays) -> Arrays:
    """One call of the kernel."""
    out = unwritten(arrays["x"])
    kernel = gelu if "grad" not in arrays else gelu_backward
    kernel(*arrays.values(), out, form=case.form.split("_")[-1])
    return {"out": out}


OPERATOR = Operator(
    name="gelu",
    summary="out = x * P(N < x) for a standard normal N, as erf or by the tanh approximation, and its gradient",
    cases=tuple(
        case
        for form in FORMS
        for way in ("forward", "backward")
        for case in elementwise_cases(TOLERANCES, form=f"{way}_{form}")
    ),
    inputs=inputs,
    run=run,
    torch=lambda case, arrays: torch_golden(arrays, case.form.split("_")[-1]),
    numpy=lambda case, arrays: numpy_golden(arrays, case.form.split("_")[-1]),
)
