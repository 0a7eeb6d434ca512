"""Inputs on which attention is checked: lengths around a block, long ones, flat and peaked weights, shared heads."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from openpto.ir.dtypes import DataType
from openpto.testing import Tolerance
from openpto_gym.attention.golden import numpy_golden, torch_golden
from openpto_gym.attention.kernel import attention
from openpto_gym.operator import Array, Arrays, Case, Operator, unwritten

# FP16 and BF16 weights are rounded before they meet the values.
TOLERANCES = {
    DataType.DT_FP32: Tolerance(rtol=1e-5, atol=2e-6),
    DataType.DT_FP16: Tolerance(rtol=2.0**-9, atol=1e-3),
    DataType.DT_BF16: Tolerance(rtol=2.0**-6, atol=8e-3),
}


def with_scores(largest: float) -> dict[DataType, Tolerance]:
    """The tolerances where scores are up to ``largest``, above five or so.

    A score is off by some 2^-24 of its size, and a weight by the factor e to that; values are up to four or so.
    """
    return TOLERANCES | {DataType.DT_FP32: Tolerance(rtol=1e-5, atol=4e-7 * largest)}


# Scores of some thousands, off by a few units in the last place, move the logarithm of a weight by as much.
PEAKED_TOLERANCES = TOLERANCES | {DataType.DT_FP32: Tolerance(rtol=1e-3, atol=2e-3)}


@dataclass(frozen=True, slots=True, kw_only=True)
class AttentionCase(Case):
    """Normal queries, keys and values; queries are scaled by ``sharpness``.

    ``ramp``: scores grow with the position of the key, so that every block of keys brings a new maximum.
    """

    b: int
    tq: int
    tk: int
    nq: int
    nkv: int
    d: int
    sharpness: float = 1.0
    ramp: bool = False

    @property
    def sizes(self) -> str:
        """B, lengths, heads and width."""
        return f"B{self.b} T{self.tq}/{self.tk} N{self.nq}/{self.nkv} D{self.d}"

    @property
    def scale(self) -> float:
        """1 / sqrt(D)."""
        return float(1 / np.sqrt(self.d))


def _cases(dtype: DataType) -> tuple[AttentionCase, ...]:
    ending = "" if dtype is DataType.DT_FP32 else f"_{dtype.short.lower()}"

    def case(
        name: str, b: int, tq: int, tk: int, nq: int, nkv: int, d: int,
        sharpness: float = 1.0, ramp: bool = False, slow: bool = False,
    ) -> AttentionCase:  # fmt: skip
        tolerance = (PEAKED_TOLERANCES if sharpness > 100 else TOLERANCES)[dtype]
        return AttentionCase(
            name=name + ending, tolerance=tolerance, dtype=dtype, slow=slow,
            b=b, tq=tq, tk=tk, nq=nq, nkv=nkv, d=d, sharpness=sharpness, ramp=ramp,
        )  # fmt: skip

    return (
        case("one_token", 1, 1, 1, 1, 1, 64),
        case("one_query_many_keys", 1, 1, 300, 2, 1, 64),
        case("many_queries_one_key", 1, 130, 1, 1, 1, 64),
        case("one_short_of_a_block", 1, 127, 127, 1, 1, 64),
        case("one_block", 1, 128, 128, 1, 1, 128),
        case("one_past_a_block", 1, 129, 129, 1, 1, 128),
        case("shared_key_heads", 2, 70, 150, 4, 2, 64),
        case("rising_maximum", 1, 100, 400, 1, 1, 64, ramp=True),
        case("flat_weights", 1, 64, 260, 1, 1, 64, sharpness=1e-3),
        case("peaked_weights", 1, 64, 260, 1, 1, 64, sharpness=300.0),
        case("no_queries", 1, 0, 10, 1, 1, 64),
        case("no_batch", 0, 5, 10, 1, 1, 64),
        case("typical", 1, 512, 512, 2, 2, 128, slow=True),
        case("heads_of_a_model", 1, 40, 2048, 12, 1, 128, slow=True),
        case("long", 1, 4096, 4096, 1, 1, 128, slow=True),
        case("long_narrow", 1, 4001, 4096, 1, 1, 64, slow=True),
    )


def inputs(case: AttentionCase) -> Arrays:
    """query, key and value."""
    rng = case.generator()

    def draw(tokens: int, heads: int) -> Array:
        return rng.standard_normal((case.b, tokens, heads, case.d))

    query = draw(case.tq, case.nq) * case.sharpness
    key, value = draw(case.tk, case.nkv), draw(case.tk, case.nkv)
    if case.ramp:
        query[..., 0] = np.abs(query[..., 0]) + 1
        key[..., 0] = np.linspace(0, 40, case.tk)[None, :, None]
    return {name: array.astype(case.element) for name, array in (("query", query), ("key", key), ("value", value))}


def run(case: AttentionCase, arrays: Arrays) -> Arrays:
    """One call of the kernel."""
    out = unwritten(arrays["query"])
    attention(arrays["query"], arrays["key"], arrays["value"], out, scale=case.scale)
    return {"out": out}


OPERATOR = Operator(
    name="attention",
    summary="out = softmax(scale * query @ key^T) @ value, by a running softmax over blocks of keys",
    cases=tuple(case for dtype in TOLERANCES for case in _cases(dtype)),
    inputs=inputs,
    run=run,
    torch=lambda case, arrays: torch_golden(arrays, case.scale),
    numpy=lambda case, arrays: numpy_golden(arrays, case.scale),
)
