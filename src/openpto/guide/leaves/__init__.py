"""The leaves of the guide by key. Each file of this folder has a tuple LEAVES; the list below is complete."""

from __future__ import annotations

from collections.abc import Iterable

from openpto.guide.leaves.leaf import Leaf

__all__ = ["LEAVES", "Leaf"]

_FILES: tuple[tuple[Leaf, ...], ...] = ()


def _by_key(leaves: Iterable[Leaf]) -> dict[str, Leaf]:
    """Leaves by key, in their order. A key that is taken is a mistake of ours (ValueError)."""
    found: dict[str, Leaf] = {}
    for leaf in leaves:
        if leaf.key in found:
            raise ValueError(f"leaf {leaf.key}: the key is already taken")
        found[leaf.key] = leaf
    return found


LEAVES: dict[str, Leaf] = _by_key(leaf for file in _FILES for leaf in file)
