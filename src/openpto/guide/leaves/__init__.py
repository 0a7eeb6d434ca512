"""The leaves of the guide by key, in the order of the questions that lead to them. Importing this reads the pages."""

from __future__ import annotations

from openpto.guide.leaves.leaf import Leaf
from openpto.guide.leaves.pages import read_leaf
from openpto.guide.leaves.tree import AREAS

__all__ = ["LEAVES", "Leaf"]

LEAVES: dict[str, Leaf] = {key: read_leaf(key) for area in AREAS for key in area.leaves}
