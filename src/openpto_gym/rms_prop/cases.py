"""Inputs on which rms_prop is checked."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np

from openpto.testing import Tolerance
from openpto_gym.operator import FP32, Arrays, Case, Operator, cases_of, unwritten
from openpto_gym.rms_prop.golden import numpy_golden, torch_golden
from openpto_gym.rms_prop.kernel import DEFAULTS, RmsPropConfig, rms_prop


@dataclass(frozen=True, slots=True, kw_only=True)
class RmsPropCase(Case):
    """[rows, width] values; gradients are scaled by ``size``; ``first``: nothing is remembered yet."""

    rows: int
    width: int = 96
    size: float = 1.0
    first: bool = False
    config: RmsPropConfig = DEFAULTS


CASES = cases_of(
    RmsPropCase,
    {FP32: Tolerance(rtol=2e-6, atol=1e-6)},
    one_row={"rows": 1},
    one_short_of_a_block={"rows": 31},
    one_past_a_block={"rows": 33},
    eight_by_eight={"rows": 8, "width": 8},
    odd_width={"rows": 5, "width": 17},
    first_step={"rows": 40, "first": True},
    gradients_near_zero={"rows": 20, "size": 1e-4},
    no_gradients={"rows": 20, "size": 0.0},
    large_gradients={"rows": 20, "size": 100.0, "tolerance": Tolerance(rtol=2e-6, atol=1e-4)},
    no_momentum={"rows": 20, "config": RmsPropConfig(momentum=0.0)},
    no_rows={"rows": 0},
    customary={"rows": 1024, "width": 1024, "slow": True},
)


def inputs(case: RmsPropCase) -> Arrays:
    """Weights, gradients, mean of squares and momentum."""
    rng = case.generator()
    weight, grad, root, moment = rng.standard_normal((4, case.rows, case.width))
    if case.first:
        root[:], moment[:] = 0.0, 0.0
    arrays = {"weight": weight, "grad": grad * case.size, "square": (root * case.size) ** 2, "moment": 0.1 * moment}
    return {name: array.astype(np.float32) for name, array in arrays.items()}


def run(case: RmsPropCase, arrays: Arrays) -> Arrays:
    """One call of the kernel."""
    outputs = {f"{name}_out": unwritten(arrays[name]) for name in ("weight", "square", "moment")}
    rms_prop(*arrays.values(), *outputs.values(), config=case.config)
    return outputs


OPERATOR = Operator(
    name="rms_prop",
    summary="a step of RMSProp with momentum",
    cases=CASES,
    inputs=inputs,
    run=run,
    torch=lambda case, arrays: torch_golden(arrays, **asdict(case.config)),
    numpy=lambda case, arrays: numpy_golden(arrays, **asdict(case.config)),
)
