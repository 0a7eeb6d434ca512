"""The leaves of the guide by key, in the order of the questions that lead to them. Importing this reads the pages."""

from __future__ import annotations

from openpto.guide.leaves.leaf import Leaf
from openpto.guide.leaves.pages import read_leaf
from openpto.guide.leaves.tree import AREAS

__all__ = ["LEAVES", "Leaf", "leaves_of"]

LEAVES: dict[str, Leaf] = {key: read_leaf(key) for area in AREAS for key in area.leaves}


def leaves_of(code: str) -> list[Leaf]:
    """The leaves that a rule belongs to, those that name it first before the others.

    >>> [leaf.key for leaf in leaves_of("PTO303")]
    ['tile-rank']
    """
    return sorted((leaf for leaf in LEAVES.values() if code in leaf.see), key=lambda leaf: leaf.see.index(code))
