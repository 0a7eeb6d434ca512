"""Reasons, used more than once, why a mutant means the same as its kernel."""

from __future__ import annotations

ENDS_WITH_TENSOR = (
    "The cut rows or columns of the window are those behind the end of the tensor, and a view without valid_shape is "
    "valid up to the end of its source."
)

PROMOTED = (
    "By the contract this function of FP16 and BF16 operands is computed in FP32 and rounded once, where the result is "
    "stored: widening the operands first changes nothing."
)
