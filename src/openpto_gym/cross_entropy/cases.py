"""Inputs on which cross_entropy is checked: labels at the edges of blocks, ignored ones, ties, large logits."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from openpto.testing import Tolerance
from openpto.testing.tolerance import EXACT
from openpto_gym.cross_entropy.golden import IGNORED, numpy_golden, torch_golden
from openpto_gym.cross_entropy.kernel import COLUMNS, cross_entropy
from openpto_gym.operator import BF16, FP32, Arrays, Case, Operator, cases_of


@dataclass(frozen=True, slots=True, kw_only=True)
class CrossEntropyCase(Case):
    """``t`` tokens, ``v`` columns, normal logits, scaled.

    ``data``: normal, edges (labels at the edges of blocks), ignored (every third label), ties (whole-numbered logits),
    negative (far below zero), falling (every block of columns far below the one before),
    hidden (half of the logits are -inf, of every other token the whole first block but for its label).
    """

    t: int
    v: int
    scale: float = 1.0
    smoothing: float = 0.0
    penalty: float = 0.0
    data: str = "normal"

    def tolerance_of(self, output: str) -> Tolerance:
        """Columns are equal or wrong; results are FP32 whatever the dtype."""
        return EXACT if output == "best" else self.tolerance


# Logits and their logarithmic sums are some hundreds, rounded to 2^-24 of that.
FAR = Tolerance(rtol=1e-5, atol=1e-4)

CASES = cases_of(
    CrossEntropyCase,
    dict.fromkeys((FP32, BF16), Tolerance(rtol=1e-5, atol=1e-5)),
    one_token={"t": 1, "v": 100},
    one_short_of_a_block={"t": 7, "v": 1023},
    one_past_a_block={"t": 9, "v": 1025},
    labels_at_edges={"t": 12, "v": 2100, "data": "edges"},
    ignored={"t": 20, "v": 300, "data": "ignored", "penalty": 1e-3},
    ties={"t": 20, "v": 2500, "data": "ties"},
    large_logits={"t": 10, "v": 1500, "scale": 30.0, "tolerance": FAR},
    all_negative={"t": 10, "v": 1500, "data": "negative", "tolerance": FAR},
    falling_blocks={"t": 10, "v": 2500, "data": "falling", "tolerance": FAR},
    smoothing={"t": 20, "v": 1500, "smoothing": 0.1, "dtypes": (FP32,)},
    penalty={"t": 20, "v": 1500, "smoothing": 0.1, "penalty": 1e-2, "dtypes": (FP32,)},
    hidden_columns={"t": 20, "v": 2500, "data": "hidden"},
    one_column={"t": 5, "v": 1},
    no_tokens={"t": 0, "v": 100},
    customary={"t": 64, "v": 126_464, "slow": True},
)


def inputs(case: CrossEntropyCase) -> Arrays:
    """Logits and labels."""
    rng = case.generator()
    logits = rng.standard_normal((case.t, case.v)) * case.scale
    labels = rng.integers(0, case.v, (case.t, 1))
    if case.data == "ties":
        logits = np.clip(np.rint(logits), -2, 2)
    if case.data == "negative":
        logits -= 300.0
    if case.data == "hidden":
        gone = rng.random(logits.shape) < 0.5
        gone[::2, :COLUMNS] = True
        gone[:, -1] = False
        np.put_along_axis(gone, labels, False, axis=1)
        logits[gone] = -np.inf
    if case.data == "falling":
        logits -= 100.0 * (np.arange(case.v) // COLUMNS)
    if case.data == "edges":
        labels[:, 0] = np.resize([0, case.v - 1, 1023, 1024, 2047, 2048], case.t)
    if case.data == "ignored":
        labels[::3] = IGNORED
    return {"logits": logits.astype(case.element), "labels": labels.astype(np.int32)}


def run(case: CrossEntropyCase, arrays: Arrays) -> Arrays:
    """One call of the kernel."""
    outputs: Arrays = {
        "loss": np.full((case.t, 1), np.nan, np.float32),
        "normaliser": np.full((case.t, 1), np.nan, np.float32),
        "best": np.full((case.t, 1), -7, np.int32),
    }
    options = {"smoothing": case.smoothing, "penalty": case.penalty, "ignored": IGNORED}
    cross_entropy(*arrays.values(), *outputs.values(), **options)
    return outputs


OPERATOR = Operator(
    name="cross_entropy",
    summary="cross entropy of logits and labels, with smoothing, a penalty on the normaliser and the best column",
    cases=CASES,
    inputs=inputs,
    run=run,
    torch=lambda case, arrays: torch_golden(arrays, case.smoothing, case.penalty),
    numpy=lambda case, arrays: numpy_golden(arrays, case.smoothing, case.penalty),
)
