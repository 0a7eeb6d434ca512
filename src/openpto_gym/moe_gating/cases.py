"""Inputs on which moe_gating is checked: groups of both kinds, ties, a bias that decides."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from openpto.testing import Tolerance
from openpto.testing.tolerance import EXACT
from openpto_gym.moe_gating.gate import Gate
from openpto_gym.moe_gating.golden import numpy_golden, torch_golden
from openpto_gym.moe_gating.kernel import moe_gating
from openpto_gym.operator import FP32, Arrays, Case, Operator, cases_of


@dataclass(frozen=True, slots=True, kw_only=True)
class GatingCase(Case):
    """``t`` tokens and ``e`` experts, normal logits, scaled, around ``centre``; those of one expert ``drop`` lower.

    ``whole``: numbers from -2 to 2, of which many tie. ``hidden``: so large a share of the logits is -inf, but never
    those of the last two experts.
    """

    t: int
    e: int
    gate: Gate
    scale: float = 1.0
    centre: float = 0.0
    drop: float = 0.0
    whole: bool = False
    hidden: float = 0.0

    def tolerance_of(self, output: str) -> Tolerance:
        """Experts are equal or wrong."""
        return EXACT if output == "experts" else self.tolerance


PLAIN, SOFTMAX = Gate(k=2), Gate(k=2, softmax=True, factor=2.5)
BEST = Gate(k=4, groups=4, kept=1)
PAIRS = Gate(k=4, softmax=True, groups=4, kept=2, best_two=True)
# Logits are rounded to FP32 before, so that what is left is exp, a sum of up to 128 and two roundings.
CASES = cases_of(
    GatingCase,
    {FP32: Tolerance(rtol=5e-6, atol=1e-7)},
    one_token={"t": 1, "e": 16, "gate": PLAIN},
    one_short_of_a_block={"t": 15, "e": 16, "gate": PLAIN},
    one_past_a_block={"t": 17, "e": 16, "gate": PLAIN},
    ties={"t": 40, "e": 16, "gate": PLAIN, "whole": True},
    saturated={"t": 20, "e": 16, "gate": PLAIN, "scale": 8.0},
    no_tokens={"t": 0, "e": 16, "gate": PLAIN},
    # The guard against a sum of nothing is larger than the scores: it decides.
    scores_below_the_guard={"t": 20, "e": 16, "gate": PLAIN, "centre": -60.0},
    softmax_of_far_logits={"t": 20, "e": 16, "gate": SOFTMAX, "centre": 300.0, "drop": 200.0},
    hidden_experts={"t": 40, "e": 16, "gate": PLAIN, "hidden": 0.6},
    softmax_of_hidden_experts={"t": 40, "e": 16, "gate": SOFTMAX, "hidden": 0.6},
    groups_by_the_best={"t": 64, "e": 32, "gate": BEST},
    ties_of_groups={"t": 40, "e": 32, "gate": BEST, "whole": True},
    groups_by_two={"t": 50, "e": 64, "gate": PAIRS},
    ties_of_pairs={"t": 40, "e": 64, "gate": PAIRS, "whole": True},
    customary={"t": 1026, "e": 160, "gate": Gate(k=8), "slow": True},
    large={"t": 256, "e": 128, "gate": Gate(k=8, groups=8, kept=2, best_two=True, factor=2.0), "slow": True},
    of_256_experts={"t": 256, "e": 256, "gate": Gate(k=8, groups=8, kept=4, best_two=True, factor=2.5), "slow": True},
)


def inputs(case: GatingCase) -> Arrays:
    """Logits and bias; the bias is a multiple of 1/8, so that it keeps ties."""
    rng = case.generator()
    logits = rng.standard_normal((case.t, case.e)) * case.scale + case.centre
    logits[:, 0] -= case.drop
    if case.whole:
        logits = np.clip(np.rint(logits), -2, 2)
    if case.hidden:
        logits[:, :-2][rng.random((case.t, case.e - 2)) < case.hidden] = -np.inf
    bias = rng.integers(0, 3, case.e) / 8
    return {"logits": logits.astype(np.float32), "bias": bias.astype(np.float32)}


def run(case: GatingCase, arrays: Arrays) -> Arrays:
    """One call of the kernel."""
    shape = (case.t, case.gate.k)
    outputs = {"weights": np.full(shape, np.nan, np.float32), "experts": np.full(shape, -7, np.int32)}
    moe_gating(*arrays.values(), *outputs.values(), gate=case.gate)
    return outputs


OPERATOR = Operator(
    name="moe_gating",
    summary="the k experts of every token, chosen inside the best groups, and their normalised weights",
    cases=CASES,
    inputs=inputs,
    run=run,
    torch=lambda case, arrays: torch_golden(arrays, case.gate),
    numpy=lambda case, arrays: numpy_golden(arrays, case.gate),
)
