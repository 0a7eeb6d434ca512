"""Inputs on which row softmax is checked."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from openpto.ir.dtypes import DataType
from openpto.testing import Tolerance
from openpto_gym.operator import Array, Arrays, Case, Operator, unwritten
from openpto_gym.softmax.golden import row_softmax_golden, torch_golden
from openpto_gym.softmax.kernel import row_softmax
from openpto_gym.special import special_rows

TOLERANCES = {
    DataType.DT_FP32: Tolerance(rtol=2e-6, atol=1e-9),
    DataType.DT_FP16: Tolerance(rtol=2.0**-10, atol=1e-7),
    DataType.DT_BF16: Tolerance(rtol=2.0**-7, atol=1e-9),
}
# 1250 additions in each of the 16 lanes of a sum
WIDE_TOLERANCES = TOLERANCES | {DataType.DT_FP32: Tolerance(rtol=1e-5, atol=1e-9)}


@dataclass(frozen=True, slots=True, kw_only=True)
class SoftmaxCase(Case):
    """`rows` x `cols` logits, normal with the given scale around the given centre.

    ``infinite``: some logits are -inf, never a whole row. ``special``: a row with NaN, with an infinity, of zeros, of
    denormal numbers and of -inf throughout among others.
    """

    rows: int
    cols: int
    scale: float = 1.0
    centre: float = 0.0
    infinite: bool = False
    special: bool = False

    @property
    def sizes(self) -> str:
        """The shape."""
        return f"{self.rows}x{self.cols}"


def _cases(dtype: DataType) -> tuple[SoftmaxCase, ...]:
    ending = "" if dtype is DataType.DT_FP32 else f"_{dtype.short.lower()}"

    def case(
        name: str, rows: int, cols: int, scale: float = 1.0, centre: float = 0.0,
        infinite: bool = False, special: bool = False, slow: bool = False,
    ) -> SoftmaxCase:  # fmt: skip
        tolerance = (WIDE_TOLERANCES if cols > 10_000 else TOLERANCES)[dtype]
        return SoftmaxCase(
            name=name + ending, tolerance=tolerance, dtype=dtype, rows=rows, cols=cols,
            scale=scale, centre=centre, infinite=infinite, special=special, slow=slow,
        )  # fmt: skip

    return (
        case("one_row", 1, 256),
        case("one_short_of_a_tile", 63, 256),
        case("one_tile", 64, 256),
        case("one_past_a_tile", 65, 256),
        case("many_tiles", 1000, 256, scale=4.0),
        case("one_column", 70, 1),
        case("unaligned_columns", 130, 37, scale=10.0),
        case("masked_logits", 70, 50, scale=3.0, infinite=True),
        *(
            (
                case("all_negative", 50, 100, scale=5.0, centre=-250_000.0),
                case("large_positive", 50, 100, scale=5.0, centre=80_000.0),
            )
            if dtype is DataType.DT_FP32  # other dtypes have no such values
            else ()
        ),
        case("special_rows", 75, 50, special=True),
        case("wide_rows", 3, 20_000, scale=3.0),
        case("no_rows", 0, 256),
        case("scores_of_a_model", 1024, 4096, scale=2.0, slow=True),
    )


CASES = tuple(case for dtype in TOLERANCES for case in _cases(dtype))


def make_input(case: SoftmaxCase) -> Array:
    """The logits of a case, `[rows, cols]`."""
    rng = case.generator()
    x = rng.standard_normal((case.rows, case.cols)) * case.scale + case.centre
    if case.infinite:
        hidden = rng.random(x.shape) < 0.3
        hidden[:, 0] = False
        x = np.where(hidden, -np.inf, x)
    if case.special:
        x = special_rows(x, case)
        x[10::15] = -np.inf
    return x.astype(case.element)


def run(case: SoftmaxCase, arrays: Arrays) -> Arrays:
    """One call of the kernel."""
    out = unwritten(arrays["x"])
    row_softmax(arrays["x"], out)
    return {"out": out}


OPERATOR = Operator(
    name="softmax",
    summary="softmax over the last axis",
    cases=CASES,
    inputs=lambda case: {"x": make_input(case)},
    run=run,
    torch=lambda case, arrays: torch_golden(arrays),
    numpy=lambda case, arrays: {"out": row_softmax_golden(arrays["x"])},
)
