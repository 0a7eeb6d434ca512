"""Inputs on which grouped_matmul is checked: empty groups, groups around a block, rows of no group."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from openpto.testing import Tolerance
from openpto_gym.grouped_matmul.golden import numpy_golden, torch_golden
from openpto_gym.grouped_matmul.kernel import grouped_matmul
from openpto_gym.matmul.cases import RTOL
from openpto_gym.operator import BF16, FP32, Arrays, Case, Operator, cases_of
from openpto_gym.special import not_finite


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupedMatmulCase(Case):
    """Groups of ``groups`` rows [k], each times [k, n]; ``extra`` rows behind the last group.

    ``special``: one of every five rows holds NaN and infinities here and there, and so do all that are behind.
    """

    groups: tuple[int, ...]
    k: int = 48
    n: int = 72
    extra: int = 0
    special: bool = False


CASES = cases_of(
    GroupedMatmulCase,
    {dtype: Tolerance(rtol=rtol, atol=3e-7 * 48) for dtype, rtol in RTOL.items()},
    one_row={"groups": (0, 1, 0)},
    around_a_block={"groups": (127, 128, 129)},
    small_groups={"groups": (3, 7, 1), "extra": 5},
    past_two_blocks_of_columns={"groups": (5, 130), "n": 257},
    empty_groups={"groups": (0, 40, 0)},
    special_rows={"groups": (30, 0, 50), "extra": 6, "special": True},
    no_rows={"groups": (0, 0), "dtypes": (FP32,)},
    customary={
        "groups": (40, 0, 200, 16, 0, 0, 100, 9), "k": 2048, "n": 512, "slow": True,
        "tolerance": Tolerance(rtol=2.0**-7, atol=3e-7 * 2048),
    },
    wide_experts={
        "groups": (20, 0, 130, 3), "k": 3072, "n": 1536, "slow": True, "dtypes": (BF16,),
        "tolerance": Tolerance(rtol=2.0**-7, atol=3e-7 * 3072),
    },
)  # fmt: skip


def inputs(case: GroupedMatmulCase) -> Arrays:
    """Rows, matrices and where the groups begin."""
    rng = case.generator()
    x = rng.standard_normal((sum(case.groups) + case.extra, case.k))
    if case.special:
        x[::5] = not_finite(x[::5], rng)
        x[sum(case.groups) :] = np.nan
    weights = rng.standard_normal((len(case.groups), case.k, case.n))
    halves = {name: array.astype(case.element) for name, array in (("x", x), ("weights", weights))}
    return {**halves, "group_sums": np.cumsum((0, *case.groups)).astype(np.int32)}


def run(case: GroupedMatmulCase, arrays: Arrays) -> Arrays:
    """One call of the kernel."""
    out = np.full((len(arrays["x"]), case.n), np.nan, case.element)
    grouped_matmul(*arrays.values(), out)
    return {"out": out}


OPERATOR = Operator(
    name="grouped_matmul",
    summary="groups of rows, each times a matrix of its own",
    cases=CASES,
    inputs=inputs,
    run=run,
    torch=lambda case, arrays: torch_golden(arrays),
    numpy=lambda case, arrays: numpy_golden(arrays),
)
