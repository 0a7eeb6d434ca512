"""Inputs on which window_attention is checked: windows around a block, sinks of all sizes, empty sequences."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from openpto_gym.attention.cases import TOLERANCES, with_scores
from openpto_gym.operator import BF16, FP32, Arrays, Case, Operator, cases_of, unwritten
from openpto_gym.window_attention.golden import numpy_golden, torch_golden
from openpto_gym.window_attention.kernel import window_attention


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowAttentionCase(Case):
    """Packed sequences of normal values. ``sink`` is the size of the sinks, which differ from head to head.

    ``tempting``: keys match better the older they are, so that one key too many shows.
    """

    lengths: tuple[int, ...]
    window: int = 128
    nq: int = 2
    nkv: int = 1
    d: int = 64
    sink: float = 1.0
    tempting: bool = False

    @property
    def scale(self) -> float:
        """1 / sqrt(D)."""
        return float(1 / np.sqrt(self.d))


CASES = cases_of(
    WindowAttentionCase,
    {dtype: TOLERANCES[dtype] for dtype in (FP32, BF16)},
    one_token={"lengths": (1,)},
    shorter_than_the_window={"lengths": (100, 20)},
    around_a_block={"lengths": (127, 128, 129)},
    empty_sequences={"lengths": (0, 40, 0)},
    no_sequences={"lengths": ()},
    strong_sink={"lengths": (150,), "sink": 30.0},
    no_sink={"lengths": (150,), "sink": -1e4},
    shared_key_heads={"lengths": (60, 70), "nq": 4, "nkv": 2, "dtypes": (FP32,)},
    customary={"lengths": (2048, 1000), "nq": 8, "nkv": 1, "d": 128, "slow": True},
    window_1024={"lengths": (2500, 64), "window": 1024, "nq": 4, "nkv": 2, "d": 128, "slow": True},
)


CASES += cases_of(
    WindowAttentionCase,
    {dtype: with_scores(12.0)[dtype] for dtype in (FP32, BF16)},
    long_sequence={"lengths": (500,), "tempting": True},
    narrow_window={"lengths": (300,), "window": 5, "tempting": True, "dtypes": (FP32,)},
    heads_of_512={"lengths": (200, 60), "nq": 64, "nkv": 1, "d": 512, "slow": True},
    odd_window={"lengths": (300,), "window": 130, "tempting": True, "dtypes": (FP32,)},
)


def inputs(case: WindowAttentionCase) -> Arrays:
    """query, key, value, sink and the prefix sums of the lengths."""
    rng = case.generator()
    tokens = sum(case.lengths)
    query = rng.standard_normal((tokens, case.nq, case.d))
    key, value = rng.standard_normal((2, tokens, case.nkv, case.d))
    if case.tempting:
        query[..., 0] = 4.0
        key[..., 0] = 16 * np.exp(-np.arange(tokens) / 100)[:, None]
    sink = case.sink + rng.standard_normal(case.nq)
    arrays = {name: array.astype(case.element) for name, array in (("query", query), ("key", key), ("value", value))}
    ends = np.cumsum((0, *case.lengths)).astype(np.int32)
    return {**arrays, "sink": sink.astype(np.float32), "cu_seqlens": ends}


def run(case: WindowAttentionCase, arrays: Arrays) -> Arrays:
    """One call of the kernel."""
    out = unwritten(arrays["query"])
    window_attention(*arrays.values(), out, window=case.window, scale=case.scale)
    return {"out": out}


OPERATOR = Operator(
    name="window_attention",
    summary="causal attention to a window of the last keys and to a sink, for packed sequences",
    cases=CASES,
    inputs=inputs,
    run=run,
    torch=lambda case, arrays: torch_golden(arrays, case.window, case.scale),
    numpy=lambda case, arrays: numpy_golden(arrays, case.window, case.scale),
)
