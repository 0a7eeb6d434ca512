"""Inputs on which sparse_attention is checked: numbers of tokens around a block, none, and tokens named twice."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from openpto_gym.attention.cases import TOLERANCES, with_scores
from openpto_gym.operator import BF16, FP32, Arrays, Case, Operator, cases_of, unwritten
from openpto_gym.paging import block_tables
from openpto_gym.sparse_attention.golden import numpy_golden, torch_golden
from openpto_gym.sparse_attention.kernel import sparse_attention


@dataclass(frozen=True, slots=True, kw_only=True)
class SparseAttentionCase(Case):
    """Query t sees ``counts[t]`` of the tokens of sequence ``t % len(lengths)``; ``twice``: tokens may repeat.

    ``most`` is the width of the block table; queries are scaled by ``sharpness``.
    """

    counts: tuple[int, ...]
    lengths: tuple[int, ...] = (300, 170)
    n: int = 16
    latent: int = 64
    rope: int = 16
    page: int = 32
    most: int = 12
    twice: bool = False
    sharpness: float = 1.0

    @property
    def scale(self) -> float:
        """1 / sqrt(latent + rope)."""
        return float((self.latent + self.rope) ** -0.5)


PEAKED = with_scores(40.0)[FP32]
CASES = cases_of(
    SparseAttentionCase,
    {dtype: TOLERANCES[dtype] for dtype in (FP32, BF16)},
    one_token_each={"counts": (1, 1, 1)},
    around_a_block={"counts": (127, 128, 129, 2)},
    nothing_chosen={"counts": (0, 5, 0)},
    all_tokens={"counts": (300, 170)},
    tokens_named_twice={"counts": (200, 100), "twice": True},
    peaked={"counts": (150, 40), "sharpness": 8.0, "tolerance": PEAKED, "dtypes": (FP32,)},
    no_queries={"counts": ()},
    wide_latent={"counts": (150, 7), "n": 8, "latent": 512, "rope": 64, "dtypes": (FP32,)},
    customary={
        "counts": (2048,) * 4, "lengths": (16384,), "n": 128, "latent": 512, "rope": 64, "page": 128, "most": 129,
        "slow": True,
    },
)  # fmt: skip


def inputs(case: SparseAttentionCase) -> Arrays:
    """Queries, caches, pages, owners and the chosen tokens, -1 behind them."""
    rng = case.generator()
    table, blocks = block_tables(rng, case.lengths, case.page)
    pages = np.full((len(case.lengths), case.most), -1, np.int32)
    pages[:, : table.shape[1]] = table
    queries = len(case.counts)
    owner = (np.arange(queries) % len(case.lengths)).astype(np.int32)
    chosen = np.full((queries, max(case.counts, default=0)), -1, np.int32)
    for t, count in enumerate(case.counts):
        chosen[t, :count] = rng.choice(case.lengths[owner[t]], count, replace=case.twice)
    query = rng.standard_normal((queries, case.n, case.latent + case.rope)) * case.sharpness
    cache = rng.standard_normal((blocks * case.page, case.latent + case.rope))
    arrays = {
        "q_latent": query[..., : case.latent],
        "q_rope": query[..., case.latent :],
        "latent_cache": cache[:, : case.latent],
        "rope_cache": cache[:, case.latent :],
    }
    halves = {name: np.ascontiguousarray(array.astype(case.element)) for name, array in arrays.items()}
    counts = np.array(case.counts, np.int32)
    return {**halves, "block_table": pages, "owner": owner, "chosen": chosen, "counts": counts}


def run(case: SparseAttentionCase, arrays: Arrays) -> Arrays:
    """One call of the kernel."""
    out = unwritten(arrays["q_latent"])
    sparse_attention(*arrays.values(), out, page_size=case.page, scale=case.scale)
    return {"out": out}


OPERATOR = Operator(
    name="sparse_attention",
    summary="attention of every query to the tokens that it names, gathered from a paged store of latent vectors",
    cases=CASES,
    inputs=inputs,
    run=run,
    torch=lambda case, arrays: torch_golden(arrays, case.page, case.scale),
    numpy=lambda case, arrays: numpy_golden(arrays, case.page, case.scale),
)
