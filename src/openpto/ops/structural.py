"""Ops of tile IR without a public name."""

from __future__ import annotations

from .registry import Named, internal

internal("alloc", "A declared tensor without contents.", core="none")
internal(
    "bitcast", "The bytes of a tensor as another dtype; the last axis scales.", core="move", arithmetic=Named("bitcast")
)
internal("move", "The valid region of one tensor into a parameter, row-major.", core="move", arithmetic=Named("move"))
internal("squeeze", "Drop axes of extent 1.", core="move", arithmetic=Named("squeeze"))
internal("read_scalar", "One element as a run-time integer.", core="none", arithmetic=Named("read_scalar"))
internal("write_scalar", "A run-time integer into one element.", core="none", arithmetic=Named("write_scalar"))
internal("valid_of", "The valid extent of one axis as a run-time integer.", core="none", arithmetic=Named("valid_of"))
