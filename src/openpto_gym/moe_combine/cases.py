"""Inputs on which moe_combine is checked: dropped choices, tokens without any, weights that cancel."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from openpto_gym.moe_combine.golden import numpy_golden, torch_golden
from openpto_gym.moe_combine.kernel import moe_combine
from openpto_gym.operator import BF16, USUAL, Arrays, Case, Operator, cases_of, unwritten


@dataclass(frozen=True, slots=True, kw_only=True)
class CombineCase(Case):
    """``t`` tokens [h] with ``k`` of ``e`` experts each; a choice is dropped with the probability ``dropped``.

    ``poison``: rows that no choice names hold NaN, and so does the bias of the last expert, which has no tokens.
    """

    t: int
    k: int = 2
    e: int = 16
    h: int = 64
    dropped: float = 0.0
    poison: bool = False


CASES = cases_of(
    CombineCase,
    USUAL,
    one_token={"t": 1},
    typical={"t": 50},
    some_dropped={"t": 60, "dropped": 0.5},
    unused_rows_of_nan={"t": 40, "dropped": 0.4, "poison": True},
    all_dropped={"t": 10, "dropped": 1.0},
    no_tokens={"t": 0},
    customary={"t": 512, "k": 8, "e": 160, "h": 5120, "dropped": 0.1, "slow": True, "dtypes": (BF16,)},
    of_256_experts={"t": 600, "k": 8, "e": 256, "h": 2048, "dropped": 0.1, "slow": True, "dtypes": (BF16,)},
)


def inputs(case: CombineCase) -> Arrays:
    """Rows in random places, weights of both signs, bias and residual."""
    rng = case.generator()
    count = case.t * case.k
    rows, residual = rng.standard_normal((max(count, 1), case.h)), rng.standard_normal((case.t, case.h))
    places = rng.permutation(count).reshape(case.t, case.k).astype(np.int32)
    experts = rng.integers(0, case.e, places.shape).astype(np.int32)
    if case.poison:
        experts = rng.integers(0, case.e - 1, places.shape).astype(np.int32)
    gone = rng.random(places.shape) < case.dropped
    places[gone] = experts[gone] = -1
    bias = 0.1 * rng.standard_normal((case.e, case.h))
    if case.poison:
        rows[np.setdiff1d(np.arange(count), places)] = bias[-1] = np.nan
    halves = {name: array.astype(case.element) for name, array in (("bias", bias), ("residual", residual))}
    return {
        "rows": rows.astype(case.element),
        "places": places,
        "experts": experts,
        "weights": rng.standard_normal(places.shape).astype(np.float32),
        **halves,
    }


def run(case: CombineCase, arrays: Arrays) -> Arrays:
    """One call of the kernel."""
    out = unwritten(arrays["residual"])
    moe_combine(*arrays.values(), out)
    return {"out": out}


OPERATOR = Operator(
    name="moe_combine",
    summary="the weighted results of a token's experts, added to its residual",
    cases=CASES,
    inputs=inputs,
    run=run,
    torch=lambda case, arrays: torch_golden(arrays),
    numpy=lambda case, arrays: numpy_golden(arrays),
)
