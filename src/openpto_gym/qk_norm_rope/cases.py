"""Inputs on which qk_norm_rope is checked."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from openpto_gym.operator import USUAL, Arrays, Case, Operator, cases_of, unwritten
from openpto_gym.qk_norm_rope.golden import numpy_golden, torch_golden
from openpto_gym.qk_norm_rope.kernel import qk_norm_rope
from openpto_gym.rope.cases import angle_tables


@dataclass(frozen=True, slots=True, kw_only=True)
class QkNormRopeCase(Case):
    """``t`` tokens of ``nq`` query and ``nk`` key heads [d], scaled; ``first`` is the position of the first token."""

    t: int
    nq: int = 4
    nk: int = 2
    d: int = 64
    scale: float = 1.0
    first: int = 0
    epsilon: float = 1e-6


CASES = cases_of(
    QkNormRopeCase,
    USUAL,
    one_token={"t": 1},
    one_short_of_a_block={"t": 15},
    one_past_a_block={"t": 17},
    many_blocks={"t": 90, "first": 5000},
    near_epsilon={"t": 20, "scale": 1e-3},
    large={"t": 20, "scale": 100.0},
    zeros={"t": 20, "scale": 0.0},
    no_tokens={"t": 0},
    customary={"t": 512, "nq": 16, "nk": 8, "d": 128, "slow": True},
)


def inputs(case: QkNormRopeCase) -> Arrays:
    """Queries, keys, their weights and the tables."""
    rng = case.generator()
    cos, sin = angle_tables(case.first + np.arange(case.t), case.d)
    arrays = {
        "query": rng.standard_normal((case.t, case.nq, case.d)) * case.scale,
        "key": rng.standard_normal((case.t, case.nk, case.d)) * case.scale,
        "gamma_q": 1 + 0.1 * rng.standard_normal(case.d),
        "gamma_k": 1 + 0.1 * rng.standard_normal(case.d),
        "cos": cos,
        "sin": sin,
    }
    return {name: array.astype(case.element) for name, array in arrays.items()}


def run(case: QkNormRopeCase, arrays: Arrays) -> Arrays:
    """One call of the kernel."""
    outputs = {f"{name}_out": unwritten(arrays[name]) for name in ("query", "key")}
    qk_norm_rope(*arrays.values(), *outputs.values(), epsilon=case.epsilon)
    return outputs


OPERATOR = Operator(
    name="qk_norm_rope",
    summary="rms_norm of every query and key head, then rotary position embedding",
    cases=CASES,
    inputs=inputs,
    run=run,
    torch=lambda case, arrays: torch_golden(arrays, case.epsilon),
    numpy=lambda case, arrays: numpy_golden(arrays, case.epsilon),
)
