"""Inputs on which silu and its gradient are checked."""

from __future__ import annotations

from openpto.testing import Tolerance
from openpto_gym.elementwise import ElementwiseCase, draw, elementwise_cases
from openpto_gym.operator import BF16, FP16, FP32, Arrays, Operator, unwritten
from openpto_gym.silu.golden import numpy_golden, torch_golden
from openpto_gym.silu.kernel import silu, silu_backward

# Below -88 the result is zero, since exp(-x) overflows: 88 times a denormal is left out.
FORWARD = {
    FP32: Tolerance(rtol=1e-6, atol=1e-36),
    FP16: Tolerance(rtol=2.0**-10, atol=1e-7),
    BF16: Tolerance(rtol=2.0**-7, atol=1e-36),
}
# The slope crosses zero near -1.28, where its parts cancel.
BACKWARD = {
    FP32: Tolerance(rtol=2e-6, atol=1e-6),
    FP16: Tolerance(rtol=2.0**-10, atol=1e-6),
    BF16: Tolerance(rtol=2.0**-7, atol=1e-6),
}
# A gradient of any size magnifies what cancels; an infinite one meets a slope that is zero in one precision only.
NOT_BACKWARD = frozenset({"all_magnitudes", "special_values"})

CASES = elementwise_cases(FORWARD, form="forward") + elementwise_cases(
    BACKWARD, form="backward", leave_out=NOT_BACKWARD
)


def inputs(case: ElementwiseCase) -> Arrays:
    """x and, for the backward cases, the gradient that arrives."""
    rng = case.generator()
    x = draw(case, rng)
    if case.form == "forward":
        return {"x": x}
    return {"x": x, "grad": rng.standard_normal(x.shape).astype(case.element)}


def run(case: ElementwiseCase, arrays: Arrays) -> Arrays:
    """One call of the kernel."""
    out = unwritten(arrays["x"])
    kernel = silu if case.form == "forward" else silu_backward
    kernel(*arrays.values(), out)
    return {"out": out}


OPERATOR = Operator(
    name="silu",
    summary="out = x * sigmoid(x), and its gradient",
    cases=CASES,
    inputs=inputs,
    run=run,
    torch=lambda case, arrays: torch_golden(arrays),
    numpy=lambda case, arrays: numpy_golden(arrays),
)
