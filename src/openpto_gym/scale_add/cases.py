"""Inputs on which `scale_add` is checked."""

from __future__ import annotations

from openpto.testing import Tolerance
from openpto_gym.elementwise import ElementwiseCase, draw, elementwise_cases
from openpto_gym.operator import BF16, FP16, FP32, Arrays, Operator, unwritten
from openpto_gym.scale_add.golden import numpy_golden, torch_golden
from openpto_gym.scale_add.kernel import scale_add

SCALE = 0.75
# Two roundings. Where the product and y cancel, the first one is what is left, whatever is left of the result.
TOLERANCES = {
    FP32: Tolerance(rtol=1e-5, atol=1e-5),
    FP16: Tolerance(rtol=2.0**-10, atol=1e-5),
    BF16: Tolerance(rtol=2.0**-7, atol=1e-5),
}


def inputs(case: ElementwiseCase) -> Arrays:
    """x and y of the case."""
    rng = case.generator()
    return {"x": draw(case, rng), "y": draw(case, rng)}


def run(case: ElementwiseCase, arrays: Arrays) -> Arrays:
    """One call of the kernel."""
    out = unwritten(arrays["x"])
    scale_add(arrays["x"], arrays["y"], out, scale=SCALE)
    return {"out": out}


OPERATOR = Operator(
    name="scale_add",
    summary="out = scale * x + y",
    cases=elementwise_cases(TOLERANCES),
    inputs=inputs,
    run=run,
    torch=lambda case, arrays: torch_golden(arrays, SCALE),
    numpy=lambda case, arrays: numpy_golden(arrays, SCALE),
)
