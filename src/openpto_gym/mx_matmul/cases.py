"""Inputs on which mx_matmul is checked: groups of zeros, groups of all magnitudes, numbers that saturate."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from openpto.testing import T2
from openpto_gym.mx_matmul.golden import numpy_golden, torch_golden
from openpto_gym.mx_matmul.kernel import mx_matmul
from openpto_gym.operator import BF16, FP16, FP32, Arrays, Case, Operator, cases_of


@dataclass(frozen=True, slots=True, kw_only=True)
class MxMatmulCase(Case):
    """[m, k] @ [n, k]^T. ``data``: normal, zeros (every other group), magnitudes (groups over 2^10), saturating.

    Or halves: whole numbers half way between two of FP8, in groups whose scale is one.
    """

    m: int
    n: int
    k: int = 128
    data: str = "normal"


CASES = cases_of(
    MxMatmulCase,
    dict.fromkeys((FP32, FP16, BF16), T2),
    one_element={"m": 1, "n": 1},
    odd_sizes={"m": 37, "n": 29},
    past_a_block={"m": 65, "n": 130},
    groups_of_zeros={"m": 20, "n": 40, "data": "zeros"},
    all_magnitudes={"m": 40, "n": 40, "data": "magnitudes"},
    saturating={"m": 20, "n": 20, "data": "saturating"},
    between_two_steps={"m": 20, "n": 20, "data": "halves"},
    no_rows={"m": 0, "n": 16},
    no_columns={"m": 16, "n": 0},
    customary={"m": 64, "n": 512, "k": 7168, "slow": True, "dtypes": (BF16,)},
)


def inputs(case: MxMatmulCase) -> Arrays:
    """Both matrices; the products of a sum are around one over its length."""
    rng = case.generator()
    arrays = {"a": rng.standard_normal((case.m, case.k)), "b": rng.standard_normal((case.n, case.k)) / case.k**0.5}
    for x in arrays.values():
        groups = x.reshape(len(x), case.k // 32, 32)
        if case.data == "zeros":
            groups[:, ::2] = 0.0
        if case.data == "magnitudes":
            groups *= 2.0 ** rng.integers(-10, 1, (*groups.shape[:2], 1))
        if case.data == "halves":
            groups[:] = rng.choice([-1.0, 1.0], groups.shape) * (17 + 2 * rng.integers(0, 8, groups.shape))
            groups[..., 5] = 448.0
        if case.data == "saturating":
            # The largest element of a group is just below a power of two: 1.99 * 256 is more than 448.
            groups[:] = np.clip(groups, -1, 1)
            groups[..., 5] = 1.99
    return {name: array.astype(case.element) for name, array in arrays.items()}


def run(case: MxMatmulCase, arrays: Arrays) -> Arrays:
    """One call of the kernel."""
    out = np.full((case.m, case.n), np.nan, np.float32)
    mx_matmul(*arrays.values(), out)
    return {"out": out}


OPERATOR = Operator(
    name="mx_matmul",
    summary="product of matrices that become FP8 with one power of two per 32 elements",
    cases=CASES,
    inputs=inputs,
    run=run,
    torch=lambda case, arrays: torch_golden(arrays),
    numpy=lambda case, arrays: numpy_golden(arrays),
)
