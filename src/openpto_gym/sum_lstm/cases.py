"""Inputs on which sum_lstm is checked: batches around the unrolled sizes, weights left out, rows near zero."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from openpto.ir.dtypes import DataType
from openpto.testing import Tolerance
from openpto_gym.operator import Array, Arrays, Case, Operator
from openpto_gym.sum_lstm.golden import numpy_golden, torch_golden
from openpto_gym.sum_lstm.kernel import DEFAULTS, SumLstmConfig
from openpto_gym.sum_lstm.operator import run as run_step

TOLERANCES = {
    DataType.DT_FP32: Tolerance(rtol=5e-6, atol=1e-6),
    DataType.DT_FP16: Tolerance(rtol=2.0**-10, atol=1e-6),
    DataType.DT_BF16: Tolerance(rtol=2.0**-7, atol=1e-6),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SumLstmCase(Case):
    """Normal values in a batch of ``b`` rows of width ``h``, scaled by ``scale``; ``plain``: no weights and biases."""

    b: int
    h: int
    scale: float = 1.0
    plain: bool = False
    config: SumLstmConfig = DEFAULTS

    @property
    def sizes(self) -> str:
        """B x H."""
        return f"{self.b}x{self.h}"


def _cases(dtype: DataType, tolerance: Tolerance) -> tuple[SumLstmCase, ...]:
    ending = "" if dtype is DataType.DT_FP32 else f"_{dtype.short.lower()}"

    def case(
        name: str, b: int, h: int, scale: float = 1.0, plain: bool = False, slow: bool = False,
        config: SumLstmConfig = DEFAULTS,
    ) -> SumLstmCase:  # fmt: skip
        return SumLstmCase(
            name=name + ending, tolerance=tolerance, dtype=dtype, b=b, h=h,
            scale=scale, plain=plain, slow=slow, config=config,
        )  # fmt: skip

    return (
        case("one_row", 1, 64),
        case("three_rows", 3, 64),
        case("seven_rows", 7, 128),
        case("odd_width", 5, 77),
        case("wide", 4, 4096),
        case("no_weights", 6, 96, plain=True),
        case("strong_second_projection", 6, 96, config=SumLstmConfig(alpha=3.0)),
        case("near_epsilon", 6, 96, scale=1e-3),
        case("zeros", 6, 96, scale=0.0),
        case("saturated_gates", 6, 96, scale=40.0),
        case("no_rows", 0, 64),
        case("customary", 32, 4096, slow=True),
    )


def inputs(case: SumLstmCase) -> Arrays:
    """The two projections, the cell before the step, weights and biases."""
    rng = case.generator()

    def draw(*shape: int) -> Array:
        return (rng.standard_normal(shape) * case.scale).astype(case.element)

    def weights() -> tuple[Array, Array]:
        if case.plain:
            return np.ones(case.h, case.element), np.zeros(case.h, case.element)
        return rng.standard_normal(case.h).astype(case.element), rng.standard_normal(case.h).astype(case.element)

    w_cell, b_cell = weights()
    w_state, b_state = weights()
    return {
        "states_4d": draw(case.b, 4 * case.h),
        "z4_4d": draw(case.b, 4 * case.h),
        "prev_cell": draw(case.b, case.h),
        "w_cell": w_cell,
        "b_cell": b_cell,
        "w_state": w_state,
        "b_state": b_state,
    }


def run(case: SumLstmCase, arrays: Arrays) -> Arrays:
    """One call; the weights of a plain case are left out."""
    names = ("states_4d", "z4_4d", "prev_cell") if case.plain else tuple(arrays)
    hidden, cell = run_step(**{name: arrays[name] for name in names}, config=case.config)
    return {"h_out": hidden, "c_out": cell}


OPERATOR = Operator(
    name="sum_lstm",
    summary="a step of an LSTM on the sum of two projections, with normalised cell input and state",
    cases=tuple(case for dtype, tolerance in TOLERANCES.items() for case in _cases(dtype, tolerance)),
    inputs=inputs,
    run=run,
    torch=lambda case, arrays: torch_golden(arrays, case.config),
    numpy=lambda case, arrays: numpy_golden(arrays, case.config),
)
