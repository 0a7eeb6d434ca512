"""Operations of tile IR that show what a verified kernel computes; the language records them."""

from __future__ import annotations

from .registry import Named, internal

internal("verify_print", "Values are shown.", core="none", arithmetic=Named("verify_print"))
internal("verify_save", "A tensor goes to a file.", core="none", arithmetic=Named("verify_save"))

SHOWING = ("verify_print", "verify_save")
