"""Inputs on which kv_cache_write is checked: scattered slots, dropped tokens, slots named twice."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from openpto.testing.tolerance import EXACT
from openpto_gym.kv_cache_write.golden import numpy_golden, torch_golden
from openpto_gym.kv_cache_write.kernel import kv_cache_write
from openpto_gym.operator import BF16, FP16, FP32, Arrays, Case, Operator, cases_of
from openpto_gym.special import special_values


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheWriteCase(Case):
    """``t`` tokens into ``blocks`` of ``size`` slots.

    ``slots``: scattered, dropped (some are -1), none (all are), twice, in_order. ``data``: normal, or special (NaN,
    infinities, zeros of both signs, the extremes of the dtype).
    """

    t: int
    blocks: int = 6
    n: int = 2
    d: int = 32
    size: int = 16
    slots: str = "scattered"
    data: str = "normal"


CASES = cases_of(
    CacheWriteCase,
    dict.fromkeys((FP32, FP16, BF16), EXACT),
    one_token={"t": 1},
    scattered={"t": 50},
    all_slots={"t": 96},
    in_order={"t": 40, "slots": "in_order"},
    some_dropped={"t": 60, "slots": "dropped"},
    slots_named_twice={"t": 80, "slots": "twice"},
    no_tokens={"t": 0, "kept": ("key_cache", "value_cache")},
    all_dropped={"t": 20, "slots": "none", "kept": ("key_cache", "value_cache")},
    special_values={"t": 30, "data": "special"},
    latent_vectors={"t": 1024, "blocks": 16, "n": 1, "d": 512, "size": 128, "slow": True},
    customary={"t": 2633, "blocks": 24, "n": 2, "d": 256, "size": 128, "slow": True},
)


def inputs(case: CacheWriteCase) -> Arrays:
    """Keys, values, slots and the caches before."""
    rng = case.generator()
    key, value = rng.standard_normal((2, case.t, case.n, case.d))
    caches = rng.standard_normal((2, case.blocks, case.size, case.n, case.d))
    total = case.blocks * case.size
    slots = rng.choice(total, case.t, replace=case.slots == "twice")
    if case.slots == "in_order":
        slots = np.arange(case.t) + 5
    if case.slots == "dropped":
        slots[rng.random(case.t) < 0.4] = -1
    if case.slots == "none":
        slots[:] = -1
    if case.data == "special":
        key, value = (np.resize(rng.permutation(special_values(case)), key.shape) for _ in range(2))
    arrays = {"key": key, "value": value, "key_cache": caches[0], "value_cache": caches[1]}
    halves = {name: array.astype(case.element) for name, array in arrays.items()}
    return {**halves, "slots": slots.astype(np.int32)}


def run(case: CacheWriteCase, arrays: Arrays) -> Arrays:
    """One call of the kernel, on copies of the caches."""
    outputs = {name: arrays[name].copy() for name in ("key_cache", "value_cache")}
    kv_cache_write(arrays["key"], arrays["value"], arrays["slots"], *outputs.values())
    return outputs


OPERATOR = Operator(
    name="kv_cache_write",
    summary="keys and values of new tokens into the slots of a paged store",
    cases=CASES,
    inputs=inputs,
    run=run,
    torch=lambda case, arrays: torch_golden(arrays),
    numpy=lambda case, arrays: numpy_golden(arrays),
    starts={"key_cache": "key_cache", "value_cache": "value_cache"},
)
