"""Inputs on which scatter_sub is checked: many updates of few rows, of one row, of rows far apart."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from openpto.testing import Tolerance
from openpto_gym.operator import FP32, Arrays, Case, Operator, cases_of
from openpto_gym.scatter_sub.golden import numpy_golden, torch_golden
from openpto_gym.scatter_sub.kernel import scatter_sub
from openpto_gym.special import not_finite


@dataclass(frozen=True, slots=True, kw_only=True)
class ScatterSubCase(Case):
    """``u`` updates of a table of ``r`` rows [w]; ``one_row``: all of the same.

    ``special``: some updates are NaN or infinite, of which two of both signs may meet in one row.
    """

    u: int
    r: int
    w: int = 16
    one_row: bool = False
    special: bool = False

    def tolerance_of(self, output: str) -> Tolerance:
        """A row rounds with every update; there are this many of one row, on the average or at all."""
        many = self.u if self.one_row else 4 * self.u / self.r + 10
        return Tolerance(rtol=1e-6, atol=1e-7 * many)


CASES = cases_of(
    ScatterSubCase,
    {FP32: Tolerance(rtol=1e-6, atol=1e-6)},
    one_update={"u": 1, "r": 10},
    one_short_of_a_block={"u": 63, "r": 10},
    one_past_a_block={"u": 65, "r": 10},
    few_rows={"u": 1024, "r": 10},
    one_row={"u": 300, "r": 10, "one_row": True},
    far_apart={"u": 200, "r": 5000},
    width_8={"u": 100, "r": 50, "w": 8},
    width_32={"u": 100, "r": 50, "w": 32},
    odd_width={"u": 100, "r": 50, "w": 13},
    one_row_of_one={"u": 70, "r": 1},
    special_updates={"u": 150, "r": 40, "special": True},
    no_updates={"u": 0, "r": 10, "kept": ("table",)},
    customary={"u": 20_000, "r": 300_000, "slow": True},
)


def inputs(case: ScatterSubCase) -> Arrays:
    """Indices, updates and the table before."""
    rng = case.generator()
    indices = rng.integers(0, case.r, case.u)
    if case.one_row:
        indices[:] = case.r // 2
    updates = rng.standard_normal((case.u, case.w))
    if case.special:
        updates = not_finite(updates, rng)
    return {
        "indices": indices.astype(np.int32),
        "updates": updates.astype(np.float32),
        "table": rng.standard_normal((case.r, case.w)).astype(np.float32),
    }


def run(case: ScatterSubCase, arrays: Arrays) -> Arrays:
    """One call of the kernel, on a copy of the table."""
    table = arrays["table"].copy()
    scatter_sub(arrays["indices"], arrays["updates"], table)
    return {"table": table}


OPERATOR = Operator(
    name="scatter_sub",
    summary="table[indices] -= updates, equal indices add up",
    cases=CASES,
    inputs=inputs,
    run=run,
    torch=lambda case, arrays: torch_golden(arrays),
    numpy=lambda case, arrays: numpy_golden(arrays),
    starts={"table": "table"},
)
