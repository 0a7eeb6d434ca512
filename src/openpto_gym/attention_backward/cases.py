"""Inputs on which attention_backward is checked: those of varlen_attention with the results that it would save."""

from __future__ import annotations

import numpy as np

from openpto.testing import Tolerance
from openpto_gym.attention.cases import TOLERANCES, with_scores
from openpto_gym.attention_backward.golden import numpy_golden, torch_golden
from openpto_gym.attention_backward.kernel import attention_backward
from openpto_gym.operator import BF16, FP32, Arrays, Operator, cases_of, unwritten
from openpto_gym.varlen_attention import cases as forward
from openpto_gym.varlen_attention.cases import VarlenCase
from openpto_gym.varlen_attention.golden import numpy_golden as forward_golden


class BackwardCase(VarlenCase):
    """As VarlenCase; gradients are sums over the sequence, in the dtype of the case."""

    __slots__ = ()

    def tolerance_of(self, output: str) -> Tolerance:
        """All outputs are alike."""
        return self.tolerance


CASES = cases_of(
    BackwardCase,
    # A weight is off by some 1e-6 of it; the first keys of a causal sequence get a sum over all queries, whose weights
    # for them add up to the logarithm of the length.
    {FP32: Tolerance(rtol=1e-5, atol=4e-6), BF16: TOLERANCES[BF16]},
    one_token={"lengths": (1,)},
    around_a_block={"lengths": (127, 128, 129), "dtypes": (FP32,)},
    causal_around_a_block={"lengths": (127, 129), "causal": True},
    empty_sequences={"lengths": (0, 40, 0, 0, 33)},
    no_sequences={"lengths": ()},
    own_key_heads={"lengths": (50, 60), "nkv": 2, "causal": True, "dtypes": (FP32,)},
    shared_key_heads={"lengths": (40, 30), "nq": 4, "nkv": 2, "causal": True, "dtypes": (FP32,)},
    peaked={
        "lengths": (150,), "sharpness": 3.0, "causal": True, "dtypes": (FP32,), "tolerance": with_scores(50.0)[FP32],
    },
    heads_of_128={"lengths": (400, 1, 64), "nq": 8, "nkv": 8, "d": 128, "causal": True, "slow": True},
    customary={"lengths": (320,) * 2, "nq": 8, "nkv": 8, "slow": True},
    long={"lengths": (1500,), "nq": 2, "nkv": 1, "causal": True, "slow": True},
)  # fmt: skip


def inputs(case: BackwardCase) -> Arrays:
    """query, key, value, the results of the forward pass rounded to their dtypes, and the gradient that arrives."""
    arrays = dict(forward.inputs(case))
    ends = arrays.pop("cu_seqlens")
    saved = forward_golden({**arrays, "cu_seqlens": ends}, case.scale, case.causal)
    arrays["out"] = saved["out"].astype(case.element)
    arrays |= {name: saved[name].astype(np.float32) for name in ("row_max", "row_sum")}
    rng = np.random.default_rng(case.seed + 1)
    arrays["grad"] = rng.standard_normal(arrays["out"].shape).astype(case.element)
    return {**arrays, "cu_seqlens": ends}


def run(case: BackwardCase, arrays: Arrays) -> Arrays:
    """One call of the kernel."""
    outputs = {f"d{name[0]}": unwritten(arrays[name]) for name in ("query", "key", "value")}
    attention_backward(*arrays.values(), *outputs.values(), scale=case.scale, causal=case.causal)
    return outputs


OPERATOR = Operator(
    name="attention_backward",
    summary="gradients of varlen_attention for queries, keys and values, from its saved row maxima and sums",
    cases=CASES,
    inputs=inputs,
    run=run,
    torch=lambda case, arrays: torch_golden(arrays, case.scale, case.causal),
    numpy=lambda case, arrays: numpy_golden(arrays, case.scale, case.causal),
)
