"""Special values in the data of cases: what one row, one window or one token holds must not reach another."""

from __future__ import annotations

import numpy as np

from openpto_gym.elementwise import finfo, special_values
from openpto_gym.operator import Array, Case

__all__ = ["not_finite", "special_rows", "special_values"]


def special_rows(x: Array, case: Case) -> Array:
    """Rows of x by turns as they are, with one NaN, with one infinity, of zeros, and of denormal numbers."""
    rows = x.copy()
    rows[1::5, -1] = np.nan
    rows[2::5, 0] = np.inf
    rows[3::5] = 0.0
    rows[4::5] = np.sign(x[4::5]) * float(finfo(case.element).smallest_subnormal) * 3
    return rows


def not_finite(x: Array, rng: np.random.Generator, share: float = 0.05) -> Array:
    """x with a share of its elements NaN or an infinity of either sign."""
    chosen = rng.random(x.shape) < share
    return np.where(chosen, rng.choice([np.nan, np.inf, -np.inf], x.shape), x)
