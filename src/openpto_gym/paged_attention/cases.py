"""Inputs on which paged_attention is checked: lengths around a page, several new tokens, pages out of order."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from openpto_gym.attention.cases import TOLERANCES, with_scores
from openpto_gym.operator import BF16, FP32, Arrays, Case, Operator, cases_of, unwritten
from openpto_gym.paged_attention.golden import numpy_golden, torch_golden
from openpto_gym.paged_attention.kernel import paged_attention
from openpto_gym.paging import block_tables, live_pages


@dataclass(frozen=True, slots=True, kw_only=True)
class PagedAttentionCase(Case):
    """Sequences of those lengths in pages of ``size`` tokens; the last ``s`` tokens of each ask.

    Pages hold NaN where no token is, so that what is read behind a sequence shows. Queries are scaled by
    ``sharpness``.
    """

    lengths: tuple[int, ...]
    s: int = 1
    nq: int = 4
    nkv: int = 1
    d: int = 64
    size: int = 128
    sharpness: float = 1.0

    @property
    def scale(self) -> float:
        """1 / sqrt(D)."""
        return float(1 / np.sqrt(self.d))


PEAKED = with_scores(40.0)[FP32]
CASES = cases_of(
    PagedAttentionCase,
    {dtype: TOLERANCES[dtype] for dtype in (FP32, BF16)},
    one_key={"lengths": (1,)},
    around_a_page={"lengths": (127, 128, 129)},
    many_pages={"lengths": (700, 5)},
    two_new_tokens={"lengths": (129, 300), "s": 2, "dtypes": (FP32,)},
    shared_key_heads={"lengths": (200, 64), "nq": 6, "nkv": 2, "dtypes": (FP32,)},
    own_key_heads={"lengths": (150, 20), "nq": 2, "nkv": 2, "dtypes": (FP32,)},
    small_pages={"lengths": (33, 16, 100), "size": 16, "dtypes": (FP32,)},
    empty_sequence={"lengths": (0, 40)},
    more_new_tokens_than_tokens={"lengths": (1, 0, 130), "s": 3, "dtypes": (FP32,)},
    peaked={"lengths": (200, 90), "sharpness": 8.0, "tolerance": PEAKED, "dtypes": (FP32,)},
    no_sequences={"lengths": ()},
    customary={"lengths": (8192,) * 2, "nq": 12, "nkv": 1, "d": 128, "slow": True},
    two_groups={"lengths": (16384, 8000), "nq": 12, "nkv": 2, "d": 128, "s": 2, "slow": True},
)


def inputs(case: PagedAttentionCase) -> Arrays:
    """query, both caches, the block table and the lengths."""
    rng = case.generator()
    table, blocks = block_tables(rng, case.lengths, case.size)
    caches = np.full((2, blocks, case.size, case.nkv, case.d), np.nan)
    for block, live in live_pages(table, case.lengths, case.size):
        caches[:, block, :live] = rng.standard_normal((2, live, case.nkv, case.d))
    query = rng.standard_normal((len(case.lengths), case.s, case.nq, case.d)) * case.sharpness
    arrays = {"query": query, "key_cache": caches[0], "value_cache": caches[1]}
    halves = {name: array.astype(case.element) for name, array in arrays.items()}
    return {**halves, "block_table": table, "lengths": np.array(case.lengths, np.int32)}


def run(case: PagedAttentionCase, arrays: Arrays) -> Arrays:
    """One call of the kernel."""
    out = unwritten(arrays["query"])
    paged_attention(*arrays.values(), out, scale=case.scale)
    return {"out": out}


OPERATOR = Operator(
    name="paged_attention",
    summary="attention of the newest tokens of every sequence to a paged store of keys and values",
    cases=CASES,
    inputs=inputs,
    run=run,
    torch=lambda case, arrays: torch_golden(arrays, case.scale),
    numpy=lambda case, arrays: numpy_golden(arrays, case.scale),
)
