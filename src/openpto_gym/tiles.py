"""Vector tiles that fit: shared by the kernels of this package, called while they are traced."""

from __future__ import annotations

from collections.abc import Sequence

BUDGET = 8192
"""Elements of a tile: 32 KiB of FP32, so that six buffers fit into the smallest UB (192 KiB)."""

ALIGNMENT = 16
"""The last axis of a tile is a multiple of 32 bytes, for the widest step: 16 elements of two bytes."""


def vector_tile(shape: Sequence[int], budget: int = BUDGET) -> tuple[int, ...]:
    """The largest tile within ``budget`` elements, filled from the last axis on.

    >>> vector_tile((1, 16, 4, 100))
    (1, 16, 4, 112)
    >>> vector_tile((64, 4000))
    (2, 4000)
    """
    last = -(-shape[-1] // ALIGNMENT) * ALIGNMENT
    tile = [min(last, budget // ALIGNMENT * ALIGNMENT)]
    left = budget // tile[0]
    for extent in reversed(shape[:-1]):
        tile.insert(0, max(1, min(extent, left)))
        left //= tile[0]
    return tuple(tile)
