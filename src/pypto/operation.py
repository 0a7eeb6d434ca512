"""`pypto.operation`: the mark of operations that are written in Python."""

from collections.abc import Callable
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])


def op_wrapper(function: F) -> F:
    """Mark a helper as an operation; it is traced like any helper."""
    return function
