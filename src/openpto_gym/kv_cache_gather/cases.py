"""Inputs on which kv_cache_gather is checked: ranges that begin and end inside pages, and empty ones."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from openpto.testing.tolerance import EXACT
from openpto_gym.kv_cache_gather.golden import numpy_golden, torch_golden
from openpto_gym.kv_cache_gather.kernel import kv_cache_gather
from openpto_gym.operator import BF16, FP16, FP32, Arrays, Case, Operator, cases_of
from openpto_gym.paging import block_tables
from openpto_gym.special import special_values


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheGatherCase(Case):
    """Of every sequence ``lengths`` tokens from ``starts`` on, in pages of ``size``.

    ``special``: tokens hold NaN, infinities, zeros of both signs and the extremes of the dtype.
    """

    lengths: tuple[int, ...]
    starts: tuple[int, ...]
    n: int = 2
    d: int = 32
    size: int = 16
    special: bool = False


CASES = cases_of(
    CacheGatherCase,
    dict.fromkeys((FP32, FP16, BF16), EXACT),
    one_token={"lengths": (1,), "starts": (0,)},
    whole_pages={"lengths": (32, 16), "starts": (0, 16)},
    inside_one_page={"lengths": (5, 3), "starts": (7, 13)},
    across_pages={"lengths": (40, 15, 17), "starts": (9, 1, 31)},
    nothing_of_some={"lengths": (0, 20, 0), "starts": (16, 4, 3)},
    special_values={"lengths": (40, 9), "starts": (9, 1), "special": True},
    no_sequences={"lengths": (), "starts": ()},
    customary={"lengths": (4000, 123), "starts": (55, 6), "n": 1, "d": 512, "size": 128, "slow": True},
)


def inputs(case: CacheGatherCase) -> Arrays:
    """The cache, pages, starts and prefix sums of the lengths."""
    rng = case.generator()
    reached = tuple(start + length for start, length in zip(case.starts, case.lengths, strict=True))
    table, blocks = block_tables(rng, reached, case.size)
    cache = rng.standard_normal((blocks, case.size, case.n, case.d))
    if case.special:
        cache = np.resize(rng.permutation(special_values(case)), cache.shape)
    return {
        "cache": cache.astype(case.element),
        "block_table": table,
        "starts": np.array(case.starts, np.int32),
        "cu_seqlens": np.cumsum((0, *case.lengths)).astype(np.int32),
    }


def run(case: CacheGatherCase, arrays: Arrays) -> Arrays:
    """One call of the kernel."""
    out = np.full((sum(case.lengths), case.n, case.d), np.nan, case.element)
    kv_cache_gather(*arrays.values(), out)
    return {"out": out}


OPERATOR = Operator(
    name="kv_cache_gather",
    summary="ranges of tokens from a paged store, packed one after the other",
    cases=CASES,
    inputs=inputs,
    run=run,
    torch=lambda case, arrays: torch_golden(arrays),
    numpy=lambda case, arrays: numpy_golden(arrays),
)
