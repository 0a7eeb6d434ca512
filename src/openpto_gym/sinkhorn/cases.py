"""Inputs on which sinkhorn is checked: flat matrices, peaked ones, few iterations."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from openpto_gym.operator import FP32, USUAL, Arrays, Case, Operator, cases_of, unwritten
from openpto_gym.sinkhorn.golden import numpy_golden, torch_golden
from openpto_gym.sinkhorn.kernel import sinkhorn


@dataclass(frozen=True, slots=True, kw_only=True)
class SinkhornCase(Case):
    """``t`` matrices [n, n] of normal logits, scaled; ``hidden``: some off the diagonal are -inf."""

    t: int
    n: int = 4
    scale: float = 1.0
    iterations: int = 20
    epsilon: float = 1e-6
    hidden: bool = False


CASES = cases_of(
    SinkhornCase,
    {FP32: USUAL[FP32]},
    one_token={"t": 1},
    one_short_of_a_block={"t": 63},
    one_past_a_block={"t": 65},
    many_blocks={"t": 300},
    flat={"t": 20, "scale": 0.0},
    peaked={"t": 40, "scale": 8.0},
    negative_extremes={"t": 40, "scale": 200.0},
    hidden_entries={"t": 70, "hidden": True},
    one_iteration={"t": 40, "iterations": 1},
    larger_matrices={"t": 40, "n": 8, "iterations": 3},
    large_epsilon={"t": 40, "epsilon": 1e-2},
    no_tokens={"t": 0},
    customary={"t": 4096, "slow": True},
)


def inputs(case: SinkhornCase) -> Arrays:
    """The logits."""
    rng = case.generator()
    logits = rng.standard_normal((case.t, case.n, case.n)) * case.scale
    if case.hidden:
        logits[(rng.random(logits.shape) < 0.4) & ~np.eye(case.n, dtype=bool)] = -np.inf
    return {"logits": logits.astype(np.float32)}


def run(case: SinkhornCase, arrays: Arrays) -> Arrays:
    """One call of the kernel."""
    out = unwritten(arrays["logits"])
    sinkhorn(arrays["logits"], out, iterations=case.iterations, epsilon=case.epsilon)
    return {"out": out}


OPERATOR = Operator(
    name="sinkhorn",
    summary="small matrices made doubly stochastic by dividing columns and rows in turn",
    cases=CASES,
    inputs=inputs,
    run=run,
    torch=lambda case, arrays: torch_golden(arrays, case.iterations, case.epsilon),
    numpy=lambda case, arrays: numpy_golden(arrays, case.iterations, case.epsilon),
)
