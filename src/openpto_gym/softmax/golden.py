"""The golden: row softmax in float64 numpy."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def row_softmax_golden(x: NDArray[np.float32]) -> NDArray[np.float64]:
    """Softmax over the last axis of `x` `[rows, cols]`, in float64."""
    wide = x.astype(np.float64)
    weights = np.exp(wide - wide.max(axis=-1, keepdims=True))
    golden: NDArray[np.float64] = weights / weights.sum(axis=-1, keepdims=True)
    return golden
