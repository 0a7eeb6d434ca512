"""Inputs on which kimi_delta_attention is checked: lengths around a chunk, correlated keys, gates of both extremes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from openpto.testing import Tolerance
from openpto_gym.gated_delta_rule.operator import helper_matrices
from openpto_gym.kimi_delta_attention.golden import numpy_golden, torch_golden
from openpto_gym.kimi_delta_attention.kernel import CHUNK, kimi_delta_attention
from openpto_gym.operator import FP32, Arrays, Case, Operator, cases_of, unwritten


@dataclass(frozen=True, slots=True, kw_only=True)
class KimiCase(Case):
    """Sequences of those lengths; keys share a direction by ``correlation``, gates are between ``gate_low`` and 0."""

    lengths: tuple[int, ...]
    n: int = 2
    d: int = 32
    correlation: float = 2.0
    gate_low: float = -0.1


# Exponentials of sums of gates are off by the sum's last place: 80 * 2^-24 where the decay is strongest.
STRONG = Tolerance(rtol=1e-4, atol=1e-5)
CASES = cases_of(
    KimiCase,
    {FP32: Tolerance(rtol=1e-5, atol=2e-6)},
    one_token={"lengths": (1,)},
    one_chunk={"lengths": (16,)},
    lengths_around_a_chunk={"lengths": (15, 1, 16, 17, 50)},
    empty_sequences={"lengths": (0, 20, 0, 0, 33)},
    no_tokens_at_all={"lengths": (0, 0)},
    independent_keys={"lengths": (64,), "correlation": 0.0},
    strongly_correlated_keys={"lengths": (64,), "correlation": 5.0, "gate_low": -0.01},
    faster_decay={"lengths": (70,), "gate_low": -1.0},
    strongest_decay={"lengths": (70,), "gate_low": -5.0, "tolerance": STRONG},
    wide_heads={"lengths": (40,), "n": 1, "d": 128},
    customary={"lengths": (1000,), "n": 4, "d": 128, "slow": True},
    customary_strong={"lengths": (64, 300), "n": 32, "d": 128, "gate_low": -5.0, "tolerance": STRONG, "slow": True},
)


def inputs(case: KimiCase) -> Arrays:
    """Tokens, states to begin with and prefix sums of the lengths."""
    rng = case.generator()
    shape = (sum(case.lengths), case.n, case.d)
    arrays = {
        "query": rng.standard_normal(shape),
        "key": rng.standard_normal(shape) + rng.standard_normal((1, *shape[1:])) * case.correlation,
        "value": rng.standard_normal(shape),
        "beta": rng.random(shape[:2]),
        "gate": rng.random(shape) * case.gate_low,
        "states": 0.1 * rng.standard_normal((len(case.lengths), case.n, case.d, case.d)),
    }
    ends = np.cumsum((0, *case.lengths)).astype(np.int32)
    return {**{name: array.astype(np.float32) for name, array in arrays.items()}, "cu_seqlens": ends}


def run(case: KimiCase, arrays: Arrays) -> Arrays:
    """One call of the kernel with the helper matrices."""
    outputs = {"out": unwritten(arrays["value"]), "states_out": unwritten(arrays["states"])}
    *tensors, ends = arrays.values()
    kimi_delta_attention(*tensors, *helper_matrices(CHUNK), ends, *outputs.values())
    return outputs


OPERATOR = Operator(
    name="kimi_delta_attention",
    summary="linear attention with a corrected state that decays at a rate per column, in chunks",
    cases=CASES,
    inputs=inputs,
    run=run,
    torch=lambda case, arrays: torch_golden(arrays),
    numpy=lambda case, arrays: numpy_golden(arrays),
)
