"""Inputs on which moe_dispatch is checked: experts without tokens, all tokens to one expert, dropped choices."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from openpto.testing.tolerance import EXACT
from openpto_gym.moe_dispatch.golden import numpy_golden, torch_golden
from openpto_gym.moe_dispatch.kernel import moe_dispatch
from openpto_gym.operator import BF16, FP16, FP32, Arrays, Case, Operator, cases_of
from openpto_gym.special import not_finite


@dataclass(frozen=True, slots=True, kw_only=True)
class DispatchCase(Case):
    """``t`` tokens [h] with ``k`` of ``e`` experts each, or of the first ``few``; ``dropped``: some choices are -1.

    ``special``: tokens hold NaN and infinities here and there.
    """

    t: int
    k: int = 2
    e: int = 16
    h: int = 64
    few: int = 0
    dropped: bool = False
    special: bool = False


CASES = cases_of(
    DispatchCase,
    dict.fromkeys((FP32, FP16, BF16), EXACT),
    one_token={"t": 1},
    typical={"t": 50},
    two_experts_take_all={"t": 30, "few": 2},
    dropped={"t": 40, "dropped": True},
    many_choices={"t": 20, "k": 8, "dtypes": (FP32,)},
    special_values={"t": 20, "special": True},
    no_tokens={"t": 0, "dtypes": (FP32,)},
    customary={"t": 256, "k": 8, "e": 160, "h": 5120, "slow": True, "dtypes": (BF16,)},
    of_256_experts={"t": 300, "k": 8, "e": 256, "h": 2048, "slow": True, "dtypes": (BF16,)},
)


def inputs(case: DispatchCase) -> Arrays:
    """Tokens and their experts, all different for one token."""
    rng = case.generator()
    count = case.few or case.e
    experts = np.array([rng.permutation(count)[: case.k] for _ in range(case.t)], np.int32).reshape(case.t, case.k)
    if case.dropped:
        experts[rng.random(experts.shape) < 0.3] = -1
    x = rng.standard_normal((case.t, case.h))
    if case.special:
        x = not_finite(x, rng)
    return {"x": x.astype(case.element), "experts": experts}


def run(case: DispatchCase, arrays: Arrays) -> Arrays:
    """One call of the kernel."""
    outputs = {
        "rows": np.full((case.t * case.k, case.h), np.nan, case.element),
        "places": np.full((case.t, case.k), -7, np.int32),
        "group_sums": np.full(case.e + 1, -7, np.int32),
    }
    moe_dispatch(*arrays.values(), *outputs.values())
    return outputs


OPERATOR = Operator(
    name="moe_dispatch",
    summary="tokens in the order of their experts, the place of every choice and where the groups begin",
    cases=CASES,
    inputs=inputs,
    run=run,
    torch=lambda case, arrays: torch_golden(arrays, case.e),
    numpy=lambda case, arrays: numpy_golden(arrays, case.e),
)
