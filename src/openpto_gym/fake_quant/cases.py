"""Inputs on which fake_quant and its gradient are checked: ties, weights beyond the limits, steps of almost nothing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from openpto.testing import Tolerance
from openpto_gym.fake_quant.golden import numpy_golden, torch_golden
from openpto_gym.fake_quant.kernel import fake_quant, fake_quant_backward
from openpto_gym.operator import FP32, Arrays, Case, Operator, cases_of, unwritten
from openpto_gym.special import not_finite


@dataclass(frozen=True, slots=True, kw_only=True)
class FakeQuantCase(Case):
    """[rows, width] weights in steps of their channel.

    ``data``: normal, halves (ties), beyond (the limits), tiny (every third step is almost nothing, or just the least),
    special (NaN and infinities here and there).
    """

    rows: int
    width: int = 96
    bits: int = 4
    data: str = "normal"
    backward: bool = False

    def tolerance_of(self, output: str) -> Tolerance:
        """The gradient of a step is a sum over its channel."""
        return Tolerance(rtol=1e-5, atol=2e-7 * self.width * 2**self.bits) if output == "dscale" else self.tolerance


CASES = cases_of(
    FakeQuantCase,
    {FP32: Tolerance(rtol=1e-6, atol=1e-9)},
    one_row={"rows": 1},
    one_past_a_block={"rows": 65},
    ties={"rows": 20, "data": "halves"},
    beyond_the_limits={"rows": 20, "data": "beyond"},
    tiny_steps={"rows": 20, "data": "tiny"},
    special_values={"rows": 20, "data": "special"},
    eight_bits={"rows": 20, "bits": 8},
    no_rows={"rows": 0},
    backward_one_row={"rows": 1, "backward": True},
    backward_one_past_a_block={"rows": 65, "backward": True},
    backward_ties={"rows": 20, "data": "halves", "backward": True},
    backward_beyond_the_limits={"rows": 20, "data": "beyond", "backward": True},
    backward_tiny_steps={"rows": 70, "data": "tiny", "backward": True},
    backward_no_rows={"rows": 0, "backward": True},
    customary={"rows": 1024, "width": 2048, "slow": True},
    backward_customary={"rows": 1024, "width": 2048, "backward": True, "slow": True},
)


def inputs(case: FakeQuantCase) -> Arrays:
    """Weights, steps and, for the backward cases, the gradient that arrives."""
    rng = case.generator()
    limit = 2 ** (case.bits - 1)
    scale = 2.0 ** rng.integers(-6, -2, (case.rows, 1))
    ratio = rng.standard_normal((case.rows, case.width)) * limit / 2
    if case.data == "halves":
        ratio = rng.integers(-limit - 2, limit + 2, ratio.shape) + 0.5
    if case.data == "beyond":
        ratio *= 10
    if case.data == "special":
        ratio = not_finite(ratio, rng)
    weight = ratio * scale
    if case.data == "tiny":
        scale[::3] = 1e-10
        scale[3::6] = 1e-8
    arrays = {"weight": weight, "scale": scale}
    if case.backward:
        arrays["grad"] = rng.standard_normal(ratio.shape)
    return {name: array.astype(np.float32) for name, array in arrays.items()}


def run(case: FakeQuantCase, arrays: Arrays) -> Arrays:
    """One call of the kernel."""
    if case.backward:
        outputs = {f"d{name}": unwritten(arrays[name]) for name in ("weight", "scale")}
        fake_quant_backward(*arrays.values(), *outputs.values(), bits=case.bits)
        return outputs
    out = unwritten(arrays["weight"])
    fake_quant(*arrays.values(), out, bits=case.bits)
    return {"out": out}


OPERATOR = Operator(
    name="fake_quant",
    summary="weights rounded to steps of their channel, and straight-through gradients",
    cases=CASES,
    inputs=inputs,
    run=run,
    torch=lambda case, arrays: torch_golden(arrays, case.bits),
    numpy=lambda case, arrays: numpy_golden(arrays, case.bits),
)
