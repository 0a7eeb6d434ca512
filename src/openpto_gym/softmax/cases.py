"""Inputs on which row softmax is checked."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from openpto_gym.comparison import Tolerance

TOLERANCE = Tolerance(rtol=2e-6, atol=1e-9)


@dataclass(frozen=True, slots=True)
class Case:
    """One input: `rows` x `cols` logits, normal with the given scale around the given centre."""

    name: str
    rows: int
    cols: int
    scale: float = 1.0
    centre: float = 0.0
    tolerance: Tolerance = TOLERANCE


CASES = (
    Case("one_row", 1, 256),
    Case("one_short_of_a_tile", 63, 256),
    Case("one_tile", 64, 256),
    Case("one_past_a_tile", 65, 256),
    Case("many_tiles", 1000, 256, scale=4.0),
    Case("one_column", 70, 1),
    Case("unaligned_columns", 130, 37, scale=10.0),
    Case("all_negative", 50, 100, scale=5.0, centre=-250_000.0),
    Case("large_positive", 50, 100, scale=5.0, centre=80_000.0),
    # 1250 additions in each of the 16 lanes of a sum
    Case("wide_rows", 3, 20_000, scale=3.0, tolerance=Tolerance(rtol=1e-5, atol=1e-9)),
    Case("no_rows", 0, 256),
)


def make_input(case: Case, seed: int = 42) -> NDArray[np.float32]:
    """The logits of a case, FP32 `[rows, cols]`."""
    rng = np.random.default_rng(seed)
    return (rng.standard_normal((case.rows, case.cols)) * case.scale + case.centre).astype(np.float32)
