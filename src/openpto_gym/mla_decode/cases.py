"""Inputs on which mla_decode is checked: lengths around a page, several new tokens, pages out of order."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from openpto_gym.attention.cases import TOLERANCES, with_scores
from openpto_gym.mla_decode.golden import numpy_golden, torch_golden
from openpto_gym.mla_decode.kernel import mla_decode
from openpto_gym.operator import BF16, FP32, Arrays, Case, Operator, cases_of, unwritten
from openpto_gym.paging import block_tables, live_pages


@dataclass(frozen=True, slots=True, kw_only=True)
class MlaDecodeCase(Case):
    """Sequences of those lengths in pages of ``size`` tokens; the last ``s`` tokens of each ask.

    Pages hold NaN where no token is, so that what is read behind a sequence shows. Queries are scaled by
    ``sharpness``.
    """

    lengths: tuple[int, ...]
    s: int = 1
    n: int = 16
    latent: int = 64
    rope: int = 16
    size: int = 128
    sharpness: float = 1.0

    @property
    def scale(self) -> float:
        """1 / sqrt(latent + rope)."""
        return float((self.latent + self.rope) ** -0.5)


PEAKED = with_scores(40.0)[FP32]
CASES = cases_of(
    MlaDecodeCase,
    {dtype: TOLERANCES[dtype] for dtype in (FP32, BF16)},
    one_key={"lengths": (1,)},
    around_a_page={"lengths": (127, 128, 129)},
    many_pages={"lengths": (700, 5)},
    two_new_tokens={"lengths": (129, 300), "s": 2, "dtypes": (FP32,)},
    wide_latent={"lengths": (150,), "n": 8, "latent": 512, "rope": 64, "dtypes": (FP32,)},
    small_pages={"lengths": (33, 100), "size": 16, "dtypes": (FP32,)},
    more_new_tokens_than_tokens={"lengths": (1, 0, 130), "s": 3, "dtypes": (FP32,)},
    empty_sequence={"lengths": (0, 40)},
    peaked={"lengths": (200, 90), "sharpness": 8.0, "tolerance": PEAKED, "dtypes": (FP32,)},
    no_sequences={"lengths": ()},
    customary={"lengths": (4096,), "n": 128, "latent": 512, "rope": 64, "slow": True},
    two_steps={"lengths": (2000, 8192), "n": 64, "latent": 512, "rope": 64, "s": 2, "slow": True},
)


def inputs(case: MlaDecodeCase) -> Arrays:
    """Queries in two parts, both caches, the block table and the lengths."""
    rng = case.generator()
    table, blocks = block_tables(rng, case.lengths, case.size)
    cache = np.full((blocks, case.size, case.latent + case.rope), np.nan)
    for block, live in live_pages(table, case.lengths, case.size):
        cache[block, :live] = rng.standard_normal((live, cache.shape[2]))
    query = rng.standard_normal((len(case.lengths), case.s, case.n, case.latent + case.rope)) * case.sharpness
    arrays = {
        "q_latent": query[..., : case.latent],
        "q_rope": query[..., case.latent :],
        "latent_cache": cache[..., : case.latent],
        "rope_cache": cache[..., case.latent :],
    }
    halves = {name: np.ascontiguousarray(array.astype(case.element)) for name, array in arrays.items()}
    return {**halves, "block_table": table, "lengths": np.array(case.lengths, np.int32)}


def run(case: MlaDecodeCase, arrays: Arrays) -> Arrays:
    """One call of the kernel."""
    out = unwritten(arrays["q_latent"])
    mla_decode(*arrays.values(), out, scale=case.scale)
    return {"out": out}


OPERATOR = Operator(
    name="mla_decode",
    summary="attention of the newest tokens to a paged store of latent vectors that all heads share",
    cases=CASES,
    inputs=inputs,
    run=run,
    torch=lambda case, arrays: torch_golden(arrays, case.scale),
    numpy=lambda case, arrays: numpy_golden(arrays, case.scale),
)
