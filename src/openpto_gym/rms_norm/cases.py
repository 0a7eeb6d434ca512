"""Inputs on which rms_norm is checked."""

from __future__ import annotations

from dataclasses import dataclass

from openpto.ir.dtypes import DataType
from openpto.testing import Tolerance
from openpto_gym.operator import Arrays, Case, Operator, unwritten
from openpto_gym.rms_norm.golden import numpy_golden, torch_golden
from openpto_gym.rms_norm.kernel import rms_norm
from openpto_gym.special import special_rows

TOLERANCES = {
    DataType.DT_FP32: Tolerance(rtol=2e-6, atol=1e-9),
    DataType.DT_FP16: Tolerance(rtol=2.0**-10, atol=1e-7),
    DataType.DT_BF16: Tolerance(rtol=2.0**-7, atol=1e-9),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class RmsNormCase(Case):
    """[rows, hidden] normal values, scaled; with ``mixed`` rows differ by powers of two from 2^-10 to 2^9.

    ``special``: rows with NaN or infinities, of zeros and of denormal numbers among others.
    """

    rows: int
    hidden: int
    scale: float = 1.0
    mixed: bool = False
    special: bool = False
    epsilon: float = 1e-6

    @property
    def sizes(self) -> str:
        """The shape of x."""
        return f"{self.rows}x{self.hidden}"


def _cases(dtype: DataType, tolerance: Tolerance) -> tuple[RmsNormCase, ...]:
    ending = "" if dtype is DataType.DT_FP32 else f"_{dtype.short.lower()}"

    def case(name: str, rows: int, hidden: int, **more: float | bool) -> RmsNormCase:
        fields = {"rows": rows, "hidden": hidden, **more}
        return RmsNormCase(name=name + ending, tolerance=tolerance, dtype=dtype, **fields)  # type: ignore[arg-type]

    return (
        case("one_row", 1, 128),
        case("one_short_of_a_block", 63, 96),
        case("one_past_a_block", 65, 96),
        case("hidden_7168", 17, 7168),
        case("odd_width", 70, 77),
        case("one_column", 66, 1),
        case("near_epsilon", 40, 64, scale=1e-3),
        case("far_below_epsilon", 40, 64, scale=2e-5, epsilon=1e-5),
        case("large", 40, 64, scale=1e4),
        case("rows_of_all_magnitudes", 90, 64, mixed=True),
        case("special_rows", 75, 64, special=True),
        case("no_rows", 0, 64),
        case("hidden_5120", 300, 5120, slow=True),
        case("hidden_3072_long", 1024, 3072, slow=True),
    )


def inputs(case: RmsNormCase) -> Arrays:
    """x and gamma; gamma is around one."""
    rng = case.generator()
    x = rng.standard_normal((case.rows, case.hidden)) * case.scale
    if case.mixed:
        x *= 2.0 ** rng.integers(-10, 10, (case.rows, 1))
    if case.special:
        x = special_rows(x, case)
    gamma = 1 + 0.1 * rng.standard_normal(case.hidden)
    return {"x": x.astype(case.element), "gamma": gamma.astype(case.element)}


def run(case: RmsNormCase, arrays: Arrays) -> Arrays:
    """One call of the kernel."""
    out = unwritten(arrays["x"])
    rms_norm(arrays["x"], arrays["gamma"], out, epsilon=case.epsilon)
    return {"out": out}


OPERATOR = Operator(
    name="rms_norm",
    summary="out = x / sqrt(mean(x^2) + epsilon) * gamma over the last axis",
    cases=tuple(case for dtype, tolerance in TOLERANCES.items() for case in _cases(dtype, tolerance)),
    inputs=inputs,
    run=run,
    torch=lambda case, arrays: torch_golden(arrays, case.epsilon),
    numpy=lambda case, arrays: numpy_golden(arrays, case.epsilon),
)
