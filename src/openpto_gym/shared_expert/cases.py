"""Inputs on which shared_expert is checked."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from openpto.testing import T1, T2
from openpto_gym.operator import BF16, FP16, FP32, Array, Arrays, Case, Operator, cases_of, unwritten
from openpto_gym.shared_expert.golden import numpy_golden, torch_golden
from openpto_gym.shared_expert.kernel import shared_expert


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedExpertCase(Case):
    """``t`` tokens [h] through an inner width ``i``; ``zeros``: every other token is zero."""

    t: int
    h: int = 128
    i: int = 64
    scale: float = 1.0
    zeros: bool = False


# A number that lies between two steps may be rounded to either; one step is 1/127 of the largest in its row.
CASES = cases_of(
    SharedExpertCase,
    {FP32: T2, FP16: T1, BF16: T1},
    one_token={"t": 1},
    one_short_of_a_block={"t": 15},
    one_past_a_block={"t": 17},
    many_blocks={"t": 70},
    zeros={"t": 20, "zeros": True},
    large={"t": 20, "scale": 30.0},
    no_tokens={"t": 0},
    customary={"t": 32, "h": 5120, "i": 192, "slow": True, "dtypes": (BF16,)},
)


def inputs(case: SharedExpertCase) -> Arrays:
    """Tokens and both matrices with their scales; results are around a tenth."""
    rng = case.generator()
    x = rng.standard_normal((case.t, case.h)) * case.scale
    if case.zeros:
        x[::2] = 0.0
    size = 0.02 / case.scale

    def weight(rows: int, cols: int) -> tuple[Array, Array]:
        return (
            rng.integers(-127, 128, (rows, cols)).astype(np.int8),
            (size * rng.uniform(0.5, 1.5, (1, cols)) / rows**0.5).astype(np.float32),
        )

    w_in, w_in_scale = weight(case.h, 2 * case.i)
    w_out, w_out_scale = weight(case.i, case.h)
    return {
        "x": x.astype(case.element),
        "w_in": w_in,
        "w_in_scale": w_in_scale,
        "w_out": w_out,
        "w_out_scale": w_out_scale,
    }


def run(case: SharedExpertCase, arrays: Arrays) -> Arrays:
    """One call of the kernel."""
    out = unwritten(arrays["x"])
    shared_expert(*arrays.values(), out)
    return {"out": out}


OPERATOR = Operator(
    name="shared_expert",
    summary="a feed-forward layer in INT8: quantise, multiply, swiglu, quantise, multiply",
    cases=CASES,
    inputs=inputs,
    run=run,
    torch=lambda case, arrays: torch_golden(arrays),
    numpy=lambda case, arrays: numpy_golden(arrays),
)
