"""Inputs on which causal_attention is checked: lengths around a block, a history, queries that see no key."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from openpto_gym.attention.cases import PEAKED_TOLERANCES, TOLERANCES, with_scores
from openpto_gym.causal_attention.golden import numpy_golden, torch_golden
from openpto_gym.causal_attention.kernel import causal_attention
from openpto_gym.operator import FP32, Array, Arrays, Case, Operator, cases_of, unwritten


@dataclass(frozen=True, slots=True, kw_only=True)
class CausalAttentionCase(Case):
    """Normal queries, keys and values; queries are scaled by ``sharpness``.

    ``tempting``: later keys match better and better, so that a mask that is off by one shows.
    """

    b: int
    tq: int
    tk: int
    nq: int = 2
    nkv: int = 1
    d: int = 64
    sharpness: float = 1.0
    tempting: bool = False

    @property
    def scale(self) -> float:
        """1 / sqrt(D)."""
        return float(1 / np.sqrt(self.d))


CASES = cases_of(
    CausalAttentionCase,
    TOLERANCES,
    one_token={"b": 1, "tq": 1, "tk": 1},
    one_short_of_a_block={"b": 1, "tq": 127, "tk": 127},
    one_past_a_block={"b": 1, "tq": 129, "tk": 129},
    batch={"b": 3, "tq": 20, "tk": 20},
    history={"b": 1, "tq": 70, "tk": 300},
    one_query_after_a_history={"b": 2, "tq": 1, "tk": 260},
    fewer_keys_than_queries={"b": 1, "tq": 140, "tk": 10},
    flat_weights={"b": 1, "tq": 64, "tk": 150, "sharpness": 1e-3},
    shared_key_heads={"b": 2, "tq": 40, "tk": 60, "nq": 4, "nkv": 2, "dtypes": (FP32,)},
    no_keys={"b": 1, "tq": 5, "tk": 0},
    no_queries={"b": 1, "tq": 0, "tk": 10},
    customary={"b": 1, "tq": 1024, "tk": 1024, "nq": 12, "nkv": 1, "d": 128, "slow": True},
    long={"b": 1, "tq": 130, "tk": 8000, "nq": 2, "nkv": 1, "d": 128, "slow": True},
)


CASES += cases_of(
    CausalAttentionCase, with_scores(24.0), tempting_future={"b": 1, "tq": 200, "tk": 200, "tempting": True}
)
CASES += cases_of(
    CausalAttentionCase, PEAKED_TOLERANCES, peaked_weights={"b": 1, "tq": 64, "tk": 260, "sharpness": 300.0}
)


def inputs(case: CausalAttentionCase) -> Arrays:
    """query, key and value."""
    rng = case.generator()

    def draw(tokens: int, heads: int) -> Array:
        return rng.standard_normal((case.b, tokens, heads, case.d))

    query = draw(case.tq, case.nq) * case.sharpness
    key, value = draw(case.tk, case.nkv), draw(case.tk, case.nkv)
    if case.tempting:
        query[..., 0] = 4.0
        key[..., 0] = np.linspace(0, 40, case.tk)[None, :, None]
    return {name: array.astype(case.element) for name, array in (("query", query), ("key", key), ("value", value))}


def run(case: CausalAttentionCase, arrays: Arrays) -> Arrays:
    """One call of the kernel."""
    out = unwritten(arrays["query"])
    causal_attention(*arrays.values(), out, scale=case.scale)
    return {"out": out}


OPERATOR = Operator(
    name="causal_attention",
    summary="attention in which a query sees the keys up to its own position, with shared key heads",
    cases=CASES,
    inputs=inputs,
    run=run,
    torch=lambda case, arrays: torch_golden(arrays, case.scale),
    numpy=lambda case, arrays: numpy_golden(arrays, case.scale),
)
