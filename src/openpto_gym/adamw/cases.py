"""Inputs on which adamw is checked: the first step, late steps, gradients near zero."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from openpto.testing import Tolerance
from openpto_gym.adamw.golden import BETA1, BETA2, numpy_golden, torch_golden
from openpto_gym.adamw.kernel import adamw
from openpto_gym.operator import BF16, FP32, USUAL, Arrays, Case, Operator, cases_of, unwritten


@dataclass(frozen=True, slots=True, kw_only=True)
class AdamwCase(Case):
    """[rows, width] weights around 0.02, gradients around ``size``, in step ``step``; the first has moments of zero."""

    rows: int
    width: int = 96
    step: int = 5
    size: float = 0.01
    rate: float = 1e-2
    decay: float = 0.1

    def tolerance_of(self, output: str) -> Tolerance:
        """The moments are FP32 whatever the dtype of the weights; squares are small."""
        return self.tolerance if output == "weight_out" else Tolerance(rtol=1e-5, atol=1e-9)


CASES = cases_of(
    AdamwCase,
    {dtype: USUAL[dtype] for dtype in (FP32, BF16)},
    one_row={"rows": 1},
    one_short_of_a_block={"rows": 31},
    one_past_a_block={"rows": 33},
    odd_width={"rows": 5, "width": 17},
    first_step={"rows": 40, "step": 1},
    late_step={"rows": 40, "step": 100_000},
    gradients_near_zero={"rows": 20, "size": 1e-7},
    no_gradients={"rows": 20, "size": 0.0},
    large_gradients={"rows": 20, "size": 1e4, "dtypes": (BF16,)},
    no_decay={"rows": 20, "decay": 0.0},
    no_rows={"rows": 0},
    customary={"rows": 512, "width": 2048, "slow": True},
    width_24576={"rows": 40, "width": 24_576, "slow": True},
)


def inputs(case: AdamwCase) -> Arrays:
    """Weights, gradients, moments and the corrections of the step."""
    rng = case.generator()
    shape = (case.rows, case.width)
    weight, grad = rng.standard_normal(shape) * 0.02, rng.standard_normal(shape) * case.size
    moments = rng.standard_normal((2, *shape)) * case.size * (case.step > 1)
    corrections = [[1 - BETA1**case.step, 1 - BETA2**case.step]]
    return {
        "weight": weight.astype(case.element),
        "grad": grad.astype(case.element),
        "mean": moments[0].astype(np.float32),
        "square": np.square(moments[1]).astype(np.float32),
        "corrections": np.array(corrections, np.float32),
    }


def run(case: AdamwCase, arrays: Arrays) -> Arrays:
    """One call of the kernel."""
    outputs = {f"{name}_out": unwritten(arrays[name]) for name in ("weight", "mean", "square")}
    adamw(*arrays.values(), *outputs.values(), rate=case.rate, decay=case.decay)
    return outputs


OPERATOR = Operator(
    name="adamw",
    summary="a step of Adam with bias corrections and decoupled weight decay",
    cases=CASES,
    inputs=inputs,
    run=run,
    torch=lambda case, arrays: torch_golden(arrays, case.rate, case.decay, case.step),
    numpy=lambda case, arrays: numpy_golden(arrays, case.rate, case.decay, case.step),
)
