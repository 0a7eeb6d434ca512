"""Reasons, used more than once, why a mutant means the same as its kernel."""

from __future__ import annotations

ENDS_WITH_TENSOR = (
    "The cut rows or columns of the window are those behind the end of the tensor, and a view without valid_shape is "
    "valid up to the end of its source."
)

CUT_SOURCE = (
    "The source of the view is cut to the same live rows, and a view without valid_shape is valid as far as its source."
)

CARRIED = (
    "The axis that is cut survives the reshape as it is, and a reshape without valid_shape then carries the live rows "
    "by itself."
)

CUT_NEXT = "The reshape that follows cuts to the same live rows, and until then nothing is computed."

MORE_IS_CUT = (
    "The rows behind the live ones are valid here and hold zeros, but what follows is cut to the live rows: none of "
    "them meets another operand or is stored."
)

SAME_START = "The tensors that get each other's name are made in the same way and hold the same numbers."

PROMOTED = (
    "By the contract this function of FP16 and BF16 operands is computed in FP32 and rounded once, where the result is "
    "stored: widening the operands first changes nothing."
)

NO_PAGE = "A number of tokens below zero gives no page, as zero does, and is used for nothing else where there is none."
