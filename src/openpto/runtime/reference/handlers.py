"""Which function executes which operation."""

from __future__ import annotations

from collections.abc import Callable

from openpto.diagnostics import fail
from openpto.ops.registry import OPS, Pointwise, Reduce

from .machine import Handler

HANDLERS: dict[str, Handler] = {}
"""Functions by op name; filled by :func:`impl` when the modules of the engine are imported."""


def impl(*names: str) -> Callable[[Handler], Handler]:
    """Register the function that executes the ops ``names``."""

    def register(handler: Handler) -> Handler:
        for name in names:
            assert name not in HANDLERS, name
            HANDLERS[name] = handler
        return handler

    return register


def handler_of(name: str) -> Handler:
    """The function for an op: its own, or that of its kind of arithmetic."""
    found = HANDLERS.get(name)
    if found is not None:
        return found
    declared = OPS.get(name)
    arithmetic = declared.arithmetic if declared is not None else None
    if isinstance(arithmetic, Pointwise):
        return HANDLERS["pointwise"]
    if isinstance(arithmetic, Reduce):
        return HANDLERS["reduce"]
    fail("PTO902", op=name)
