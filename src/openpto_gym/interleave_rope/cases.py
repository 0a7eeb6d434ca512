"""Inputs on which interleave_rope is checked."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from openpto_gym.interleave_rope.golden import numpy_golden, torch_golden
from openpto_gym.interleave_rope.kernel import interleave_rope
from openpto_gym.operator import USUAL, Arrays, Case, Operator, cases_of, unwritten
from openpto_gym.special import not_finite


@dataclass(frozen=True, slots=True, kw_only=True)
class InterleaveRopeCase(Case):
    """x [b, n, s, d]; ``one_angle``: one row of the tables for all tokens; ``free``: tables of unrelated numbers.

    ``special``: NaN and infinities here and there in x, which stay in their pair of columns.
    """

    b: int
    n: int
    s: int
    d: int = 64
    one_angle: bool = False
    free: bool = False
    special: bool = False


CASES = cases_of(
    InterleaveRopeCase,
    USUAL,
    one_token={"b": 1, "n": 1, "s": 1},
    one_short_of_a_block={"b": 2, "n": 2, "s": 31},
    one_past_a_block={"b": 2, "n": 2, "s": 33, "free": True},
    one_angle={"b": 3, "n": 2, "s": 40, "one_angle": True},
    one_free_angle={"b": 2, "n": 2, "s": 40, "one_angle": True, "free": True},
    special_values={"b": 2, "n": 2, "s": 40, "special": True},
    no_tokens={"b": 2, "n": 2, "s": 0},
    no_batch={"b": 0, "n": 2, "s": 8},
    many_heads={"b": 1, "n": 128, "s": 34, "slow": True},
    long={"b": 8, "n": 1, "s": 8192, "slow": True},
)


def inputs(case: InterleaveRopeCase) -> Arrays:
    """x and the two tables."""
    rng = case.generator()
    x = rng.standard_normal((case.b, case.n, case.s, case.d))
    shape = (case.b, 1, 1 if case.one_angle else case.s, case.d)
    angles = np.repeat(rng.random((*shape[:-1], case.d // 2)) * 100, 2, axis=-1)
    cos, sin = (rng.standard_normal((2, *shape))) if case.free else (np.cos(angles), np.sin(angles))
    if case.special:
        x = not_finite(x, rng)
    return {name: array.astype(case.element) for name, array in (("x", x), ("cos", cos), ("sin", sin))}


def run(case: InterleaveRopeCase, arrays: Arrays) -> Arrays:
    """One call of the kernel."""
    out = unwritten(arrays["x"])
    interleave_rope(*arrays.values(), out, one_angle=case.one_angle)
    return {"out": out}


OPERATOR = Operator(
    name="interleave_rope",
    summary="rotary position embedding of neighbouring columns, with even results first",
    cases=CASES,
    inputs=inputs,
    run=run,
    torch=lambda case, arrays: torch_golden(arrays),
    numpy=lambda case, arrays: numpy_golden(arrays),
)
