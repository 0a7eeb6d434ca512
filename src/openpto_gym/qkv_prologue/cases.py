"""Inputs on which qkv_prologue is checked."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from openpto.testing import T1, T2
from openpto_gym.operator import BF16, FP16, FP32, Arrays, Case, Operator, cases_of, unwritten
from openpto_gym.qkv_prologue.golden import numpy_golden, torch_golden
from openpto_gym.qkv_prologue.kernel import Shape, qkv_prologue
from openpto_gym.rope.cases import angle_tables

SMALL = Shape(heads=2, kv_heads=1, width=64, turned=32)
WHOLE = Shape(heads=2, kv_heads=2, width=32, turned=32)
GLM = Shape(heads=12, kv_heads=1, width=128, turned=64)


@dataclass(frozen=True, slots=True, kw_only=True)
class QkvPrologueCase(Case):
    """``t`` tokens of ``h`` columns, scaled; ``first`` is the position of the first, ``rows`` those of the caches."""

    t: int
    h: int = 64
    shape: Shape = SMALL
    scale: float = 1.0
    first: int = 0
    rows: int = 80
    epsilon: float = 1e-5


CASES = cases_of(
    QkvPrologueCase,
    {FP32: T2, FP16: T1, BF16: T1},
    one_token={"t": 1},
    one_short_of_a_block={"t": 15},
    one_past_a_block={"t": 17},
    many_blocks={"t": 70, "first": 1000},
    no_tokens={"t": 0, "kept": ("key_cache", "value_cache")},
    large={"t": 20, "scale": 50.0},
    near_epsilon={"t": 20, "scale": 1e-3},
    zeros={"t": 20, "scale": 0.0},
    whole_heads_turn={"t": 20, "shape": WHOLE, "dtypes": (FP32,)},
    customary={"t": 32, "h": 5120, "shape": GLM, "rows": 1280, "slow": True, "dtypes": (BF16,)},
)


def inputs(case: QkvPrologueCase) -> Arrays:
    """Tokens, weights, tables, slots in random order and the caches before."""
    rng = case.generator()
    shape = case.shape
    width = (shape.heads + 2 * shape.kv_heads) * shape.width
    cos, sin = angle_tables(case.first + np.arange(case.t), shape.turned)
    gammas = {name: 1 + 0.1 * rng.standard_normal(shape.width) for name in ("gamma_q", "gamma_k")}
    halves = {
        "x": rng.standard_normal((case.t, case.h)) * case.scale,
        "residual": rng.standard_normal((case.t, case.h)) * case.scale,
        "gamma": 1 + 0.1 * rng.standard_normal(case.h),
        **gammas,
        "cos": cos,
        "sin": sin,
    }
    narrow = {name: array.astype(case.element) for name, array in halves.items()}
    scale = rng.uniform(0.5, 1.5, (1, width)) / 127 / case.h**0.5
    caches = rng.standard_normal((2, case.rows, shape.kv_heads * shape.width)).astype(case.element)
    return {
        **{name: narrow[name] for name in ("x", "residual", "gamma")},
        "weight": rng.integers(-127, 128, (case.h, width)).astype(np.int8),
        "weight_scale": scale.astype(np.float32),
        "bias": (0.1 * rng.standard_normal((1, width))).astype(np.float32),
        **{name: narrow[name] for name in ("gamma_q", "gamma_k", "cos", "sin")},
        "slots": rng.permutation(case.rows)[: case.t, None].astype(np.int32),
        "key_cache": caches[0],
        "value_cache": caches[1],
    }


def run(case: QkvPrologueCase, arrays: Arrays) -> Arrays:
    """One call of the kernel, on copies of the caches."""
    outputs = {
        "total": unwritten(arrays["x"]),
        "query": np.full((case.t, case.shape.heads * case.shape.width), np.nan, case.element),
        "key_cache": arrays["key_cache"].copy(),
        "value_cache": arrays["value_cache"].copy(),
    }
    *tensors, _, _ = arrays.values()
    qkv_prologue(*tensors, *outputs.values(), shape=case.shape, epsilon=case.epsilon)
    return outputs


OPERATOR = Operator(
    name="qkv_prologue",
    summary="residual, norm, INT8 projection to queries, keys and values, norms and rotation of heads, cache",
    cases=CASES,
    inputs=inputs,
    run=run,
    torch=lambda case, arrays: torch_golden(
        arrays, case.shape.heads, case.shape.kv_heads, case.shape.turned, case.epsilon
    ),
    numpy=lambda case, arrays: numpy_golden(
        arrays, case.shape.heads, case.shape.kv_heads, case.shape.turned, case.epsilon
    ),
    starts={"key_cache": "key_cache", "value_cache": "value_cache"},
)
