"""Inputs on which fp8_matmul is checked: rows of zeros, of all magnitudes, with numbers that FP8 holds as denormals."""

from __future__ import annotations

from dataclasses import dataclass

import ml_dtypes
import numpy as np

from openpto.testing import T1, T2
from openpto_gym.fp8_matmul.golden import numpy_golden, torch_golden
from openpto_gym.fp8_matmul.kernel import fp8_matmul
from openpto_gym.operator import BF16, FP32, Arrays, Case, Operator, cases_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Fp8MatmulCase(Case):
    """[m, k] @ [k, n]. ``data``: normal, zeros (every other row), magnitudes (rows over 2^20), small (but for one).

    Or halves: whole numbers half way between two of FP8, in rows whose scale is one.
    """

    m: int
    n: int
    k: int = 96
    data: str = "normal"


CASES = cases_of(
    Fp8MatmulCase,
    {FP32: T2, BF16: T1},
    one_element={"m": 1, "n": 1},
    odd_sizes={"m": 37, "n": 29},
    past_a_block={"m": 65, "n": 200},
    rows_of_zeros={"m": 20, "n": 40, "data": "zeros"},
    all_magnitudes={"m": 40, "n": 40, "data": "magnitudes"},
    small_beside_large={"m": 30, "n": 40, "data": "small"},
    between_two_steps={"m": 20, "n": 20, "data": "halves"},
    no_rows={"m": 0, "n": 16},
    no_columns={"m": 16, "n": 0},
    customary={"m": 32, "n": 2048, "k": 4096, "slow": True, "dtypes": (BF16,)},
)


def inputs(case: Fp8MatmulCase) -> Arrays:
    """x, the matrix in FP8 and its scales."""
    rng = case.generator()
    x, weight = rng.standard_normal((case.m, case.k)), rng.standard_normal((case.n, case.k))
    if case.data == "zeros":
        x[::2] = 0.0
    if case.data == "magnitudes":
        x *= 2.0 ** rng.integers(-20, 0, (case.m, 1))
    if case.data == "small":
        x *= 1e-4
        x[:, 3] = 1.0
    if case.data == "halves":
        x = rng.choice([-1.0, 1.0], x.shape) * (17 + 2 * rng.integers(0, 8, x.shape))
        x[:, 3] = 448.0
    scale = rng.uniform(0.01, 0.1, (1, case.n)) / case.k**0.5
    return {
        "x": x.astype(case.element),
        "weight": (weight * 100).clip(-448, 448).astype(ml_dtypes.float8_e4m3fn),
        "weight_scale": scale.astype(np.float32),
    }


def run(case: Fp8MatmulCase, arrays: Arrays) -> Arrays:
    """One call of the kernel."""
    out = np.full((case.m, case.n), np.nan, case.element)
    fp8_matmul(*arrays.values(), out)
    return {"out": out}


OPERATOR = Operator(
    name="fp8_matmul",
    summary="rows that become FP8 with a scale of their own, times a matrix in FP8 with a scale per column",
    cases=CASES,
    inputs=inputs,
    run=run,
    torch=lambda case, arrays: torch_golden(arrays),
    numpy=lambda case, arrays: numpy_golden(arrays),
)
