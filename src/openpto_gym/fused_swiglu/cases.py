"""Inputs on which fused_swiglu is checked."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from openpto.testing import Tolerance
from openpto_gym.fused_swiglu.golden import numpy_golden, torch_golden
from openpto_gym.fused_swiglu.kernel import fused_swiglu
from openpto_gym.operator import BF16, FP32, USUAL, Arrays, Case, Operator, cases_of


@dataclass(frozen=True, slots=True, kw_only=True)
class FusedSwigluCase(Case):
    """x [m, k] normal, scaled; weights so that projections are around ``scale``."""

    m: int
    n: int
    k: int = 64
    scale: float = 1.0


CASES = cases_of(
    FusedSwigluCase,
    USUAL,
    one_element={"m": 1, "n": 1},
    odd_sizes={"m": 37, "n": 29},
    past_a_block={"m": 129, "n": 200},
    one_row={"m": 1, "n": 257},
    saturated={"m": 30, "n": 40, "scale": 4.0},
    far_gates={"m": 30, "n": 40, "scale": 16.0},
    no_rows={"m": 0, "n": 16},
    no_columns={"m": 16, "n": 0},
    customary={"m": 512, "n": 1024, "k": 512, "slow": True, "dtypes": (BF16,)},
    mlp_11008={"m": 64, "n": 11_008, "k": 2048, "slow": True, "dtypes": (BF16,)},
    expert_3072={"m": 64, "n": 3072, "k": 6144, "slow": True, "dtypes": (BF16,)},
)
# Sums of 2048 terms around one are off by some 1e-5 in FP32.
CASES += cases_of(
    FusedSwigluCase,
    {FP32: Tolerance(rtol=1e-5, atol=3e-5), BF16: USUAL[BF16]},
    expert_512={"m": 130, "n": 512, "k": 2048, "slow": True},
)


def inputs(case: FusedSwigluCase) -> Arrays:
    """x, both matrices and both biases."""
    rng = case.generator()
    arrays = {
        "x": rng.standard_normal((case.m, case.k)) * case.scale,
        "w_gate": rng.standard_normal((case.k, case.n)) / case.k**0.5,
        "w_up": rng.standard_normal((case.k, case.n)) / case.k**0.5 / case.scale,
        "b_gate": 0.5 * rng.standard_normal((1, case.n)),
        "b_up": 0.5 * rng.standard_normal((1, case.n)),
    }
    return {name: array.astype(case.element) for name, array in arrays.items()}


def run(case: FusedSwigluCase, arrays: Arrays) -> Arrays:
    """One call of the kernel."""
    out = np.full((case.m, case.n), np.nan, case.element)
    fused_swiglu(*arrays.values(), out)
    return {"out": out}


OPERATOR = Operator(
    name="fused_swiglu",
    summary="out = silu(x @ w_gate + b_gate) * (x @ w_up + b_up)",
    cases=CASES,
    inputs=inputs,
    run=run,
    torch=lambda case, arrays: torch_golden(arrays),
    numpy=lambda case, arrays: numpy_golden(arrays),
)
