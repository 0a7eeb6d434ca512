"""Which function lowers which operation."""

from __future__ import annotations

from collections.abc import Callable

from openpto.ops.registry import OPS, Pointwise, Reduce

from .lower import Handler, Unsupported

HANDLERS: dict[str, Handler] = {}
"""Functions by op name; filled by :func:`lowers` when the modules of the engine are imported."""


def lowers(*names: str) -> Callable[[Handler], Handler]:
    """Register the function that lowers the ops ``names``."""

    def register(handler: Handler) -> Handler:
        for name in names:
            assert name not in HANDLERS, name
            HANDLERS[name] = handler
        return handler

    return register


def handler_of(name: str) -> Handler:
    """The function for an op: its own, or that of its kind of arithmetic.

    Raises:
        Unsupported: there is none.
    """
    found = HANDLERS.get(name)
    if found is not None:
        return found
    declared = OPS.get(name)
    arithmetic = declared.arithmetic if declared is not None else None
    if isinstance(arithmetic, Pointwise):
        return HANDLERS["pointwise"]
    if isinstance(arithmetic, Reduce):
        return HANDLERS["reduce"]
    raise Unsupported(f"the op {name}")
