"""Inputs on which quantize_int8 is checked: rows of zeros, rows of all magnitudes, numbers half way between steps."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from openpto.testing import T4, Tolerance
from openpto.testing.tolerance import EXACT
from openpto_gym.operator import BF16, FP16, FP32, Arrays, Case, Operator, cases_of
from openpto_gym.quantize_int8.golden import numpy_golden, torch_golden
from openpto_gym.quantize_int8.kernel import quantize_int8

SCALES = Tolerance(rtol=5e-7, atol=0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class QuantizeCase(Case):
    """[rows, width] values. ``data``: normal, zeros (every other row), magnitudes (2^-14 to 2^11), halves (ties)."""

    rows: int
    width: int = 96
    data: str = "normal"

    def tolerance_of(self, output: str) -> Tolerance:
        """Scales are products and quotients, rounded once each; also those of zeros have to be right."""
        return SCALES if output == "scale" else self.tolerance


CASES = cases_of(
    QuantizeCase,
    dict.fromkeys((FP32, FP16, BF16), T4),
    one_row={"rows": 1},
    one_short_of_a_block={"rows": 63},
    one_past_a_block={"rows": 65},
    rows_of_zeros={"rows": 20, "data": "zeros"},
    all_magnitudes={"rows": 40, "data": "magnitudes"},
    between_two_steps={"rows": 10, "data": "halves", "tolerance": EXACT},
    odd_width={"rows": 30, "width": 77},
    no_rows={"rows": 0},
    hidden_7168={"rows": 128, "width": 7168, "slow": True},
)


def inputs(case: QuantizeCase) -> Arrays:
    """x and the smoothing vector, which is around one; one where ties are meant to be."""
    rng = case.generator()
    x, smooth = rng.standard_normal((case.rows, case.width)), rng.uniform(0.5, 2.0, case.width)
    if case.data == "zeros":
        x[::2] = 0.0
    if case.data == "magnitudes":
        x *= 2.0 ** rng.integers(-14, 12, (case.rows, 1))
    if case.data == "halves":
        x[:] = rng.integers(-126, 126, x.shape) + 0.5
        x[:, 0], smooth[:] = 127.0, 1.0
    return {"x": x.astype(case.element), "smooth": smooth.astype(np.float32)}


def run(case: QuantizeCase, arrays: Arrays) -> Arrays:
    """One call of the kernel."""
    outputs: Arrays = {
        "out": np.full((case.rows, case.width), -128, np.int8),
        "scale": np.full((case.rows, 1), np.nan, np.float32),
    }
    quantize_int8(*arrays.values(), *outputs.values())
    return outputs


OPERATOR = Operator(
    name="quantize_int8",
    summary="rows times a smoothing vector as INT8, with a scale per row",
    cases=CASES,
    inputs=inputs,
    run=run,
    torch=lambda case, arrays: torch_golden(arrays),
    numpy=lambda case, arrays: numpy_golden(arrays),
)
