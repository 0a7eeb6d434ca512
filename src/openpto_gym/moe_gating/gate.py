"""How experts are chosen; a parameter of the kernel and of the goldens."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Gate:
    """How experts are chosen.

    k         experts per token
    softmax   scores are a softmax over the experts; else sigmoids
    groups    groups of neighbouring experts; of these only ``kept`` may be chosen from
    best_two  a group counts by the sum of its two best scores; else by its best
    factor    what the weights of a token add up to
    """

    k: int
    softmax: bool = False
    groups: int = 1
    kept: int = 1
    best_two: bool = False
    factor: float = 1.0
