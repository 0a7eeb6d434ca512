"""Inputs on which quant_matmul is checked: the extremes of INT8, scales of all magnitudes, odd sizes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from openpto.ir.dtypes import DataType, numpy_dtype
from openpto.testing import T1, Tolerance
from openpto_gym.operator import BF16, FP32, Array, Arrays, Case, Operator, cases_of
from openpto_gym.quant_matmul.golden import numpy_golden, torch_golden
from openpto_gym.quant_matmul.kernel import quant_matmul

INT8 = DataType.DT_INT8


@dataclass(frozen=True, slots=True, kw_only=True)
class QuantMatmulCase(Case):
    """[m, k] @ [k, n]; ``result`` is the dtype of the output.

    ``extreme``: only -128 and 127, so that sums are large; ``spread``: scales of the rows over 2^20.
    """

    m: int
    n: int
    k: int = 96
    result: DataType = FP32
    extreme: bool = False
    spread: bool = False


# Sums are exact in INT32 and round once when they become FP32; then two products and a sum. A bias may cancel.
PRECISE = Tolerance(rtol=1e-6, atol=1e-5)
CASES = cases_of(
    QuantMatmulCase,
    {INT8: PRECISE},
    one_element={"m": 1, "n": 1},
    odd_sizes={"m": 37, "n": 29},
    past_a_block={"m": 129, "n": 200},
    one_row={"m": 1, "n": 257},
    one_column={"m": 257, "n": 1},
    extremes={"m": 40, "n": 40, "k": 1024, "extreme": True},
    scales_of_all_magnitudes={"m": 60, "n": 50, "spread": True},
    no_rows={"m": 0, "n": 16},
    no_columns={"m": 16, "n": 0},
    bf16_odd_sizes={"m": 37, "n": 29, "result": BF16, "tolerance": T1},
    bf16_past_a_block={"m": 129, "n": 200, "result": BF16, "tolerance": T1},
    joint_projection={"m": 8, "n": 1792, "k": 5120, "result": BF16, "tolerance": T1, "slow": True},
    customary={"m": 32, "n": 4096, "k": 7168, "result": BF16, "tolerance": T1, "slow": True},
)


def inputs(case: QuantMatmulCase) -> Arrays:
    """Both matrices, their scales and a bias."""
    rng = case.generator()

    def whole(*shape: int) -> Array:
        values = rng.integers(-128, 128, shape)
        return np.where(values < 0, -128, 127) if case.extreme else values

    a_scale, b_scale = rng.uniform(0.001, 0.01, (case.m, 1)), rng.uniform(0.001, 0.01, (1, case.n))
    if case.spread:
        a_scale *= 2.0 ** rng.integers(-20, 0, a_scale.shape)
    return {
        "a": whole(case.m, case.k).astype(np.int8),
        "b": whole(case.k, case.n).astype(np.int8),
        "a_scale": a_scale.astype(np.float32),
        "b_scale": b_scale.astype(np.float32),
        "bias": rng.standard_normal((1, case.n)).astype(np.float32),
    }


def run(case: QuantMatmulCase, arrays: Arrays) -> Arrays:
    """One call of the kernel."""
    out = np.full((case.m, case.n), np.nan, numpy_dtype(case.result))
    quant_matmul(*arrays.values(), out)
    return {"out": out}


OPERATOR = Operator(
    name="quant_matmul",
    summary="product of INT8 matrices with a scale per row and per column, and a bias",
    cases=CASES,
    inputs=inputs,
    run=run,
    torch=lambda case, arrays: torch_golden(arrays),
    numpy=lambda case, arrays: numpy_golden(arrays),
)
