"""The operators by name. Nothing of an operator is loaded before it is asked for."""

from __future__ import annotations

from importlib import import_module
from typing import cast

from openpto_gym.operator import Operator

NAMES = (
    "scale_add",
    "relu",
    "gelu",
    "sigmoid",
    "softmax",
    "rms_norm",
    "matmul",
    "attention",
    "sum_lstm",
    "gated_delta_rule",
)
"""Every operator, from the simplest to the most involved; each is a folder beside this file."""


def load(name: str) -> Operator:
    """The operator of that name.

    Raises:
        LookupError: there is none.
    """
    if name not in NAMES:
        raise LookupError(f"no operator is called {name!r}; there are {', '.join(NAMES)}")
    return cast(Operator, import_module(f"openpto_gym.{name}.cases").OPERATOR)


def operators() -> tuple[Operator, ...]:
    """All operators."""
    return tuple(load(name) for name in NAMES)
