"""Inputs on which recurrent_delta_rule is checked: one token or several, one rate of decay per head or per column."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from openpto.testing import Tolerance
from openpto_gym.operator import FP32, Arrays, Case, Operator, cases_of, unwritten
from openpto_gym.recurrent_delta_rule.golden import numpy_golden, torch_golden
from openpto_gym.recurrent_delta_rule.kernel import recurrent_delta_rule


@dataclass(frozen=True, slots=True, kw_only=True)
class RecurrentCase(Case):
    """Sequences of ``lengths`` new tokens, keys that share a direction; ``channels``: a rate of decay per column."""

    lengths: tuple[int, ...]
    nqk: int = 1
    nv: int = 2
    d: int = 32
    channels: bool = False
    gate_low: float = -0.1
    correlation: float = 2.0


CASES = cases_of(
    RecurrentCase,
    {FP32: Tolerance(rtol=1e-5, atol=2e-6)},
    one_token={"lengths": (1,)},
    a_token_each={"lengths": (1, 1, 1, 1)},
    several_tokens={"lengths": (3, 1, 4)},
    empty_sequences={"lengths": (0, 2, 0)},
    no_tokens={"lengths": (0, 0)},
    no_sequences={"lengths": (), "kept": ("states_out",)},
    many_tokens={"lengths": (90,)},
    strong_decay={"lengths": (20, 5), "gate_low": -30.0},
    everything_forgotten={"lengths": (10, 3), "gate_low": -1e4},
    channels={"lengths": (3, 1, 4), "channels": True},
    channels_many_tokens={"lengths": (60,), "channels": True, "gate_low": -5.0},
    shared_key_heads={"lengths": (5, 2), "nqk": 2, "nv": 6},
    customary={"lengths": (1,) * 32, "nqk": 16, "nv": 32, "d": 128, "slow": True},
    customary_channels={"lengths": (2,) * 16, "nqk": 32, "nv": 32, "d": 128, "channels": True, "slow": True},
)


def inputs(case: RecurrentCase) -> Arrays:
    """Tokens, lengths, slots in random order and all states; one state more than sequences."""
    rng = case.generator()
    t, sequences = sum(case.lengths), len(case.lengths)
    common = rng.standard_normal((1, case.nqk, case.d)) * case.correlation
    arrays = {
        "query": rng.standard_normal((t, case.nqk, case.d)),
        "key": rng.standard_normal((t, case.nqk, case.d)) + common,
        "value": rng.standard_normal((t, case.nv, case.d)),
        "beta": rng.random((t, case.nv)),
        "gate": rng.random((t, case.nv, case.d if case.channels else 1)) * case.gate_low,
    }
    states = 0.1 * rng.standard_normal((sequences + 1, case.nv, case.d, case.d))
    return {
        **{name: array.astype(np.float32) for name, array in arrays.items()},
        "cu_seqlens": np.cumsum((0, *case.lengths)).astype(np.int32),
        "slots": rng.permutation(sequences + 1)[:sequences].astype(np.int32),
        "states": states.astype(np.float32),
    }


def run(case: RecurrentCase, arrays: Arrays) -> Arrays:
    """One call of the kernel; the states that no sequence has are there before."""
    outputs = {"out": unwritten(arrays["value"]), "states_out": arrays["states"].copy()}
    recurrent_delta_rule(*arrays.values(), *outputs.values())
    return outputs


OPERATOR = Operator(
    name="recurrent_delta_rule",
    summary="the gated delta rule token by token, with states in slots and decay per head or per column",
    cases=CASES,
    inputs=inputs,
    run=run,
    torch=lambda case, arrays: torch_golden(arrays),
    numpy=lambda case, arrays: numpy_golden(arrays),
    starts={"states_out": "states"},
)
