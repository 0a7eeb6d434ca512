"""Inputs on which lightning_indexer is checked: lengths around a page and around K, ties, negative scores.

Queries, keys and weights are small whole numbers, so that scores are exact in every dtype and many are equal: there is
one right choice.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from openpto.testing.tolerance import EXACT
from openpto_gym.lightning_indexer.golden import numpy_golden, torch_golden
from openpto_gym.lightning_indexer.kernel import lightning_indexer
from openpto_gym.operator import BF16, FP16, FP32, Arrays, Case, Operator, cases_of
from openpto_gym.paging import block_tables


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexerCase(Case):
    """Sequences of those lengths; the last ``s`` tokens of each choose ``k`` tokens with ``n`` heads [d].

    ``data``: mixed numbers, negative weights only, or all alike.
    """

    lengths: tuple[int, ...]
    s: int = 1
    k: int = 16
    n: int = 4
    d: int = 32
    size: int = 64
    data: str = "mixed"


CASES = cases_of(
    IndexerCase,
    dict.fromkeys((FP32, FP16, BF16), EXACT),
    one_token={"lengths": (1,)},
    around_a_page={"lengths": (63, 64, 65)},
    around_k={"lengths": (15, 16, 17)},
    many_pages={"lengths": (500, 130)},
    two_new_tokens={"lengths": (65, 17, 1), "s": 2, "dtypes": (FP32,)},
    more_new_tokens_than_tokens={"lengths": (1, 0, 70), "s": 3, "dtypes": (FP32,)},
    negative_scores={"lengths": (200,), "data": "negative"},
    all_alike={"lengths": (150, 20), "data": "alike"},
    empty_sequence={"lengths": (0, 40)},
    no_sequences={"lengths": ()},
    customary={"lengths": (8192,) * 2, "s": 2, "k": 2048, "n": 64, "d": 128, "size": 128, "slow": True},
)


def inputs(case: IndexerCase) -> Arrays:
    """query, weights, key cache, pages and lengths."""
    rng = case.generator()
    table, blocks = block_tables(rng, case.lengths, case.size)
    query = rng.integers(-3, 4, (len(case.lengths), case.s, case.n, case.d))
    keys = rng.integers(-3, 4, (blocks, case.size, case.d))
    weights = rng.integers(-2, 4, query.shape[:-1])
    if case.data == "negative":
        weights = -np.abs(weights) - 1
    if case.data == "alike":
        keys[:] = keys[0, 0]
    arrays = {"query": query, "weights": weights, "key_cache": keys}
    halves = {name: array.astype(case.element) for name, array in arrays.items()}
    return {**halves, "block_table": table, "lengths": np.array(case.lengths, np.int32)}


def run(case: IndexerCase, arrays: Arrays) -> Arrays:
    """One call of the kernel."""
    shape = (len(case.lengths), case.s, case.k)
    outputs = {"scores": np.full(shape, np.nan, np.float32), "chosen": np.full(shape, -7, np.int32)}
    lightning_indexer(*arrays.values(), *outputs.values())
    return outputs


OPERATOR = Operator(
    name="lightning_indexer",
    summary="the K tokens of a paged store with the greatest weighted scores, for sparse attention",
    cases=CASES,
    inputs=inputs,
    run=run,
    torch=lambda case, arrays: torch_golden(arrays, case.k),
    numpy=lambda case, arrays: numpy_golden(arrays, case.k),
)
