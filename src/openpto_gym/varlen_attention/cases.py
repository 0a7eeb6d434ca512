"""Inputs on which varlen_attention is checked; its backward operator takes the same ones."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from openpto.testing import Tolerance
from openpto_gym.attention.cases import TOLERANCES, with_scores
from openpto_gym.operator import BF16, FP32, Arrays, Case, Operator, cases_of, unwritten
from openpto_gym.varlen_attention.golden import numpy_golden, torch_golden
from openpto_gym.varlen_attention.kernel import varlen_attention


@dataclass(frozen=True, slots=True, kw_only=True)
class VarlenCase(Case):
    """Packed sequences of normal values; queries are scaled by ``sharpness``."""

    lengths: tuple[int, ...]
    nq: int = 2
    nkv: int = 1
    d: int = 64
    causal: bool = False
    sharpness: float = 1.0

    @property
    def scale(self) -> float:
        """1 / sqrt(D)."""
        return float(1 / np.sqrt(self.d))

    def tolerance_of(self, output: str) -> Tolerance:
        """The statistics are FP32 whatever the dtype."""
        return self.tolerance if output == "out" or self.dtype is FP32 else TOLERANCES[FP32]


CASES = cases_of(
    VarlenCase,
    {dtype: TOLERANCES[dtype] for dtype in (FP32, BF16)},
    one_token={"lengths": (1,)},
    around_a_block={"lengths": (1, 127, 128, 129)},
    causal_around_a_block={"lengths": (127, 128, 129), "causal": True},
    empty_sequences={"lengths": (0, 40, 0, 0, 33)},
    no_sequences={"lengths": ()},
    own_key_heads={"lengths": (50, 60), "nkv": 2, "causal": True, "dtypes": (FP32,)},
    peaked={"lengths": (200,), "sharpness": 3.0, "causal": True},
    very_peaked={
        "lengths": (200, 70),
        "sharpness": 10.0,
        "causal": True,
        "dtypes": (FP32,),
        "tolerance": with_scores(40.0)[FP32],
    },
    heads_of_128={"lengths": (700, 1, 64, 300), "nq": 8, "nkv": 8, "d": 128, "causal": True, "slow": True},
    customary={"lengths": (320,) * 8, "nq": 8, "nkv": 8, "slow": True},
    long={"lengths": (4096,), "nq": 2, "nkv": 2, "causal": True, "slow": True},
)


def inputs(case: VarlenCase) -> Arrays:
    """query, key, value and the prefix sums of the lengths."""
    rng = case.generator()
    tokens = sum(case.lengths)
    query = rng.standard_normal((tokens, case.nq, case.d)) * case.sharpness
    key, value = rng.standard_normal((2, tokens, case.nkv, case.d))
    arrays = {name: array.astype(case.element) for name, array in (("query", query), ("key", key), ("value", value))}
    return {**arrays, "cu_seqlens": np.cumsum((0, *case.lengths)).astype(np.int32)}


def run(case: VarlenCase, arrays: Arrays) -> Arrays:
    """One call of the kernel."""
    query = arrays["query"]
    outputs = {"out": unwritten(query)}
    outputs |= {name: np.full(query.shape[:2], np.nan, np.float32) for name in ("row_max", "row_sum")}
    varlen_attention(*arrays.values(), *outputs.values(), scale=case.scale, causal=case.causal)
    return outputs


OPERATOR = Operator(
    name="varlen_attention",
    summary="attention inside each of a batch of packed sequences, with row maxima and sums",
    cases=CASES,
    inputs=inputs,
    run=run,
    torch=lambda case, arrays: torch_golden(arrays, case.scale, case.causal),
    numpy=lambda case, arrays: numpy_golden(arrays, case.scale, case.causal),
)
