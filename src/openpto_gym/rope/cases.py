"""Inputs on which rope is checked; the tables are those of positions, or unrelated in the two halves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from openpto_gym.operator import USUAL, Array, Arrays, Case, Operator, cases_of, unwritten
from openpto_gym.rope.golden import numpy_golden, torch_golden
from openpto_gym.rope.kernel import rope
from openpto_gym.special import not_finite


@dataclass(frozen=True, slots=True, kw_only=True)
class RopeCase(Case):
    """``t`` tokens of ``n`` heads [d], of which ``r`` columns turn; ``first`` is the position of the first token.

    ``free``: the tables hold unrelated numbers, so that halves that are mixed up show. ``special``: NaN and
    infinities here and there in x, which stay in their pair of columns.
    """

    t: int
    n: int
    d: int
    r: int
    first: int = 0
    free: bool = False
    special: bool = False
    inverse: bool = False


CASES = cases_of(
    RopeCase,
    USUAL,
    one_token={"t": 1, "n": 2, "d": 64, "r": 64},
    one_short_of_a_block={"t": 31, "n": 2, "d": 64, "r": 64},
    one_past_a_block={"t": 33, "n": 2, "d": 64, "r": 64},
    half_of_the_head={"t": 70, "n": 3, "d": 128, "r": 64},
    halves_differ={"t": 40, "n": 3, "d": 128, "r": 64, "free": True},
    far_positions={"t": 50, "n": 2, "d": 64, "r": 64, "first": 1_000_000},
    inverse={"t": 70, "n": 3, "d": 128, "r": 64, "inverse": True, "free": True},
    odd_heads={"t": 5, "n": 7, "d": 48, "r": 12},
    special_values={"t": 40, "n": 3, "d": 128, "r": 64, "special": True},
    no_tokens={"t": 0, "n": 2, "d": 64, "r": 64},
    customary={"t": 2048, "n": 12, "d": 128, "r": 64, "slow": True},
    heads_of_512={"t": 100, "n": 64, "d": 512, "r": 64, "slow": True},
)


def angle_tables(positions: Array, width: int, base: float = 10_000.0) -> tuple[Array, Array]:
    """cos and sin [tokens, width] in float64, equal in both halves: angle = position * base^(-2i / width)."""
    rates = base ** (-np.arange(width // 2) * 2 / width)
    angles = np.tile(positions[:, None] * rates, 2)
    return np.cos(angles), np.sin(angles)


def inputs(case: RopeCase) -> Arrays:
    """x and the two tables."""
    rng = case.generator()
    x = rng.standard_normal((case.t, case.n, case.d))
    cos, sin = angle_tables(case.first + np.arange(case.t), case.r)
    if case.free:
        cos, sin = rng.standard_normal((2, case.t, case.r))
    if case.special:
        x = not_finite(x, rng)
    return {name: array.astype(case.element) for name, array in (("x", x), ("cos", cos), ("sin", sin))}


def run(case: RopeCase, arrays: Arrays) -> Arrays:
    """One call of the kernel."""
    out = unwritten(arrays["x"])
    rope(*arrays.values(), out, inverse=case.inverse)
    return {"out": out}


OPERATOR = Operator(
    name="rope",
    summary="rotary position embedding in its half form, on all or the first columns of every head",
    cases=CASES,
    inputs=inputs,
    run=run,
    torch=lambda case, arrays: torch_golden(arrays, case.inverse),
    numpy=lambda case, arrays: numpy_golden(arrays, case.inverse),
)
